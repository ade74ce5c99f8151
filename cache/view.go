package cache

import (
	"iter"
	"slices"
	"sync"
)

// opener makes what a reader is given of what is stored. A nil one gives it as it is.
type opener func(stored any) (any, error)

// of is what a reader is given.
func (o opener) of(stored any) (any, error) {
	if o == nil {
		return stored, nil
	}
	return o(stored)
}

// view is some or all rows of a table as they were at one moment. It is read without a lock, and must be released.
type view struct {
	rows  []chunk[row]
	n     int             // how many rows are in the view
	slots []chunk[uint32] // which; if some is false, all
	some  bool
	share *sharing
	open  opener
	turn  *sync.Mutex // to be unlocked with it; nil if there is none
}

func (v *view) release() {
	v.share.leave()
	if v.turn != nil {
		v.turn.Unlock()
	}
}

// all is a view of the whole table.
func (t *table) all() view {
	t.mu.rlock()
	defer t.mu.RUnlock()
	t.sharing.enter()
	return view{rows: t.rows.spine, n: t.rows.n, share: &t.sharing}
}

// byIndex is a view of the rows that an index has under a value.
func (t *table) byIndex(name, value string) (view, error) {
	set := t.indexers.Load()
	number, ok := set.numbers[name]
	t.mu.rlock()
	defer t.mu.RUnlock()
	if !ok || number >= t.ready {
		return view{}, errNoIndex(name)
	}
	v := view{rows: t.rows.spine, some: true, share: &t.sharing}
	if p := t.contents.indexes[number].postings.m[value]; p != nil {
		v.slots, v.n = p.slots.spine, p.slots.n
	}
	t.sharing.enter()
	return v, nil
}

// byValues is the rows under any of several values, each once.
func (t *table) byValues(name string, values []string) ([]row, error) {
	if len(values) == 1 {
		v, err := t.byIndex(name, values[0])
		if err != nil {
			return nil, err
		}
		defer v.release()
		return slices.AppendSeq(make([]row, 0, v.n), v.each()), nil
	}
	set := t.indexers.Load()
	number, ok := set.numbers[name]
	t.mu.rlock()
	defer t.mu.RUnlock()
	if !ok || number >= t.ready {
		return nil, errNoIndex(name)
	}
	seen := map[*entry]struct{}{}
	rows := []row{}
	for _, value := range values {
		p := t.contents.indexes[number].postings.m[value]
		if p == nil {
			continue
		}
		for _, c := range p.slots.spine {
			for _, slot := range c.rows {
				r := t.rows.at(slot)
				if _, dup := seen[r.e]; !dup {
					seen[r.e] = struct{}{}
					rows = append(rows, r)
				}
			}
		}
	}
	return rows, nil
}

// values are those under which an index has something.
func (t *table) values(name string) []string {
	set := t.indexers.Load()
	number, ok := set.numbers[name]
	t.mu.rlock()
	defer t.mu.RUnlock()
	if !ok || number >= t.ready {
		return []string{}
	}
	m := t.contents.indexes[number].postings.m
	out := make([]string, 0, len(m))
	for value := range m {
		out = append(out, value)
	}
	return out
}

// each visits the rows of the view.
func (v *view) each() iter.Seq[row] {
	return func(yield func(row) bool) {
		if !v.some {
			for _, c := range v.rows {
				for _, r := range c.rows {
					if !yield(r) {
						return
					}
				}
			}
			return
		}
		for _, c := range v.slots {
			for _, slot := range c.rows {
				if !yield(v.rows[slot/chunkRows].rows[slot%chunkRows]) {
					return
				}
			}
		}
	}
}

// objects copies the objects of the view into a slice of the caller's own.
func (v *view) objects() []any {
	if v.open != nil {
		return v.opened()
	}
	out := make([]any, v.n)
	at := 0
	if v.some {
		for _, c := range v.slots {
			for _, slot := range c.rows {
				out[at] = v.rows[slot/chunkRows].rows[slot%chunkRows].obj
				at++
			}
		}
		return out
	}
	for _, c := range v.rows {
		to := out[at : at+len(c.rows)]
		for i := range c.rows {
			to[i] = c.rows[i].obj
		}
		at += len(c.rows)
	}
	return out
}

// opened is objects where readers are given something else than is stored.
func (v *view) opened() []any {
	out := make([]any, 0, v.n)
	for r := range v.each() {
		if obj, err := v.open(r.obj); err == nil {
			out = append(out, obj)
		}
	}
	return out
}

// keys copies the keys of the view.
func (v *view) keys() []string {
	out := make([]string, 0, v.n)
	for r := range v.each() {
		out = append(out, r.e.key)
	}
	return out
}
