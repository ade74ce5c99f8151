package table

// AddIndexes adds indexes to the table. If one of the names is taken, nothing is added. Any other error names objects for
// which an index function failed: the index is added without them.
//
// First the new indexes are made known to writers, which file in them what they write from then on. Then the objects
// that the table had before are filed in small steps, each under the lock for itself. At last readers may use the indexes.
func (t *Table) AddIndexes(more []Index) error {
	t.adding.Lock()
	defer t.adding.Unlock()
	from := t.ready
	set, err := t.set.Load().with(more)
	if err != nil {
		return err
	}
	v := t.announce(set)
	defer v.Release()
	var failed Errors
	for _, c := range v.rows {
		t.backfill(set, from, c.elems, &failed)
	}
	t.mu.lock()
	t.ready = set.Len()
	t.mu.Unlock()
	return failed.Err()
}

// announce makes new indexes known to writers, and returns a view of the rows that were written before.
func (t *Table) announce(set *IndexSet) View {
	if t.indexMu != nil {
		t.indexMu.Lock()
		defer t.indexMu.Unlock()
	}
	t.mu.lock()
	defer t.mu.Unlock()
	for range set.Len() - len(t.contents.indexes) {
		t.addIndex()
	}
	t.set.Store(set)
	return t.viewLocked()
}

// backfill files rows in the indexes from number from on.
func (t *Table) backfill(set *IndexSet, from int, rows []Row, failed *Errors) {
	width := set.Len() - from
	values := make([][]string, 0, len(rows)*width)
	errs := make([]error, len(rows))
	for i, r := range rows {
		values, errs[i] = set.appendValues(values, r.Key(), r.Object, from)
	}
	t.mu.lock()
	defer t.mu.Unlock()
	t.epochs.beginWrite()
	for i, r := range rows {
		e := r.entry
		if e.indexed > uint32(from) || t.keys.find(e.key) != e {
			continue // written or removed meanwhile
		}
		t.file(e, from, values[i*width:(i+1)*width])
		e.indexed = uint32(set.Len())
		failed.Add(errs[i])
	}
}
