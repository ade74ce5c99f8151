package flowcontrol

import (
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Backoff has a delay for each id. The delay doubles with each Next up to a maximum, and is reset after twice the
// maximum without one. Entries are kept until GC, DeleteEntry or Reset removes them.
//
// The lock is exported as in client-go; callers should not use it.
type Backoff struct {
	sync.RWMutex
	Clock clock.Clock
	// HasExpiredFunc, if set, replaces the rule of twice the maximum.
	HasExpiredFunc func(eventTime time.Time, lastUpdate time.Time, maxDuration time.Duration) bool

	initial, max time.Duration
	jitter       float64
	entries      map[string]backoffEntry
}

type backoffEntry struct {
	delay   time.Duration
	updated time.Time
}

// NewBackOff returns a [Backoff] whose delays go from initial to max.
func NewBackOff(initial, max time.Duration) *Backoff {
	return NewBackOffWithJitter(initial, max, 0)
}

// NewBackOffWithJitter returns a [Backoff] that adds to each delay a random part of at most maxJitterFactor times the
// previous delay.
func NewBackOffWithJitter(initial, max time.Duration, maxJitterFactor float64) *Backoff {
	return NewFakeBackOffWithJitter(initial, max, clock.RealClock{}, maxJitterFactor)
}

// NewFakeBackOff returns a [Backoff] with the clock tc.
func NewFakeBackOff(initial, max time.Duration, tc clock.Clock) *Backoff {
	return NewFakeBackOffWithJitter(initial, max, tc, 0)
}

// NewFakeBackOffWithJitter returns a [Backoff] with jitter and the clock tc.
func NewFakeBackOffWithJitter(initial, max time.Duration, tc clock.Clock, maxJitterFactor float64) *Backoff {
	return &Backoff{
		Clock:   tc,
		initial: initial,
		max:     max,
		jitter:  maxJitterFactor,
		entries: map[string]backoffEntry{},
	}
}

// Get returns the delay of id, or 0 if it has none.
func (b *Backoff) Get(id string) time.Duration {
	b.RLock()
	defer b.RUnlock()
	return b.entries[id].delay
}

// Next moves id to its next delay. eventTime is when the failure happened.
func (b *Backoff) Next(id string, eventTime time.Time) {
	b.Lock()
	defer b.Unlock()
	e, known := b.entries[id]
	if !known || b.expired(eventTime, e) {
		e.delay = b.initial + b.random(b.initial)
	} else if e.delay > b.max/2 {
		e.delay = b.max // doubling would exceed the maximum, and might overflow
	} else {
		e.delay = min(2*e.delay+b.random(e.delay), b.max)
	}
	e.updated = b.Clock.Now()
	b.entries[id] = e
}

// Reset removes id.
func (b *Backoff) Reset(id string) { b.DeleteEntry(id) }

// DeleteEntry removes id.
func (b *Backoff) DeleteEntry(id string) {
	b.Lock()
	defer b.Unlock()
	delete(b.entries, id)
}

// IsInBackOffSince reports whether the delay of id, counted from eventTime, is still running.
func (b *Backoff) IsInBackOffSince(id string, eventTime time.Time) bool {
	e, ok := b.live(id, eventTime)
	return ok && b.Clock.Since(eventTime) < e.delay
}

// IsInBackOffSinceUpdate reports whether at eventTime the delay of id, counted from the last Next, is still running.
func (b *Backoff) IsInBackOffSinceUpdate(id string, eventTime time.Time) bool {
	e, ok := b.live(id, eventTime)
	return ok && eventTime.Sub(e.updated) < e.delay
}

// GC removes expired entries. Callers with many ids should call it from time to time.
func (b *Backoff) GC() {
	b.Lock()
	defer b.Unlock()
	now := b.Clock.Now()
	for id, e := range b.entries {
		if b.expired(now, e) {
			delete(b.entries, id)
		}
	}
}

func (b *Backoff) live(id string, eventTime time.Time) (backoffEntry, bool) {
	b.RLock()
	defer b.RUnlock()
	e, ok := b.entries[id]
	return e, ok && !b.expired(eventTime, e)
}

func (b *Backoff) expired(eventTime time.Time, e backoffEntry) bool {
	if b.HasExpiredFunc != nil {
		return b.HasExpiredFunc(eventTime, e.updated, b.max)
	}
	elapsed := eventTime.Sub(e.updated)
	return elapsed > b.max && elapsed-b.max > b.max // elapsed > 2*max without overflow
}

func (b *Backoff) random(d time.Duration) time.Duration {
	if b.jitter <= 0 {
		return 0
	}
	return time.Duration(rand.Float64() * b.jitter * float64(d))
}
