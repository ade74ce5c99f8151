package memory

import (
	"testing"

	"vedette.dev/bench/internal/benchtest"
	"vedette.dev/bench/pods/podserver"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) { benchtest.Main(m, podserver.Command, podserver.Serve) }

// Every workload runs here in a small size on each of its sides. Those that share a baseline have it run once.
func TestWorkloadsDoTheirWork(t *testing.T) {
	benchtest.Workloads(t, Workloads(), benchtest.Options{Scale: 0.002, Leave: benchtest.Once()})
}
