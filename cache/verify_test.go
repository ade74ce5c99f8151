package cache

import (
	"fmt"
	"slices"
)

// verify checks what always holds in a table that nobody is writing to.
func (t *table) verify() error {
	t.mu.rlock()
	defer t.mu.RUnlock()
	set := t.indexers.Load()
	if len(t.contents.indexes) != len(set.funcs) || t.ready != len(set.funcs) {
		return fmt.Errorf("%d indexes, %d of them ready, for %d functions", len(t.contents.indexes), t.ready, len(set.funcs))
	}
	if err := t.rows.verify(); err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	if t.rows.n != t.keys.n || t.reading.Load() != t.keys {
		return fmt.Errorf("%d rows for %d keys, or readers see others", t.rows.n, t.keys.n)
	}
	if err := t.keys.verify(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	filings := 0
	var wrong error
	t.keys.all(func(e *entry) {
		if err := t.verifyEntry(row{obj: e.obj.read().object(), e: e}); err != nil {
			wrong = fmt.Errorf("entry %q: %w", e.key, err)
		}
		filings += len(e.filed)
	})
	if wrong != nil {
		return wrong
	}
	for number, x := range t.contents.indexes {
		for value, p := range x.postings.m {
			if p.slots.n == 0 || p.value != value {
				return fmt.Errorf("index %d has a posting of %d for %q under %q", number, p.slots.n, p.value, value)
			}
			if err := p.slots.verify(); err != nil {
				return fmt.Errorf("posting %q: %w", value, err)
			}
			filings -= p.slots.n
		}
	}
	if filings != 0 {
		return fmt.Errorf("%d more filings than places in postings", filings)
	}
	return nil
}

// verify checks that each entry is found, and that there is room.
func (k *keyTable) verify() error {
	n, slots := 0, *k.slots.Load()
	for i := range slots {
		e := slots[i].e.Load()
		if e == nil {
			continue
		}
		if n++; k.find(e.key) != e {
			return fmt.Errorf("%q is not found", e.key)
		}
	}
	if n != k.n || n > len(slots)*fullest/fullestOf {
		return fmt.Errorf("%d entries in %d slots, and %d noted", n, len(slots), k.n)
	}
	return nil
}

func (t *table) verifyEntry(stored row) error {
	e := stored.e
	if t.rows.at(e.slot) != stored {
		return fmt.Errorf("row %d is not its own", e.slot)
	}
	if e.indexed != uint32(len(t.contents.indexes)) {
		return fmt.Errorf("filed in %d indexes", e.indexed)
	}
	if !slices.IsSortedFunc(e.filed, func(a, b filing) int {
		if a.before(b.index, b.posting.value) {
			return -1
		}
		return 1
	}) {
		return fmt.Errorf("filings are not sorted, or twice the same")
	}
	for _, f := range e.filed {
		if t.contents.indexes[f.index].postings.m[f.posting.value] != f.posting {
			return fmt.Errorf("filed in a posting for %q that index %d does not have", f.posting.value, f.index)
		}
		if f.posting.slots.at(f.at) != e.slot {
			return fmt.Errorf("place %d of %q is not its own", f.at, f.posting.value)
		}
	}
	return nil
}

func (c *column[E]) verify() error {
	n := 0
	for i, k := range c.spine {
		if i < len(c.spine)-1 && len(k.rows) != chunkRows || len(k.rows) == 0 || len(k.rows) > chunkRows {
			return fmt.Errorf("chunk %d of %d has %d rows", i, len(c.spine), len(k.rows))
		}
		n += len(k.rows)
	}
	if n != c.n {
		return fmt.Errorf("%d rows, but n is %d", n, c.n)
	}
	return nil
}

// verify checks what always holds in a DeltaFIFO.
func (f *DeltaFIFO) verify() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.items.m) != f.queue.len() {
		return fmt.Errorf("%d items, %d in the queue", len(f.items.m), f.queue.len())
	}
	count := 0
	for _, p := range f.queue.all() {
		if f.items.m[p.key] != p {
			return fmt.Errorf("%q is in the queue and not in items", p.key)
		}
		if len(p.deltas) == 0 || p.stamps != nil && len(p.stamps) != len(p.deltas) {
			return fmt.Errorf("%q has %d deltas and %d stamps", p.key, len(p.deltas), len(p.stamps))
		}
		count += len(p.deltas)
	}
	if count != f.count {
		return fmt.Errorf("%d deltas, but count is %d", count, f.count)
	}
	return f.gate.verify()
}

func (g *gate) verify() error {
	if closed := IsDone(g); closed != g.isSynced() || g.initial < 0 || g.initial > 0 && !g.populated {
		return fmt.Errorf("populated %v, %d left of the first list, synced %v", g.populated, g.initial, closed)
	}
	return nil
}

// verify checks what always holds in a Heap.
func (h *Heap) verify() error {
	d := h.data
	if len(d.items) != len(d.order) {
		return fmt.Errorf("%d items, %d in order", len(d.items), len(d.order))
	}
	for i, item := range d.order {
		if item.at != i || d.items[item.key] != item {
			return fmt.Errorf("item %q is not at %d", item.key, i)
		}
		if i > 0 && d.Less(i, (i-1)/2) {
			return fmt.Errorf("item %q comes before its parent", item.key)
		}
	}
	return nil
}
