package cache

// index is the contents of one index.
type index struct {
	// Invariant: no posting is empty.
	postings lookup[*posting]
}

// posting is the list of all entries with one value.
type posting struct {
	value string
	slots column[uint32]
	// Most indexes have either few values or one entry for each, so the first is kept in place.
	spine [1]chunk[uint32]
	rows  [1]uint32
}

func newPosting(value string, s *sharing) *posting {
	p := &posting{value: value}
	p.spine[0] = chunk[uint32]{rows: p.rows[:0], epoch: s.epoch}
	p.slots = column[uint32]{spine: p.spine[:0], epoch: s.epoch}
	return p
}

// add files a slot under a value and returns its place.
func (x *index) add(number uint32, value string, slot uint32, s *sharing) filing {
	p := x.postings.m[value]
	if p == nil {
		p = newPosting(value, s)
		x.postings.put(value, p)
	}
	p.slots.push(slot, s)
	return filing{posting: p, at: uint32(p.slots.n - 1), index: number}
}
