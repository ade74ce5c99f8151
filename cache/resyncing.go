package cache

import "time"

// resyncing is when a listener is told of all objects again. It has no lock: the processor has it.
type resyncing struct {
	// requested is what was asked for, period what it became: see processor.
	requested, period time.Duration
	next              time.Time
	// due says that notices of a resync are for this listener. It begins set, so that one without a resync period hears of
	// every notice there is.
	due bool
}

// minimumResync is the shortest period between two resyncs.
const minimumResync = time.Second

// permitted is the period of a listener in an informer that checks every so often. Zero or less means never, for either.
func permitted(requested, check time.Duration) time.Duration {
	if requested <= 0 || check <= 0 {
		return 0
	}
	return max(requested, check)
}

func (r *resyncing) set(period time.Duration, now time.Time) {
	r.period = period
	r.next = now.Add(period)
}

// look tells whether it is time, and sets the next.
func (r *resyncing) look(now time.Time) bool {
	r.due = r.period > 0 && !now.Before(r.next)
	if r.due {
		r.next = now.Add(r.period)
	}
	return r.due
}
