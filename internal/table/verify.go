package table

import (
	"errors"
	"fmt"
	"slices"
)

// Verify checks the structural invariants of a table that is not written to meanwhile, and returns the first violation. It
// is meant for tests.
func (t *Table) Verify() error {
	t.mu.rlock()
	defer t.mu.RUnlock()
	indexes := t.contents.indexes
	if n := t.set.Load().Len(); len(indexes) != n || t.ready != n {
		return fmt.Errorf("%d indexes, %d of them ready, for %d functions", len(indexes), t.ready, n)
	}
	if err := t.rows.verify(); err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	if t.rows.n != t.keys.n {
		return fmt.Errorf("%d rows for %d keys", t.rows.n, t.keys.n)
	}
	if t.lookup.Load() != t.keys {
		return errors.New("Get reads another key table than writers")
	}
	if err := t.keys.verify(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	filings := 0
	var wrong error
	t.keys.each(func(e *entry) {
		if err := t.verifyEntry(e); err != nil {
			wrong = fmt.Errorf("entry %q: %w", e.key, err)
		}
		filings += len(e.filed)
	})
	if wrong != nil {
		return wrong
	}
	for number, x := range indexes {
		for value, p := range x.postings {
			if p.slots.n == 0 || p.value != value {
				return fmt.Errorf("index %d: posting of %q with %d slots under value %q", number, p.value, p.slots.n, value)
			}
			if err := p.slots.verify(); err != nil {
				return fmt.Errorf("posting %q: %w", value, err)
			}
			filings -= p.slots.n
		}
	}
	if filings != 0 {
		return fmt.Errorf("%d more filings than slots in postings", filings)
	}
	return nil
}

func (t *Table) verifyEntry(e *entry) error {
	if t.rows.at(e.slot) != (Row{Object: e.obj.load().value(), entry: e}) {
		return fmt.Errorf("row %d belongs to another entry or has another object", e.slot)
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
		return errors.New("filings are not sorted, or contain duplicates")
	}
	if t.set.Load().owned && (len(e.filed) == 0 || e.filed[0].index != 0 || len(e.filed) > 1 && e.filed[1].index == 0) {
		return errors.New("not exactly one owner")
	}
	for _, f := range e.filed {
		if t.contents.indexes[f.index].postings[f.posting.value] != f.posting {
			return fmt.Errorf("filed in a posting of %q that index %d does not have", f.posting.value, f.index)
		}
		if f.posting.slots.at(f.at) != e.slot {
			return fmt.Errorf("slot %d of posting %q belongs to another entry", f.at, f.posting.value)
		}
	}
	return nil
}

// verify checks that each entry is found, and that the slots are not too full.
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
	if n != k.n || n > len(slots)*maxLoad/maxLoadOf {
		return fmt.Errorf("%d entries in %d slots, and n is %d", n, len(slots), k.n)
	}
	return nil
}

func (v *vector[E]) verify() error {
	n := 0
	for i, c := range v.chunks {
		if i < len(v.chunks)-1 && len(c.elems) != chunkLen || len(c.elems) == 0 || len(c.elems) > chunkLen {
			return fmt.Errorf("chunk %d of %d has %d elements", i, len(v.chunks), len(c.elems))
		}
		n += len(c.elems)
	}
	if n != v.n {
		return fmt.Errorf("%d elements, but n is %d", n, v.n)
	}
	return nil
}
