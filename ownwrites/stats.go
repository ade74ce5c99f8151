package ownwrites

import (
	"sync/atomic"
	"time"
)

// Stats tells what a tracker has done, and what it waits for.
type Stats struct {
	// Waiting is how many objects the store has not caught up with, and Oldest since when the first of them is. If it is long
	// ago, the watch is stuck: see cache.StateOf.
	Waiting int
	Oldest  time.Time
	// Recorded is how many writes and deletions were recorded, and Settled how many entries have left because the store had
	// caught up; others were replaced by newer ones, or not needed at all.
	Recorded, Settled uint64
	// Echoes is how many events were recognised as own ones.
	Echoes uint64
	// Incomparable is how many writes had a resource version that is not a number, and Refused how many could not be recorded for
	// another reason. Of these, reads may be older.
	Incomparable, Refused uint64
	// Remembered is of how many objects the own writes are remembered.
	Remembered int
}

type counts struct {
	recorded, settled, echoes, incomparable, refused atomic.Uint64
}

// Stats returns the counts of now. It looks at all that waits.
func (t *Tracker) Stats() Stats {
	s := Stats{
		Recorded:     t.counts.recorded.Load(),
		Settled:      t.counts.settled.Load(),
		Echoes:       t.counts.echoes.Load(),
		Incomparable: t.counts.incomparable.Load(),
		Refused:      t.counts.refused.Load(),
		Remembered:   t.memory.size(),
	}
	for e := range t.overlay.snapshot().all() {
		s.Waiting++
		if s.Oldest.IsZero() || e.since.Before(s.Oldest) {
			s.Oldest = e.since
		}
	}
	return s
}
