// Package benchtest is what the tests of workloads have in common.
//
//   - [Main] lets a test binary be the server of its own workloads.
//   - [Workloads] runs each workload once, in a small size.
package benchtest

import (
	"io"
	"os"
	"testing"

	"vedette.dev/bench/harness"
)

// Serve is a server in a process of its own, which ends when in does.
type Serve func(args []string, in io.Reader, out io.Writer) error

// Main is the TestMain of a package whose workloads start their own binary as a server, with command as the first argument.
func Main(m *testing.M, command string, serve Serve) {
	if len(os.Args) > 1 && os.Args[1] == command {
		if err := serve(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	// With the race detector a process lingers for a second when it ends, so that others may report.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// Options say how workloads are run. The zero value runs each of them on each side, one after the other, in a thousandth of its size.
type Options struct {
	Scale float64
	// Parallel is for workloads that mostly wait.
	Parallel bool
	// Leave says which sides of a workload to leave out; nil means none.
	Leave func(w harness.Workload, side string) bool
}

// Workloads runs each workload, and checks that it did its work and has measured what its rows are about.
func Workloads(t *testing.T, workloads []harness.Workload, o Options) {
	if o.Scale == 0 {
		o.Scale = 0.001
	}
	for _, w := range workloads {
		for _, side := range w.EachSide() {
			if o.Leave != nil && o.Leave(w, side) {
				continue
			}
			t.Run(w.Name+"/"+side, func(t *testing.T) {
				if o.Parallel {
					t.Parallel()
				}
				sample, err := harness.Measure(w, harness.Config{Side: side, Scale: o.Scale}, harness.Profiles{})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range w.Rows {
					if _, ok := sample[row.Value]; !ok {
						t.Errorf("there is no %q", row.Value)
					}
				}
			})
		}
	}
}

// Once leaves out client-go where a workload with the same baseline has run it already.
func Once() func(w harness.Workload, side string) bool {
	done := map[string]bool{}
	return func(w harness.Workload, side string) bool {
		if side != harness.ClientGo || w.Together == "" {
			return false
		}
		was := done[w.Together]
		done[w.Together] = true
		return was
	}
}
