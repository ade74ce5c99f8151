package watch

import (
	"os"
	"testing"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods/podserver"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == podserver.Command {
		if err := podserver.Serve(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	// With the race detector a process lingers for a second when it ends, so that others may report.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// Every workload runs here in a small size on each of its sides. Those that share a baseline have it run once.
func TestWorkloadsDoTheirWork(t *testing.T) {
	done := map[string]bool{}
	for _, w := range Workloads() {
		for _, side := range w.EachSide() {
			if side == harness.ClientGo && w.Together != "" && done[w.Together] {
				continue
			}
			done[w.Together] = true
			t.Run(w.Name+"/"+side, func(t *testing.T) {
				sample, err := harness.Measure(w, harness.Config{Side: side, Scale: 0.002}, harness.Profiles{})
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
