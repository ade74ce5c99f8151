package cache

// contents are the objects of a table with their indexes. They have no lock: the table they belong to has it.
type contents struct {
	keys *keyTable
	// Invariant: the rows are those of the entries in keys; slots run from 0 without a gap.
	rows column[row]
	// Invariant: one for each function of the table's indexSet, in its order.
	indexes []*index
	share   *sharing
	writes  *writing // nil while nobody reads
}

// newContents returns empty contents that nobody reads yet.
func newContents(indexes, room int) *contents {
	c := &contents{keys: newKeyTable(room), share: &sharing{alone: true}}
	for range indexes {
		c.addIndex()
	}
	return c
}

func (c *contents) addIndex() *index {
	x := &index{postings: newLookup[*posting](0)}
	c.indexes = append(c.indexes, x)
	return x
}

// put stores an object with its values in each index.
func (c *contents) put(key string, obj any, values [][]string) {
	e := c.keys.find(key)
	if e == nil {
		c.insert(key, obj, values)
		return
	}
	e.indexed = uint32(len(values))
	c.writes.begin()
	e.obj.set(obj)
	c.writes.end()
	c.rows.set(e.slot, row{obj: obj, e: e}, c.share)
	if !e.filedUnder(values) {
		c.refile(e, values)
	}
}

func (c *contents) insert(key string, obj any, values [][]string) {
	n := 0
	for _, v := range values {
		n += len(v)
	}
	e := newEntry(key, n)
	e.slot, e.indexed = uint32(c.rows.n), uint32(len(values))
	e.obj.set(obj)
	c.rows.push(row{obj: obj, e: e}, c.share)
	c.writes.begin()
	c.keys.add(e)
	c.writes.end()
	c.file(e, 0, values)
}

// file adds an entry to the indexes from the given one on.
func (c *contents) file(e *entry, from int, values [][]string) {
	for i, list := range values {
		number := from + i
		for _, value := range list {
			e.filed = append(e.filed, c.indexes[number].add(uint32(number), value, e.slot, c.share))
		}
	}
}

// remove takes an entry out, if it is there.
func (c *contents) remove(key string) {
	e := c.keys.find(key)
	if e == nil {
		return
	}
	for _, f := range e.filed {
		c.unfile(f)
	}
	e.filed = nil
	if moved, ok := c.rows.swapRemove(e.slot, c.share); ok {
		moved.e.slot = e.slot
		for _, f := range moved.e.filed {
			f.posting.slots.set(f.at, e.slot, c.share)
		}
	}
	c.writes.begin()
	c.keys.remove(e)
	c.writes.end()
}

// filedUnder tells whether an entry is filed under exactly these values, which is so for most updates.
func (e *entry) filedUnder(values [][]string) bool {
	at := 0
	for number, list := range values {
		for _, value := range list {
			if at == len(e.filed) {
				return false
			}
			if f := &e.filed[at]; f.index != uint32(number) || f.posting.value != value {
				return false
			}
			at++
		}
	}
	return at == len(e.filed)
}

// refile moves an entry to other values. Both lists are sorted, so one walk over them finds what stays, goes and comes.
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
			filed = append(filed, c.indexes[number].add(uint32(number), value, e.slot, c.share))
		}
	}
	for _, f := range old {
		c.unfile(f)
	}
	e.filed = filed
}

// unfile takes an entry out of a posting. The entry that takes its place there is told.
func (c *contents) unfile(f filing) {
	slots := &f.posting.slots
	if moved, ok := slots.swapRemove(f.at, c.share); ok {
		c.rows.at(moved).e.in(f.posting, f.index).at = f.at
	}
	if slots.n == 0 {
		c.indexes[f.index].postings.remove(f.posting.value)
	}
}
