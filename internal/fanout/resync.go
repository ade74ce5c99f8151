package fanout

import "time"

// resync is when a listener is due to be notified of all objects again. It belongs to the lock of the log.
type resync struct {
	// requested is what was asked for, period what it became: see Log.setPeriod.
	requested, period time.Duration
	next              time.Time
	// due says that notifications of a resync are for this listener. It begins set: what is appended before the first call of
	// ShouldResync is for all.
	due bool
}

// minResync is the shortest period between two resyncs.
const minResync = time.Second

// permitted returns the period of a listener in a log that is checked every so often. Zero or less means never, for either.
func permitted(requested, check time.Duration) time.Duration {
	if requested <= 0 || check <= 0 {
		return 0
	}
	return max(requested, check)
}

func (r *resync) set(period time.Duration, now time.Time) {
	r.period = period
	r.next = now.Add(period)
}

// isDue reports whether it is time for a resync, and sets the time of the next.
func (r *resync) isDue(now time.Time) bool {
	r.due = r.period > 0 && !now.Before(r.next)
	if r.due {
		r.next = now.Add(r.period)
	}
	return r.due
}

// setPeriod sets how often a new listener resyncs. Before the start the shortest period is how often the log is checked;
// afterwards that is fixed, and the period of a listener is not shorter.
func (log *Log) setPeriod(l *Listener) {
	l.resync.due = true
	want := l.resync.requested
	if want > 0 && want < minResync {
		log.logger.Info("A resync period is too short and was raised", "requested", want, "minimum", minResync)
		want = minResync
		l.resync.requested = want
	}
	switch {
	case want > 0 && log.check == 0:
		log.logger.Info("A handler does not resync, since its informer does not", "requested", want)
	case want > 0 && want < log.check && !log.started:
		log.check = want
		log.resetPeriods()
	case want > 0 && want < log.check:
		log.logger.Info("A resync period was raised to that of the running informer", "requested", want, "used", log.check)
	}
	l.resync.set(permitted(want, log.check), time.Now())
}

// resetPeriods sets the periods of all listeners again, after the log is checked more often.
func (log *Log) resetPeriods() {
	now := time.Now()
	for _, l := range log.listeners {
		l.resync.set(permitted(l.resync.requested, log.check), now)
	}
}

// Period returns how often ShouldResync is to be called, zero if never.
func (log *Log) Period() time.Duration {
	log.mu.Lock()
	defer log.mu.Unlock()
	return log.check
}

// ShouldResync reports whether a resync of some listener is due, and remembers of which: they are the ones for which the
// notifications of a resync are that are appended next.
func (log *Log) ShouldResync() bool {
	log.mu.Lock()
	defer log.mu.Unlock()
	now := time.Now()
	some := false
	for _, l := range log.listeners {
		if l.resync.isDue(now) {
			some = true
		}
	}
	return some
}
