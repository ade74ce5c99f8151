package fanout

import "time"

// State is how far a listener is.
type State struct {
	// Number and Handler are those of the Config.
	Number  int
	Handler string
	// Synced reports whether everything has been delivered that was in the log when it was marked as synced.
	Synced bool
	// Waiting is how many notifications wait, and Oldest when the first of them was appended. Zero if none.
	Waiting int
	Oldest  time.Time
	// Coalescing reports whether the listener has a backlog, and Coalesced is how many notifications were coalesced with another
	// of the same key.
	Coalescing bool
	Coalesced  uint64
	// Handled is how many calls have returned, and Busy when the one that is under way began. Zero if none.
	Handled uint64
	Busy    time.Time
	// Panics is how many calls ended in a panic, and LastPanic describes the last.
	Panics    uint64
	LastPanic string
}

// State returns the state of the listener.
func (l *Listener) State() State {
	name := l.config.Name() // which may ask the handler, and is therefore called without the lock
	l.mu.Lock()
	defer l.mu.Unlock()
	s := State{
		Number:     l.config.Number,
		Handler:    name,
		Synced:     l.isSynced(),
		Coalescing: l.coalescing.Load(),
		Coalesced:  l.coalesced,
		Handled:    l.handled.Load(),
		Panics:     l.panics,
		LastPanic:  l.lastPanic,
	}
	if at := l.busy.Load(); at != 0 {
		s.Busy = time.Unix(0, at)
	}
	if !s.Coalescing {
		l.addWaiting(&s)
		return s
	}
	if s.Waiting = l.backlog.len(); s.Waiting > 0 {
		s.Oldest = time.Unix(0, l.backlog.front().at)
	}
	return s
}

// addWaiting adds what waits in the replay and in the log.
func (l *Listener) addWaiting(s *State) {
	if l.replay != nil {
		s.Waiting = max(0, l.replay.Len()-int(s.Handled))
	}
	if rest := l.batch.end() - min(l.next.Load(), l.batch.end()); rest > 0 && l.batch.isFor(l) {
		s.Waiting += int(rest)
		s.Oldest = l.batch.at
	}
	for b := l.batch.next.Load(); b != nil; b = b.next.Load() {
		if !b.isFor(l) {
			continue
		}
		s.Waiting += len(b.notifications)
		if s.Oldest.IsZero() {
			s.Oldest = b.at
		}
	}
}
