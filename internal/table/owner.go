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

// ownerAfterPut returns the owner of a key after a Put that names owner. It is called under the lock.
func (c *contents) ownerAfterPut(key, owner string) string {
	if owner == "" {
		if e := c.keys.find(key); e != nil {
			return e.owner()
		}
	}
	return owner
}
