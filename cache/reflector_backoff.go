package cache

import (
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
)

const (
	backoffFirst = 800 * time.Millisecond
	// backoffSoon is the longest wait at first, so that a fault that is over soon is over for everyone some seconds later.
	backoffSoon = 5 * time.Second
	// backoffLate is the longest wait when it has gone on for backoffPatience: by then a server is down, not busy.
	backoffLate     = 30 * time.Second
	backoffPatience = 2 * time.Minute
	// backoffReset is how long nothing may have failed for all to be forgotten.
	backoffReset = 2 * time.Minute
	// maxSuggested is the longest wait that a server can ask for.
	maxSuggested = 5 * time.Minute

	recheckFirst = time.Second
	recheckLate  = 5 * time.Minute
)

func random() float64 { return rand.Float64() }

// retreat says how long to wait after one failure more. It belongs to the goroutine of the reflector.
type retreat struct {
	clock  clock.Clock
	random func() float64
	custom wait.DelayFunc // used in place of all that follows, if not nil

	first, soon, late time.Duration

	delay time.Duration // the last one, before the random part was taken off
	since time.Time     // when the first of these failures was
	until time.Time     // when the last wait ends
}

func newRetreat(r *Reflector, custom *wait.Backoff) *retreat {
	b := &retreat{clock: r.clock, random: r.jitter, first: backoffFirst, soon: backoffSoon, late: backoffLate}
	if custom != nil {
		b.custom = custom.DelayWithReset(r.clock, backoffReset)
	}
	return b
}

// jitter is read at each call, so that tests can decide it.
func (r *Reflector) jitter() float64 { return r.random() }

// next returns how long to wait now.
func (b *retreat) next() time.Duration {
	if b.custom != nil {
		return b.custom()
	}
	now := b.clock.Now()
	if b.delay == 0 || now.Sub(b.until) > backoffReset {
		b.delay, b.since = b.first/2, now
	}
	most := b.soon
	if now.Sub(b.since) >= backoffPatience {
		most = b.late
	}
	b.delay = min(2*b.delay, most)
	// The random part is taken off, not added: the longest wait is one that somebody has promised.
	wait := b.delay - time.Duration(b.random()*float64(b.delay)/2)
	b.until = now.Add(wait)
	return wait
}

// forget has the next wait be the first.
func (b *retreat) forget() { b.delay = 0 }

// suggestedDelay is how long the server asks to wait.
func suggestedDelay(err error) time.Duration {
	seconds, ok := apierrors.SuggestsClientDelay(err)
	if !ok || seconds <= 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxSuggested)
}

const (
	ladderFirst = 10 * time.Minute
	ladderLast  = 4 * time.Hour
	// streamTries is how many streams in a row may break off before there is a list.
	streamTries = 2
)

// ladder remembers whether a watch can begin with all objects. A server that cannot do it is not asked each time, nor is
// it never asked again: it may be a newer one by then.
type ladder struct {
	after  time.Time // when to try again
	pause  time.Duration
	broken int // streams in a row that ended before they were complete
}

func (l *ladder) mayStream(now time.Time) bool { return !now.Before(l.after) }

// down notes that it did not work.
func (l *ladder) down(now time.Time) {
	l.pause = min(max(ladderFirst, 2*l.pause), ladderLast)
	l.after = now.Add(l.pause)
	l.broken = 0
}

// brokeOff notes that a stream was cut, and tells whether to go down.
func (l *ladder) brokeOff(now time.Time) bool {
	l.broken++
	if l.broken < streamTries {
		return false
	}
	l.down(now)
	return true
}

// up notes that it worked.
func (l *ladder) up() { *l = ladder{} }
