package workqueue

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"vedette.dev/workqueue/internal/slotmap"
)

// fairAudit walks a fairReady from its tenants down to its keys and counts what it finds.
type fairAudit[T comparable] struct {
	line   *fairReady[T]
	keys   *keyTable[T]
	n      int // keys that wait
	flows  int
	faults []error
}

func (a *fairAudit[T]) complain(format string, args ...any) {
	a.faults = append(a.faults, fmt.Errorf("fair line: "+format, args...))
}

// verify checks the links, counts and ranks of the line against the key table.
func (l *fairReady[T]) verify(keys *keyTable[T]) error {
	a := &fairAudit[T]{line: l, keys: keys}
	held := map[uint32]int{}
	for _, slot := range keys.busy {
		held[keys.At(slot).Val.tenant]++
	}
	l.tenants.Range(0, math.MaxUint32, func(id uint32, e *slotmap.Entry[string, tenant]) {
		if e.Val.held != held[id] {
			a.complain("tenant %q holds %d keys, but %d are processing", e.Key, e.Val.held, held[id])
		}
		if e.Val.held == 0 && e.Val.flows == 0 {
			a.complain("tenant %q has nothing and is still there", e.Key)
		}
		for f := e.Val.flows; f != 0; f = l.flows.at(f - 1).sibling {
			a.flow(id, f-1)
		}
	})
	a.classes()
	if a.n != l.n || l.held != len(keys.busy) {
		a.complain("n %d, held %d; want %d, %d", l.n, l.held, a.n, len(keys.busy))
	}
	return errors.Join(a.faults...)
}

// flow walks the keys of one tenant in one class.
func (a *fairAudit[T]) flow(owner, id uint32) {
	a.flows++
	l, f := a.line, a.line.flows.at(id)
	c := l.classes.at(f.class)
	if f.tenant != owner || f.keys.empty() {
		a.complain("flow %d of tenant %d names tenant %d, or is empty", id, owner, f.tenant)
	}
	for _, slot := range a.walk(f.keys, l.keyLinks) {
		a.n++
		k := a.keys.At(slot).Val
		if !k.dirty || k.processing {
			a.complain("slot %d is in flow %d, but does not wait: %+v", slot, id, k)
		}
		if k.place != id || k.tenant != owner || k.priority != c.priority {
			a.complain("slot %d is in flow %d of priority %d: %+v", slot, id, c.priority, k)
		}
	}
}

// walk follows a chain to its end and checks the way back.
func (a *fairAudit[T]) walk(c chain, links []link) (members []uint32) {
	prev := uint32(0)
	for s := c.head; s != 0 && len(members) <= len(links); s = links[s-1].next {
		if links[s-1].prev != prev {
			a.complain("%d is behind %d, but says behind %d", s-1, prev, links[s-1].prev)
		}
		members, prev = append(members, s-1), s
	}
	if c.tail != prev {
		a.complain("a chain ends with %d, but its tail is %d", prev, c.tail)
	}
	return members
}

// classes checks that the classes are sorted, ranked and not empty, and that their flows are those of the tenants.
func (a *fairAudit[T]) classes() {
	l, flows := a.line, 0
	for i, id := range l.order {
		c := l.classes.at(id)
		turns, over := a.walk(c.turns, l.flowLinks), a.walk(c.over, l.flowLinks)
		for _, f := range append(turns, over...) {
			flows++
			if got := l.flows.at(f); got.class != id || got.over != slices.Contains(over, f) {
				a.complain("flow %d is in class %d: %+v", f, id, got)
			}
		}
		if i > 0 && l.classes.at(l.order[i-1]).priority >= c.priority {
			a.complain("class %d is out of order", id)
		}
		if _, ok := l.waits.Rank(id); !ok || len(turns)+len(over) == 0 {
			a.complain("class %d has no rank or no flows", id)
		}
	}
	if l.waits.Len() != len(l.order) || flows != a.flows {
		a.complain("%d ranks of %d classes, %d flows in classes, %d in tenants", l.waits.Len(), len(l.order), flows, a.flows)
	}
	if n := len(l.flows.elems) - len(l.flows.free); n != a.flows {
		a.complain("%d flows in use, want %d", n, a.flows)
	}
	if n := len(l.classes.elems) - len(l.classes.free); n != len(l.order) {
		a.complain("%d classes in use, want %d", n, len(l.order))
	}
}
