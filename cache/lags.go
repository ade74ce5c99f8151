package cache

import (
	"slices"
	"time"
)

// Lags tells how long changes take from when they were received to when they are in the store and in the log that
// handlers are told from. It is measured once a batch, of the change in it that waited longest; of a list, from when it
// was complete. The way from the server to here is not in it: events do not say when they were made.
type Lags struct {
	// Batches is how many there were, and Total the sum of their lags.
	Batches uint64
	Total   time.Duration
	// Within is how many were within each of LagBounds, and not within the one before.
	Within [6]uint64
}

var lagBounds = [6]time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute,
}

// LagBounds are the bounds that Lags counts by.
func LagBounds() []time.Duration { return slices.Clone(lagBounds[:]) }

func (l *Lags) add(lag time.Duration) {
	l.Batches++
	l.Total += lag
	for i, bound := range lagBounds {
		if lag <= bound {
			l.Within[i]++
			return
		}
	}
}
