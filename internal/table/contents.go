package table

// contents is the objects of a table with their indexes. It has no lock of its own; the table has one.
type contents struct {
	keys *keyTable
	// Invariant: there is one row for each entry in keys; slots run from 0 without a gap.
	rows vector[Row]
	// Invariant: one for each index of the table's IndexSet, in its order.
	indexes []*index
	epochs  *epochs
	seq     *seqlock // nil while the contents have no readers
}

// newContents returns empty contents, without readers, with room for n objects.
func newContents(indexes, n int) *contents {
	c := &contents{keys: newKeyTable(n), epochs: &epochs{unviewed: true}}
	for range indexes {
		c.addIndex()
	}
	return c
}

func (c *contents) addIndex() {
	c.indexes = append(c.indexes, &index{postings: map[string]*posting{}})
}

// put stores an object with its values in each index.
func (c *contents) put(key string, obj any, values [][]string) {
	e := c.keys.find(key)
	if e == nil {
		c.insert(key, obj, values)
		return
	}
	e.indexed = uint32(len(values))
	c.seq.beginWrite()
	e.obj.store(obj)
	c.seq.endWrite()
	c.rows.set(e.slot, Row{Object: obj, entry: e}, c.epochs)
	if !e.filedUnder(values) {
		c.refile(e, values)
	}
}

// insert adds an entry for a key that is not in the table.
func (c *contents) insert(key string, obj any, values [][]string) {
	n := 0
	for _, v := range values {
		n += len(v)
	}
	e := newEntry(key, n)
	e.slot, e.indexed = uint32(c.rows.n), uint32(len(values))
	e.obj.store(obj)
	c.rows.push(Row{Object: obj, entry: e}, c.epochs)
	c.seq.beginWrite()
	c.keys.add(e)
	c.seq.endWrite()
	c.file(e, 0, values)
}

// file adds an entry to the indexes, where values[0] belongs to index number from.
func (c *contents) file(e *entry, from int, values [][]string) {
	for i, list := range values {
		number := from + i
		for _, value := range list {
			e.filed = append(e.filed, c.indexes[number].add(uint32(number), value, e.slot, c.epochs))
		}
	}
}

// remove removes the entry of a key, if there is one.
func (c *contents) remove(key string) {
	e := c.keys.find(key)
	if e == nil {
		return
	}
	for _, f := range e.filed {
		c.unfile(f)
	}
	e.filed = nil
	if moved, ok := c.rows.swapRemove(e.slot, c.epochs); ok {
		moved.entry.slot = e.slot
		for _, f := range moved.entry.filed {
			f.posting.slots.set(f.at, e.slot, c.epochs)
		}
	}
	c.seq.beginWrite()
	c.keys.remove(e)
	c.seq.endWrite()
}

// refile files an entry under other values. Both lists are sorted, so that one pass finds what stays, goes and comes.
func (c *contents) refile(e *entry, values [][]string) {
	old := e.filed
	filed := make([]filing, 0, max(len(old), len(values)))
	for number, list := range values {
		for _, value := range list {
			for len(old) > 0 && old[0].before(uint32(number), value) {
				c.unfile(old[0])
				old = old[1:]
			}
			if len(old) > 0 && old[0].index == uint32(number) && old[0].posting.value == value {
				filed = append(filed, old[0])
				old = old[1:]
				continue
			}
			filed = append(filed, c.indexes[number].add(uint32(number), value, e.slot, c.epochs))
		}
	}
	for _, f := range old {
		c.unfile(f)
	}
	e.filed = filed
}

// unfile removes an entry from a posting, and updates the filing of the entry that takes its place there.
func (c *contents) unfile(f filing) {
	slots := &f.posting.slots
	if moved, ok := slots.swapRemove(f.at, c.epochs); ok {
		c.rows.at(moved).entry.in(f.posting, f.index).at = f.at
	}
	if slots.n == 0 {
		c.indexes[f.index].remove(f.posting.value)
	}
}

// move changes the owner of an entry, which is its one value in index number 0.
func (c *contents) move(key, owner string) {
	e := c.keys.find(key)
	if e == nil || e.owner() == owner {
		return
	}
	c.unfile(e.filed[0])
	e.filed[0] = c.indexes[0].add(0, owner, e.slot, c.epochs)
}

// owner returns the owner of an entry in a table with an OwnerIndex.
func (e *entry) owner() string { return e.filed[0].posting.value }
