package flight

import "iter"

const (
	recordSize = 24
	// firstRecords is the initial capacity of a ring.
	firstRecords = 32
)

// ring has the newest records.
type ring struct {
	// Invariant: len(records) is zero or a power of two, and next is less than it or zero.
	records []record
	next    int
	// full is set if next is the oldest record, and not a free slot.
	full bool
}

func (r *ring) isEmpty() bool { return len(r.records) == 0 }
func (r *ring) size() int     { return len(r.records) * recordSize }

// wantsToGrow reports whether the next record would overwrite the oldest, which is at the beginning.
func (r *ring) wantsToGrow() bool { return r.next == 0 && (r.full || r.isEmpty()) }

// growth returns by how many bytes grow enlarges the ring.
func (r *ring) growth() int { return max(len(r.records), firstRecords) * recordSize }

// grow doubles a ring for which wantsToGrow is true.
func (r *ring) grow() {
	records := make([]record, max(2*len(r.records), firstRecords))
	r.next = copy(records, r.records)
	r.records, r.full = records, false
}

// add puts a record into the next slot.
func (r *ring) add(rec record) {
	r.records[r.next] = rec
	r.next++
	if r.next == len(r.records) {
		r.next, r.full = 0, true
	}
}

// each returns all records, the oldest first.
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
