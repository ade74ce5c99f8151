package metrics

import (
	"testing"
	"time"

	"vedette.dev/controller"
)

func TestReconcile(t *testing.T) {
	m, registry := mustNew(t)
	c := m.Reconcile().NewControllerMetrics("x", 3)
	all := []controller.Outcome{
		controller.OutcomeSuccess, controller.OutcomeRequeueAfter, controller.OutcomeError,
		controller.OutcomeTerminal, controller.OutcomePanic, controller.OutcomeTimeout,
	}
	for _, outcome := range all {
		c.Began()
		c.Ended(outcome, time.Second)
	}
	c.Began()
	got, labels := gather(t, registry), `controller="x"`
	got.expect(t, "controller_runtime_reconcile_total", map[string]float64{
		`controller="x",result="success"`: 1, `controller="x",result="requeue_after"`: 1,
		`controller="x",result="requeue"`: 0, `controller="x",result="error"`: 4,
	})
	for family, v := range map[string]float64{
		"controller_runtime_reconcile_errors_total":          4,
		"controller_runtime_terminal_reconcile_errors_total": 1,
		"controller_runtime_reconcile_panics_total":          1,
		"controller_runtime_reconcile_timeouts_total":        1,
		"controller_runtime_reconcile_time_seconds":          6,
		"controller_runtime_max_concurrent_reconciles":       3,
		"controller_runtime_active_workers":                  1,
	} {
		got.expect(t, family, map[string]float64{labels: v})
	}
	c.Close()
	c.Close()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("after the controller has stopped there are %v", got)
	}
}

// A worker that was left behind ends later than its controller, and must not count against another of the same name.
func TestControllersOfOneName(t *testing.T) {
	m, registry := mustNew(t)
	first, second := m.Reconcile().NewControllerMetrics("x", 1), m.Reconcile().NewControllerMetrics("x", 2)
	first.Began()
	second.Began()
	labels := `controller="x"`
	gather(t, registry).expect(t, "controller_runtime_active_workers", map[string]float64{labels: 2})
	first.Close()
	first.Ended(controller.OutcomeError, time.Second)
	gather(t, registry).expect(t, "controller_runtime_active_workers", map[string]float64{labels: 1})
	gather(t, registry).expect(t, "controller_runtime_max_concurrent_reconciles", map[string]float64{labels: 2})
	second.Close()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}
