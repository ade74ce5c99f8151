package flight

import "iter"

// ring is the newest records of a stripe.
type ring struct {
	// Invariant: len(records) is zero or a power of two, and next is less than it.
	records []record
	next    int
	// full says that next is the oldest record, and not a free place.
	full bool
}

// add puts a record in the place of the oldest, unless the budget lets the ring grow. The ring takes share eighths of what a
// stripe may take.
func (r *ring) add(rec record, budget func() int, share int) {
	if r.next == 0 && (r.full || len(r.records) == 0) {
		r.grow(budget, share)
	}
	r.records[r.next] = rec
	r.next++
	if r.next == len(r.records) {
		r.next, r.full = 0, true
	}
}

// grow doubles the ring, which is full, if that is within the budget. The oldest record is at its beginning then.
func (r *ring) grow(budget func() int, share int) {
	size := max(2*len(r.records), firstRecords)
	if len(r.records) > 0 && size*recordSize > budget()*share/8/stripes {
		return
	}
	records := make([]record, size)
	r.next = copy(records, r.records)
	r.records, r.full = records, false
}

// each is all records, the oldest first.
func (r *ring) each() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		first, count := 0, r.next
		if r.full {
			first, count = r.next, len(r.records)
		}
		for i := range count {
			if !yield(&r.records[(first+i)&(len(r.records)-1)]) {
				return
			}
		}
	}
}
