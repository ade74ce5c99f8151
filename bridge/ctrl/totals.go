package ctrl

import (
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// totals are what controller-runtime counts of a controller.
type totals struct {
	workers                      int
	reconciles, failures, panics uint64
}

// readTotals returns the totals of all controllers of the process, by name. It gathers all metrics of controller-runtime's registry, which
// has no way to ask for some of them.
func readTotals() map[string]totals {
	families, _ := metrics.Registry.Gather() // an error of one collector leaves the others
	all := map[string]totals{}
	for _, family := range families {
		var set func(t *totals, value float64)
		switch family.GetName() {
		case "controller_runtime_max_concurrent_reconciles":
			set = func(t *totals, value float64) { t.workers = int(value) }
		case "controller_runtime_reconcile_total": // a series for each result
			set = func(t *totals, value float64) { t.reconciles += uint64(value) }
		case "controller_runtime_reconcile_errors_total":
			set = func(t *totals, value float64) { t.failures = uint64(value) }
		case "controller_runtime_reconcile_panics_total":
			set = func(t *totals, value float64) { t.panics = uint64(value) }
		default:
			continue
		}
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "controller" {
					t := all[label.GetValue()]
					set(&t, m.GetCounter().GetValue()+m.GetGauge().GetValue())
					all[label.GetValue()] = t
				}
			}
		}
	}
	return all
}
