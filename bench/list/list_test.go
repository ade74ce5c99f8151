package list

import (
	"strings"
	"testing"

	"vedette.dev/bench/internal/benchtest"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) { benchtest.Main(m, podserver.Command, podserver.Serve) }

// Every workload runs here in a small size on each side. Each of them checks its sums, so both have seen the same.
func TestWorkloadsDoTheirWork(t *testing.T) {
	benchtest.Workloads(t, Workloads(), benchtest.Options{})
}

func TestExpectedIsWhatThePodsHave(t *testing.T) {
	const count = 50
	var full, metaOnly sums
	for i := range count {
		pod := pods.New(i)
		full.addPod(pod)
		metaOnly.addMeta(pod.Name, pod.UID, pod.Labels)
	}
	if got := expected(count, false); got != full {
		t.Errorf("expected %+v, the pods have %+v", got, full)
	}
	if got := expected(count, true); got != metaOnly {
		t.Errorf("of metadata expected %+v, the pods have %+v", got, metaOnly)
	}
}

// TestTrialNoticesAMissingPod: otherwise the check above would check nothing.
func TestTrialNoticesAMissingPod(t *testing.T) {
	trial := &trial{}
	err := trial.check(expected(9, false), 10)
	if err == nil || !strings.Contains(err.Error(), "of 10 pods: seen {Pods:9") {
		t.Errorf("error %v, want one that tells what was seen", err)
	}
}

func TestUnknownSide(t *testing.T) {
	if _, err := connect("nobody", "http://127.0.0.1:1", pods.JSON); err == nil {
		t.Error("no error for a side that does not exist")
	}
}
