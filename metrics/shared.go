package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// shared keeps series that several users may have under one name, and that end with the last of them.
type shared[S any] struct {
	make func(name string) S
	drop func(name string)

	mu sync.Mutex
	// Invariant: a name is in held if and only if it has users, and only then it has series.
	held map[string]*holding[S]
}

type holding[S any] struct {
	series S
	users  int
}

func newShared[S any](make func(name string) S, drop func(name string)) *shared[S] {
	return &shared[S]{make: make, drop: drop, held: map[string]*holding[S]{}}
}

// take returns the series of a name, and a function to release them, which may be called more than once.
func (s *shared[S]) take(name string) (series S, leave func()) {
	name = value(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[name]
	if h == nil {
		h = &holding[S]{series: s.make(name)}
		s.held[name] = h
	}
	h.users++
	return h.series, sync.OnceFunc(func() { s.leave(name, h) })
}

func (s *shared[S]) leave(name string, h *holding[S]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users == 0 {
		delete(s.held, name)
		s.drop(name)
	}
}

// joint is a gauge with several parts, each with its own value. Its value is computed by combine.
type joint struct {
	gauge   prometheus.Gauge
	combine func(a, b float64) float64

	mu     sync.Mutex
	values map[*part]float64
}

// part is the value of one user of a joint gauge.
type part struct {
	of    *joint
	leave func()
}

func (j *joint) set(p *part, v float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.values[p] = v
	j.show()
}

func (j *joint) forget(p *part) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.values, p)
	j.show()
}

func (j *joint) show() {
	total := 0.0 // no measured value is negative
	for _, v := range j.values {
		total = j.combine(total, v)
	}
	j.gauge.Set(total)
}

// Set sets the value.
func (p *part) Set(v float64) { p.of.set(p, v) }

// Close removes the value.
func (p *part) Close() {
	p.of.forget(p)
	p.leave()
}

func newJoint(gauge prometheus.Gauge, combine func(a, b float64) float64) *joint {
	return &joint{gauge: gauge, combine: combine, values: map[*part]float64{}}
}

func sum(a, b float64) float64 { return a + b }

func most(a, b float64) float64 { return max(a, b) }
