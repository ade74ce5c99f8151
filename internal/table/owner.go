package table

// GetOwned returns the object of a key and its owner, in a table with an OwnerIndex.
func (t *Table) GetOwned(key string) (obj any, owner string, ok bool) {
	t.mu.rlock()
	defer t.mu.RUnlock()
	e := t.keys.find(key)
	if e == nil {
		return nil, "", false
	}
	return e.obj.load().value(), e.owner(), true
}

// Owner returns the owner of a key, in a table with an OwnerIndex.
func (t *Table) Owner(key string) (string, bool) {
	_, owner, ok := t.GetOwned(key)
	return owner, ok
}

// CountOwned returns the number of keys of an owner, in a table with an OwnerIndex.
func (t *Table) CountOwned(owner string) int {
	t.mu.rlock()
	defer t.mu.RUnlock()
	if p := t.contents.indexes[0].postings[owner]; p != nil {
		return p.slots.n
	}
	return 0
}

// indexOwners makes the owners of the objects that are put their values in index number 0.
func indexOwners(steps []Step) {
	owners := make([]string, len(steps))
	for i := range steps {
		if s := &steps[i]; s.Op == Put {
			owners[i] = s.Owner
			s.Values[0] = owners[i : i+1 : i+1]
		}
	}
}
