package cache

import (
	"errors"
	"fmt"
)

// addIndexers adds indexes, also when there are objects already. If a name is taken, nothing is added. Any other error
// names objects for which a function failed: the index is there, without them.
//
// From the first step on writers file what they write in the new indexes too; what was there before is filed in small
// steps, each under a lock of its own, while readers do not know of the new indexes yet.
func (t *table) addIndexers(more Indexers) error {
	t.adding.Lock()
	defer t.adding.Unlock()
	from := t.ready
	set, err := t.indexers.Load().with(more)
	if err != nil {
		return err
	}
	v := t.announce(set)
	defer v.release()
	var failed failures
	for _, c := range v.rows {
		t.backfill(set, from, c.rows, &failed)
	}
	t.mu.lock()
	t.ready = len(set.funcs)
	t.mu.Unlock()
	return failed.err()
}

// announce lets writers know of new indexes, and returns the rows that they did not file in them.
func (t *table) announce(set *indexSet) view {
	if t.announcing != nil {
		t.announcing.Lock()
		defer t.announcing.Unlock()
	}
	t.mu.lock()
	defer t.mu.Unlock()
	for range len(set.funcs) - len(t.contents.indexes) {
		t.addIndex()
	}
	t.indexers.Store(set)
	t.sharing.enter()
	return view{rows: t.rows.spine, n: t.rows.n, share: &t.sharing}
}

// backfill files rows in the indexes from the given one on.
func (t *table) backfill(set *indexSet, from int, rows []row, failed *failures) {
	width := len(set.funcs) - from
	values := make([][]string, 0, len(rows)*width)
	errs := make([]error, len(rows))
	for i, r := range rows {
		values, errs[i] = set.values(r.e.key, r.obj, from, values)
	}
	t.mu.lock()
	defer t.mu.Unlock()
	t.sharing.begin()
	for i, r := range rows {
		if r.e.indexed > uint32(from) || t.keys.find(r.e.key) != r.e {
			continue // written or removed meanwhile
		}
		t.file(r.e, from, values[i*width:(i+1)*width])
		r.e.indexed = uint32(len(set.funcs))
		failed.note(errs[i])
	}
}

// failures keeps the first few errors of many and counts the others.
type failures struct {
	first []error
	more  int
}

const failuresShown = 10

func (f *failures) note(err error) {
	switch {
	case err == nil:
	case len(f.first) < failuresShown:
		f.first = append(f.first, err)
	default:
		f.more++
	}
}

func (f *failures) err() error {
	if f.more > 0 {
		return errors.Join(append(f.first, fmt.Errorf("and %d objects more", f.more))...)
	}
	if len(f.first) == 1 {
		return f.first[0]
	}
	return errors.Join(f.first...)
}
