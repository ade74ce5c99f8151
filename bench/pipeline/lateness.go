package pipeline

import (
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// paced sends changes at a steady rate, and remembers when.
type paced struct {
	events []thing
	first  uint32 // the number of the first of them
	rate   int    // events a second
	own    bool   // each event brings an object with a body of its own
	// window is for how long the rate is kept and calls count; zero means until all are sent.
	window time.Duration

	began time.Time
	next  int             // the next event to send
	sent  []time.Duration // since began, by event
	late  []time.Duration // how long it took until a handler was called, of those that it was called for
}

func newPaced(events []thing, rate int, own bool) *paced {
	return &paced{
		events: events,
		first:  events[0].number,
		rate:   rate,
		own:    own,
		sent:   make([]time.Duration, len(events)),
		late:   make([]time.Duration, 0, len(events)),
	}
}

// nap is how long the sender sleeps when it is ahead. What is due by then is sent at once, as events come in small bursts
// from a real server, too.
const nap = 200 * time.Microsecond

// run sends at the rate, until all are sent or the window is over. When it has fallen behind, it does not wait until it has
// caught up.
func (p *paced) run(to chan<- watch.Event) {
	p.began = time.Now()
	for ; p.next < len(p.events) && !p.over(time.Since(p.began)); p.next++ {
		due := time.Duration(float64(p.next) / float64(p.rate) * float64(time.Second))
		for time.Since(p.began) < due {
			time.Sleep(nap)
		}
		p.send(to)
	}
}

// rest sends all remaining events at once.
func (p *paced) rest(to chan<- watch.Event) {
	for ; p.next < len(p.events); p.next++ {
		p.send(to)
	}
}

func (p *paced) send(to chan<- watch.Event) {
	t := &p.events[p.next]
	if p.own {
		t = t.own()
	}
	p.sent[p.next] = time.Since(p.began)
	to <- t.event()
}

func (p *paced) over(now time.Duration) bool { return p.window > 0 && now > p.window }

// arrive is called by one handler.
func (p *paced) arrive(t *thing) {
	if now := time.Since(p.began); !p.over(now) {
		p.late = append(p.late, now-p.sent[t.number-p.first])
	}
}

// percentile is the lateness that the given share of calls does not exceed.
func (p *paced) percentile(share float64) float64 {
	if len(p.late) == 0 {
		return math.Inf(1)
	}
	slices.Sort(p.late)
	rank := int(math.Ceil(share * float64(len(p.late))))
	return float64(p.late[max(0, rank-1)])
}
