package ownwrites

import (
	"sync/atomic"
	"time"
)

// Stats are counters and the state of a tracker.
type Stats struct {
	// Waiting is the number of objects that the store has not caught up with, Oldest when the first of them was
	// written. If that is long ago, the watch is stuck: see cache.StateOf.
	Waiting int
	Oldest  time.Time
	// Recorded is the number of recorded writes and deletions, Settled the number of entries removed because the store
	// had caught up; others were replaced by newer ones, or not needed at all.
	Recorded, Settled uint64
	// Echoes is the number of events recognised as own.
	Echoes uint64
	// Incomparable is the number of writes with a resource version that is not a number, Refused the number of writes
	// that could not be recorded for another reason. Reads of these objects may be stale.
	Incomparable, Refused uint64
	// Remembered is the number of objects whose own writes are remembered.
	Remembered int
}

type counts struct {
	recorded, settled, echoes, incomparable, refused atomic.Uint64
}

// Stats returns the current counters. It scans all entries.
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
