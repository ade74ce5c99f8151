package record

import (
	"sync/atomic"
)

// Stats counts what happened to events since the broadcaster was created. For a broadcaster with one sink and no other
// listener, from the beginning and after Shutdown, Recorded = Dropped + Filtered + Written + Failed.
type Stats struct {
	// Recorded is the number of events accepted from recorders. Refused is the number of those that were not, because
	// of their object or type, or after Shutdown.
	Recorded, Refused uint64
	// Dropped is the number of events not delivered to a listener, because its queue was full or it was stopped. An
	// event that two listeners miss counts twice.
	Dropped uint64
	// Filtered is the number of events above the rate limit of one source and object, which were not written to a sink.
	Filtered uint64
	// Written is the number of successful writes to sinks, Failed the number of events given up, Retried the number of
	// attempts after the first.
	Written, Failed, Retried uint64
	// Panics is the number of times that a listener panicked or called runtime.Goexit.
	Panics uint64
	// LastError is the error of the last failed write, whether or not it was retried.
	LastError error

	// Listeners is the number of listeners that have not ended, Waiting the number of events in their queues.
	Listeners, Waiting int
}

// counts holds the counters of Stats.
type counts struct {
	recorded, refused, dropped, filtered, written, failed, retried, panics atomic.Uint64
	lastError                                                              atomic.Pointer[error]
}

// StatsReader is implemented by every broadcaster of this package.
type StatsReader interface {
	Stats() Stats
}

// Stats returns the counters.
func (b *Broadcaster) Stats() Stats {
	c := &b.counts
	s := Stats{
		Recorded: c.recorded.Load(), Refused: c.refused.Load(), Dropped: c.dropped.Load(), Filtered: c.filtered.Load(),
		Written: c.written.Load(), Failed: c.failed.Load(), Retried: c.retried.Load(), Panics: c.panics.Load(),
	}
	if err := c.lastError.Load(); err != nil {
		s.LastError = *err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Listeners = len(b.running)
	for _, l := range b.running {
		s.Waiting += len(l.queue)
	}
	return s
}

// StatsOf returns the Stats of a broadcaster, or zero if it has none.
func StatsOf(broadcaster EventBroadcaster) Stats {
	if r, ok := broadcaster.(StatsReader); ok {
		return r.Stats()
	}
	return Stats{}
}
