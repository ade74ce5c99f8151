package table

import (
	"iter"
	"slices"
	"sync"
)

// Row is an object of a view with its key.
type Row struct {
	Object any
	entry  *entry
}

// Key returns the key of the object.
func (r Row) Key() string { return r.entry.key }

// View is some or all rows of a table at one moment. It is read without a lock, by one goroutine at a time, and must be
// released.
type View struct {
	rows     []chunk[Row]
	n        int             // the number of rows in the view
	slots    []chunk[uint32] // their slots; all rows if selected is false
	selected bool
	epochs   *epochs
	copySlot *sync.Mutex // of the semaphore; nil without one
}

// Release ends the use of the view.
func (v *View) Release() {
	v.epochs.leave()
	if v.copySlot != nil {
		v.copySlot.Unlock()
	}
}

// Len returns the number of rows.
func (v *View) Len() int { return v.n }

// Rows returns an iterator over the rows.
func (v *View) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		if !v.selected {
			for _, c := range v.rows {
				for _, r := range c.elems {
					if !yield(r) {
						return
					}
				}
			}
			return
		}
		for _, c := range v.slots {
			for _, slot := range c.elems {
				if !yield(v.at(slot)) {
					return
				}
			}
		}
	}
}

func (v *View) at(slot uint32) Row { return v.rows[slot/chunkLen].elems[slot%chunkLen] }

// Objects returns the objects in a new slice.
func (v *View) Objects() []any {
	out := make([]any, v.n)
	at := 0
	if v.selected {
		for _, c := range v.slots {
			for _, slot := range c.elems {
				out[at] = v.rows[slot/chunkLen].elems[slot%chunkLen].Object
				at++
			}
		}
		return out
	}
	for _, c := range v.rows {
		to := out[at : at+len(c.elems)]
		for i := range c.elems {
			to[i] = c.elems[i].Object
		}
		at += len(c.elems)
	}
	return out
}

// Keys returns the keys in a new slice.
func (v *View) Keys() []string {
	out := make([]string, 0, v.n)
	for r := range v.Rows() {
		out = append(out, r.Key())
	}
	return out
}

// Filter removes from the view the rows for whose keys keep returns false.
func (v *View) Filter(keep func(key string) bool) {
	var kept []uint32
	if v.selected {
		for _, c := range v.slots {
			for _, slot := range c.elems {
				if keep(v.at(slot).Key()) {
					kept = append(kept, slot)
				}
			}
		}
	} else {
		slot := uint32(0)
		for r := range v.Rows() {
			if keep(r.Key()) {
				kept = append(kept, slot)
			}
			slot++
		}
	}
	v.choose(kept)
}

// choose makes the rows in slots those of the view.
func (v *View) choose(slots []uint32) {
	v.slots, v.n, v.selected = []chunk[uint32]{{elems: slots}}, len(slots), true
}

// ForCopy is called before a view is copied. A long view is copied with a slot of the table's semaphore, so that no more
// long views are copied at once than there are processors. ForCopy returns v with a slot, which Release gives back. If there
// is none, it releases v, waits for a slot, and returns a new view, which it takes with again: while a view is in use,
// writers have to copy what they change.
//
// Until the view is released, the caller must not call code that may copy a long view itself.
func (v View) ForCopy(again func() (View, error)) (View, error) {
	if v.n < longView {
		return v, nil
	}
	copies := &v.epochs.copies
	if v.copySlot = copies.tryAcquire(); v.copySlot != nil {
		return v, nil
	}
	v.Release()
	slot := copies.acquire()
	v, err := again()
	if err != nil {
		slot.Unlock()
		return View{}, err
	}
	v.copySlot = slot
	return v, nil
}

// All returns a view of the whole table.
func (t *Table) All() View {
	t.mu.rlock()
	defer t.mu.RUnlock()
	return t.viewLocked()
}

// viewLocked returns a view of the whole table. It is called under the lock.
func (t *Table) viewLocked() View {
	t.epochs.enter()
	return View{rows: t.rows.chunks, n: t.rows.n, epochs: &t.epochs}
}

// ByIndex returns a view of the rows that have a value in an index. If there is no such index, the error says so.
func (t *Table) ByIndex(name, value string) (View, error) {
	number, ok := t.set.Load().numbers[name]
	t.mu.rlock()
	defer t.mu.RUnlock()
	if !ok || number >= t.ready {
		return View{}, errNoIndex(name)
	}
	v := View{rows: t.rows.chunks, selected: true, epochs: &t.epochs}
	if p := t.contents.indexes[number].postings[value]; p != nil {
		v.slots, v.n = p.slots.chunks, p.slots.n
	}
	t.epochs.enter()
	return v, nil
}

// ByKeys returns a view of the rows of those keys that are in the table.
func (t *Table) ByKeys(keys []string) View {
	slots := make([]uint32, 0, len(keys))
	t.mu.rlock()
	defer t.mu.RUnlock()
	for _, key := range keys {
		if e := t.keys.find(key); e != nil {
			slots = append(slots, e.slot)
		}
	}
	v := t.viewLocked()
	v.choose(slots)
	return v
}

// List returns all objects in a new slice.
func (t *Table) List() []any {
	v, _ := t.All().ForCopy(func() (View, error) { return t.All(), nil })
	defer v.Release()
	return v.Objects()
}

// ListByIndex returns the objects that have a value in an index in a new slice.
func (t *Table) ListByIndex(name, value string) ([]any, error) {
	v, err := t.ByIndex(name, value)
	if err == nil {
		v, err = v.ForCopy(func() (View, error) { return t.ByIndex(name, value) })
	}
	if err != nil {
		return nil, err
	}
	defer v.Release()
	return v.Objects(), nil
}

// Keys returns all keys in a new slice.
func (t *Table) Keys() []string {
	v := t.All()
	defer v.Release()
	return v.Keys()
}

// KeysByIndex returns the keys of the objects that have a value in an index, sorted.
func (t *Table) KeysByIndex(name, value string) ([]string, error) {
	v, err := t.ByIndex(name, value)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	keys := v.Keys()
	slices.Sort(keys)
	return keys, nil
}

// IndexValues returns the values that objects have in an index, in no order. It returns an empty slice if there is no such
// index.
func (t *Table) IndexValues(name string) []string {
	number, ok := t.set.Load().numbers[name]
	t.mu.rlock()
	defer t.mu.RUnlock()
	if !ok || number >= t.ready {
		return []string{}
	}
	postings := t.contents.indexes[number].postings
	out := make([]string, 0, len(postings))
	for value := range postings {
		out = append(out, value)
	}
	return out
}

// Like returns the rows that have a value in an index in common with obj, which is decoded already.
func (t *Table) Like(name string, obj any) ([]Row, error) {
	values, err := t.set.Load().compute(name, obj)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 {
		v, err := t.ByIndex(name, values[0])
		if err != nil {
			return nil, err
		}
		defer v.Release()
		return slices.AppendSeq(make([]Row, 0, v.n), v.Rows()), nil
	}
	return t.byValues(name, values)
}

// byValues returns the rows that have one of several values in an index, each once.
func (t *Table) byValues(name string, values []string) ([]Row, error) {
	number, ok := t.set.Load().numbers[name]
	t.mu.rlock()
	defer t.mu.RUnlock()
	if !ok || number >= t.ready {
		return nil, errNoIndex(name)
	}
	seen := map[*entry]struct{}{}
	rows := []Row{}
	for _, value := range values {
		p := t.contents.indexes[number].postings[value]
		if p == nil {
			continue
		}
		for _, c := range p.slots.chunks {
			for _, slot := range c.elems {
				r := t.rows.at(slot)
				if _, dup := seen[r.entry]; !dup {
					seen[r.entry] = struct{}{}
					rows = append(rows, r)
				}
			}
		}
	}
	return rows, nil
}

// Readers returns how many views are in use, and how often a reader has waited to copy one.
func (t *Table) Readers() (views, waits int) {
	return int(t.epochs.inUse()), int(t.epochs.copies.waits.Load())
}

// Views returns how many views were ever taken: by lists, by loops, and by the owner of the table.
func (t *Table) Views() uint64 { return uint64(t.epochs.views.Load() / viewTaken) }
