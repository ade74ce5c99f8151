package flowcontrol

import (
	"math"
	"time"
)

// settle is the minimum time between two decreases: requests that were in flight when the server began to push back are
// all rejected, which is one event.
const settle = time.Second

// law computes the rate. It has no clock and no lock: times are arguments and never go back.
//
// Invariant: MinRate <= rate <= MaxRate.
// Invariant: from <= rate, and rate is from + (to-from)*calm/Recovery until calm reaches Recovery.
type law struct {
	config AdaptiveConfig
	rate   float64

	// The recovery: from the rate after the last decrease to the target rate, in Recovery of calm time. calm is the
	// time in which good responses arrived and no pushback did.
	from, to float64
	calm     time.Duration
	calmAt   time.Time

	heldUntil   time.Time
	decreasedAt time.Time
	pushbacks   uint64

	// seen measures how fast tokens are taken. Without a limit, or far below it, only that shows which rate the server could
	// not handle.
	seen meter
}

func newLaw(config AdaptiveConfig, now time.Time) law {
	l := law{config: config, rate: config.InitialRate, from: config.InitialRate, to: config.MaxRate, calmAt: now}
	if math.IsInf(l.to, 1) {
		l.to = l.from
	}
	if l.rate == config.MaxRate {
		l.calm = config.Recovery
	}
	return l
}

// pushBack is called when the server asks for a lower rate. It reports whether the rate was lowered.
func (l *law) pushBack(now time.Time, retryAfter time.Duration) (changed bool) {
	l.pushbacks++
	held := now.Before(l.heldUntil)
	if until := now.Add(min(max(retryAfter, 0), l.config.MaxRetryAfter)); until.After(now) && until.After(l.heldUntil) {
		l.heldUntil = until
		changed = true
	}
	if !held && (l.decreasedAt.IsZero() || now.Sub(l.decreasedAt) >= settle) {
		l.decrease(now)
		changed = true
	}
	// Calm starts again from here, whether or not the rate was lowered once more.
	l.from, l.calm = l.rate, 0
	l.calmAt = now
	if l.heldUntil.After(now) {
		l.calmAt = l.heldUntil
	}
	return changed
}

func (l *law) decrease(now time.Time) {
	l.decreasedAt = now
	used := min(l.rate, max(l.seen.rate(now), l.config.MinRate))
	l.rate = max(l.config.MinRate, used*l.config.Decrease)
	switch {
	case !math.IsInf(l.config.MaxRate, 1):
		l.to = l.config.MaxRate
	case l.calm >= l.config.Recovery: // there was no limit, so recover to the rate that was too high
		l.to = used
	default: // pushed back during recovery: the previous target is still the best guess
		l.to = max(l.to, used)
	}
}

// recover is called after a good response. It reports whether the rate was raised.
func (l *law) recover(now time.Time) bool {
	elapsed := now.Sub(l.calmAt)
	if elapsed <= 0 || l.calm >= l.config.Recovery {
		return false
	}
	// A long silence does not prove that the server is healthy, but at a low rate responses cannot arrive often.
	gap := max(time.Second, time.Duration(2/l.rate*float64(time.Second)))
	l.calm += min(elapsed, gap)
	l.calmAt = now
	before := l.rate
	if l.calm >= l.config.Recovery {
		l.rate = l.config.MaxRate
	} else {
		part := float64(l.calm) / float64(l.config.Recovery)
		l.rate = l.from + max(0, l.to-l.from)*part
	}
	return l.rate > before
}

// meter counts events over about the last second.
type meter struct {
	start     time.Time // of the present second
	now, last float64   // events in the present second, and in the one before
}

func (m *meter) add(now time.Time) {
	m.roll(now)
	m.now++
}

// rate returns the events of the current second and, of those of the previous one, the fraction that is less than a
// second ago.
func (m *meter) rate(now time.Time) float64 {
	m.roll(now)
	return m.now + m.last*(1-now.Sub(m.start).Seconds())
}

func (m *meter) roll(now time.Time) {
	switch age := now.Sub(m.start); {
	case age < time.Second:
	case age < 2*time.Second:
		m.start, m.last, m.now = m.start.Add(time.Second), m.now, 0
	default:
		m.start, m.last, m.now = now, 0, 0
	}
}
