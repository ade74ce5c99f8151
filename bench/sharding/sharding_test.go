package sharding

import (
	"strings"
	"testing"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/benchtest"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) { benchtest.Main(m, Command, Serve) }

// Every workload runs here in a small size on each of its sides.
func TestWorkloadsDoTheirWork(t *testing.T) {
	// Most of the time is the start of servers, and noise.
	benchtest.Workloads(t, Workloads(), benchtest.Options{Parallel: true, Leave: func(w harness.Workload, side string) bool {
		return side == harness.Vedette && strings.Contains(w.Name, "-vs-plain") // done by the workload of the same name without it
	}})
}
