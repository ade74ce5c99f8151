package table

import "vedette.dev/internal/shrink"

// entry is what the table knows about one key.
type entry struct {
	key string // never changes, so that readers may look at it without the lock
	// obj is the object, which the row has too, so that Get reads nothing but the entry.
	obj atomicValue
	// Invariant: row slot of the table belongs to this entry.
	slot uint32
	// indexed is the number of indexes that the entry was filed in, also if it has no value there. If it is less than the
	// number of indexes, the entry was not written since the others were added.
	indexed uint32
	// filed says where the entry is in the indexes. It is kept, and not computed again from the object, so that a program
	// that writes to a stored object does not corrupt an index.
	// Invariant: sorted by index and value, without duplicates.
	filed []filing
}

// filing is the place of an entry in a posting.
type filing struct {
	posting *posting
	at      uint32 // Invariant: posting.slots.at(at) is the slot of the entry.
	index   uint32 // the number of the index
}

// before reports whether f sorts before a value of an index.
func (f *filing) before(index uint32, value string) bool {
	return f.index < index || f.index == index && f.posting.value < value
}

// newEntry returns an entry with room for n filings, a few of which are in the same allocation.
func newEntry(key string, n int) *entry {
	e, room := allocate(n)
	e.key, e.filed = key, room[:0]
	return e
}

func allocate(n int) (*entry, []filing) {
	switch n {
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
		return new(entry), make([]filing, n)
	}
}

// in returns the filing of the entry in a posting that contains it.
func (e *entry) in(p *posting, index uint32) *filing {
	lo, hi := 0, len(e.filed)
	for hi-lo > 8 { // an object may have thousands of values
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

// filedUnder reports whether the entry is filed under exactly these values, which is so for most updates.
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

// index is the contents of one index: a posting for each value.
type index struct {
	// Invariant: no posting is empty.
	postings map[string]*posting
	peak     shrink.Peak
}

// posting is the list of the entries that have one value in an index, by the slots of their rows.
type posting struct {
	value string
	slots vector[uint32]
	// Most indexes have either few values or one entry for each value, so the first chunk is part of the posting.
	chunks [1]chunk[uint32]
	elems  [1]uint32
}

func newPosting(value string, ep *epochs) *posting {
	p := &posting{value: value}
	p.chunks[0] = chunk[uint32]{elems: p.elems[:0], epoch: ep.current}
	p.slots = vector[uint32]{chunks: p.chunks[:0], epoch: ep.current}
	return p
}

// add files a slot under a value of the index, which is index number number, and returns its place.
func (x *index) add(number uint32, value string, slot uint32, ep *epochs) filing {
	p := x.postings[value]
	if p == nil {
		p = newPosting(value, ep)
		x.postings[value] = p
		x.peak.Grow(len(x.postings))
	}
	p.slots.push(slot, ep)
	return filing{posting: p, at: uint32(p.slots.n - 1), index: number}
}

// remove removes the posting of a value.
func (x *index) remove(value string) {
	delete(x.postings, value)
	if x.peak.Due(len(x.postings)) {
		x.postings = shrink.Map(x.postings)
		x.peak.Reset(len(x.postings))
	}
}
