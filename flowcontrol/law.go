package flowcontrol

import (
	"math"
	"time"
)

// settle is the least time between two decreases: the requests that were under way when the server began to push back
// are all pushed back, and they are one piece of news.
const settle = time.Second

// law decides on the rate. It has no clock and no lock: times come in as arguments and never go back.
//
// Invariant: MinRate <= rate <= MaxRate.
// Invariant: from <= rate, and rate is from + (to-from)*calm/Recovery until calm reaches Recovery.
type law struct {
	config AdaptiveConfig
	rate   float64

	// The way back up: from the rate after the last decrease to the rate to reach, in as much calm time as Recovery
	// says. calm is the time in which good answers came and no pushback did.
	from, to float64
	calm     time.Duration
	calmAt   time.Time

	heldUntil   time.Time
	decreasedAt time.Time
	pushbacks   uint64

	// seen measures how fast tokens are taken. Only that tells what the server could not take when there is no limit,
	// or when the limit is far above what is used.
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

// pushBack is called when the server asks for less. It returns whether there is less from now on.
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
	// Calm begins anew from here, whether or not the rate was lowered once more.
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
	case l.calm >= l.config.Recovery: // there was no limit, so climb back to the rate that was too much
		l.to = used
	default: // pushed back on the way up: what was too much then is the best guess still
		l.to = max(l.to, used)
	}
}

// recover is called after a good answer. It returns whether the rate rose.
func (l *law) recover(now time.Time) bool {
	elapsed := now.Sub(l.calmAt)
	if elapsed <= 0 || l.calm >= l.config.Recovery {
		return false
	}
	// A long silence is not proof that all is well, but at a low rate answers cannot come often.
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

// rate is the events of the present second and, of those of the one before, the part that is less than a second ago.
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
