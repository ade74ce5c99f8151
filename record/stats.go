package record

import (
	"sync/atomic"
)

// Stats counts what became of events since the broadcaster was made. For a broadcaster with one sink and no other listener,
// from the beginning and after Shutdown, Recorded = Dropped + Filtered + Written + Failed.
type Stats struct {
	// Recorded is how many events were taken from recorders. Refused is how many were not, because of their object or type, or
	// after Shutdown.
	Recorded, Refused uint64
	// Dropped is how many were not handed to a listener, because its queue was full, or it was stopped. An event that two
	// listeners miss counts twice.
	Dropped uint64
	// Filtered is how many were too much from one source about one object, and not written to a sink.
	Filtered uint64
	// Written is how many writes to sinks were successful, and Failed how many events were given up. Retried counts the tries
	// after a first one.
	Written, Failed, Retried uint64
	// Panics is how often a listener panicked or called runtime.Goexit.
	Panics uint64
	// LastError is why the last write failed, whether or not it was tried again.
	LastError error

	// Listeners is how many have not ended, and Waiting the number of events in their queues.
	Listeners, Waiting int
}

// counts are the Stats, as they are counted.
type counts struct {
	recorded, refused, dropped, filtered, written, failed, retried, panics atomic.Uint64
	lastError                                                              atomic.Pointer[error]
}

// StatsReader is what has Stats: every broadcaster of this package.
type StatsReader interface {
	Stats() Stats
}

// Stats tells what became of events.
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

// StatsOf is the Stats of a broadcaster, the zero ones if it has none to tell.
func StatsOf(broadcaster EventBroadcaster) Stats {
	if r, ok := broadcaster.(StatsReader); ok {
		return r.Stats()
	}
	return Stats{}
}
