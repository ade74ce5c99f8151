package sharding

import (
	"os"
	"strings"
	"testing"

	"vedette.dev/bench/harness"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		if err := Serve(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	// With the race detector a process lingers for a second when it ends, so that others may report.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// Every workload runs here in a small size on each of its sides.
func TestWorkloadsDoTheirWork(t *testing.T) {
	for _, w := range Workloads() {
		for _, side := range w.EachSide() {
			if side == harness.Vedette && strings.Contains(w.Name, "-vs-plain") {
				continue // that is done by the workload of the same name without it
			}
			t.Run(w.Name+"/"+side, func(t *testing.T) {
				t.Parallel() // most of the time is that of servers that start, and of noise
				sample, err := harness.Measure(w, harness.Config{Side: side, Scale: 0.001}, harness.Profiles{})
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
