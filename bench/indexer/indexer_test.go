package indexer

import (
	"strings"
	"testing"

	"vedette.dev/bench/internal/benchtest"
)

// Every workload runs here in a small size on each side.
func TestWorkloadsDoTheirWork(t *testing.T) {
	benchtest.Workloads(t, Workloads(), benchtest.Options{})
}

// The check must notice a store that does not keep its word.
func TestCheckNoticesAnObjectThatIsNotThere(t *testing.T) {
	o := newObjects(20)
	for side := range peers {
		s, err := filled(side, o)
		if err != nil {
			t.Fatal(err)
		}
		state := make([]uint8, 20)
		if err := o.check(s, state); err != nil {
			t.Error(err)
		}
		state[7] = 1
		if err := o.check(s, state); err == nil || !strings.Contains(err.Error(), "not what was stored last") {
			t.Errorf("an old state: %v", err)
		}
	}
}
