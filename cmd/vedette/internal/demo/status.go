package demo

import (
	"sync"
	"time"

	"vedette.dev/cache"
)

// Status is the current state of a demo.
type Status struct {
	// Elapsed is how long it has been running.
	Elapsed time.Duration
	Rows    []Row
	// Objects is the number of objects in all caches; Events and Reconciles are rates per second.
	Objects            int
	Events, Reconciles float64
	// Queued is the number of keys in the operator's queue, Failed the number of failed reconciles so far.
	Queued int
	Failed uint64
	// Changes and Faults are the numbers so far.
	Changes, Faults int64
	// Shards are the numbers of objects of the shards, Streams the number of watches.
	Shards    []int
	Streams   int
	Imbalance float64
}

// Row is the state of an informer.
type Row struct {
	Name    string
	Objects int
	Events  float64
	Phase   string
	// Waiting is the number of pending notifications, and Error the error, if there is one.
	Waiting int
	Error   string
}

// rates computes rates from counts.
type rates struct {
	mu     sync.Mutex
	at     time.Time
	counts map[string]uint64
	last   map[string]float64
}

// rateTime is the minimum time between two computations of rates.
const rateTime = 900 * time.Millisecond

// step takes new counts, and returns rates. They stay the same for about a second.
func (r *rates) step(now time.Time, counts map[string]uint64) map[string]float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	apart := now.Sub(r.at)
	if r.counts != nil && apart < rateTime {
		return r.last
	}
	next := make(map[string]float64)
	for name, count := range counts {
		if before, ok := r.counts[name]; ok && count >= before {
			next[name] = float64(count-before) / apart.Seconds()
		}
	}
	r.at, r.counts, r.last = now, counts, next
	return next
}

// Status returns the current state.
func (d *Demo) Status() Status {
	m, now := d.machine, time.Now()
	operator := m.operator.State()
	s := Status{
		Queued: operator.Queued + len(operator.Busy), Failed: operator.Failures,
		Changes: d.changes.Load() + d.world.changes(), Faults: d.faults.Load(), Streams: m.sharding.Streams(), Imbalance: m.sharding.Imbalance(),
	}
	if began := d.began.Load(); began != 0 {
		s.Elapsed = now.Sub(time.Unix(0, began))
	}
	counts := map[string]uint64{"": operator.Reconciles}
	for _, l := range m.looks {
		state := cache.StateOf(l.informer)
		counts[l.name] = state.Events
		s.Objects += state.Objects
		s.Rows = append(s.Rows, newRow(l.name, &state, now))
	}
	perSecond := d.rates.step(now, counts)
	s.Reconciles = perSecond[""]
	for i := range s.Rows {
		s.Rows[i].Events = perSecond[s.Rows[i].Name]
		s.Events += s.Rows[i].Events
	}
	for _, one := range m.sharding.Shards() {
		s.Shards = append(s.Shards, one.Objects)
	}
	return s
}

func newRow(name string, state *cache.State, now time.Time) Row {
	row := Row{Name: name, Objects: state.Objects, Phase: state.Phase.String()}
	if err := state.Err(); err != nil && state.Cause != nil {
		row.Error = state.Cause.Error()
	}
	for _, h := range state.Handlers {
		row.Waiting += h.Waiting
		if !h.Busy.IsZero() && now.Sub(h.Busy) > time.Second {
			row.Error = "a handler has not returned"
		}
	}
	return row
}
