package cache

import "fmt"

// verify checks what always holds in a DeltaFIFO.
func (f *DeltaFIFO) verify() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.items.Len() != f.queue.Len() {
		return fmt.Errorf("%d items, %d in the queue", f.items.Len(), f.queue.Len())
	}
	count := 0
	for _, p := range f.queue.All() {
		if f.items.Get(p.key) != p {
			return fmt.Errorf("%q is in the queue and not in items", p.key)
		}
		if len(p.deltas) == 0 {
			return fmt.Errorf("%q has no deltas", p.key)
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
