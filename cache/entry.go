package cache

// entry is what the table knows about one key.
type entry struct {
	key string // never changes, so that readers may look at it without the lock
	// obj is the object, beside the row, so that a Get looks at nothing else.
	obj box
	// Invariant: row slot of the table is the one of this entry.
	slot uint32
	// indexed is how many indexes the entry was filed in; it may have no value in some. Fewer than there are means that it
	// was not written since the others were added.
	indexed uint32
	// filed says where the entry is in the indexes. What was filed is remembered and not computed again from the object, so
	// that one who changes a stored object cannot leave a stale value behind.
	// Invariant: sorted by index and value, without duplicates.
	filed []filing
}

// filing is the place of an entry in a posting.
type filing struct {
	posting *posting
	at      uint32 // Invariant: posting.slots.at(at) is the slot of the entry
	index   uint32 // the number of the index
}

// row is an entry as readers see it: the object they get cannot change under them.
type row struct {
	obj any
	e   *entry
}

// newEntry makes an entry with room for a few filings in the same piece of memory.
func newEntry(key string, filings int) *entry {
	e, room := allocate(filings)
	e.key, e.filed = key, room[:0]
	return e
}

func allocate(filings int) (*entry, []filing) {
	switch filings {
	case 0:
		return new(entry), nil
	case 1:
		x := new(struct {
			entry
			room [1]filing
		})
		return &x.entry, x.room[:]
	case 2:
		x := new(struct {
			entry
			room [2]filing
		})
		return &x.entry, x.room[:]
	case 3:
		x := new(struct {
			entry
			room [3]filing
		})
		return &x.entry, x.room[:]
	default:
		return new(entry), make([]filing, filings)
	}
}

// in returns the filing in a posting, which there is.
func (e *entry) in(p *posting, index uint32) *filing {
	lo, hi := 0, len(e.filed)
	for hi-lo > 8 { // an object may be filed under thousands of values
		mid := int(uint(lo+hi) / 2)
		if f := &e.filed[mid]; f.before(index, p.value) {
			lo = mid + 1
		} else {
			hi = mid + 1
		}
	}
	for e.filed[lo].posting != p {
		lo++
	}
	return &e.filed[lo]
}

// before tells whether the filing sorts before a value of an index.
func (f *filing) before(index uint32, value string) bool {
	return f.index < index || f.index == index && f.posting.value < value
}
