package ownwrites

import "fmt"

// check is what always holds of a tracker.
func (t *Tracker) check() error {
	n := 0
	for e := range t.overlay.snapshot().all() {
		n++
		if e.obj == nil && e.version == 0 && len(e.dead) == 0 || len(e.dead) > 2*maxDead || e.number == 0 {
			return fmt.Errorf("an entry that says nothing: %+v", e)
		}
	}
	if count := t.overlay.count.Load(); count != int64(n) {
		return fmt.Errorf("%d entries are counted as %d", n, count)
	}
	if t.memory.order.Len() != len(t.memory.m) || t.memory.order.Len() > t.memory.limit {
		return fmt.Errorf("%d objects are remembered as %d", t.memory.order.Len(), len(t.memory.m))
	}
	if len(t.flights.m) != 0 {
		return fmt.Errorf("%d writes are under way", len(t.flights.m))
	}
	return nil
}
