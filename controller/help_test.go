package controller

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// call is one call of a reconciler.
type call struct {
	key string
	at  time.Duration // since the test began
}

// script is a reconciler that does what it is told for each key, and notes its calls.
type script struct {
	mu    sync.Mutex
	began time.Time
	calls []call
	do    func(ctx context.Context, key string, nth int) (Result, error)
}

func (s *script) reconcile(ctx context.Context, key string) (Result, error) {
	s.mu.Lock()
	nth := 1
	for _, c := range s.calls {
		if c.key == key {
			nth++
		}
	}
	s.calls = append(s.calls, call{key, time.Since(s.began)})
	s.mu.Unlock()
	if s.do == nil {
		return Result{}, nil
	}
	return s.do(ctx, key, nth)
}

func (s *script) all() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *script) times(key string) []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var times []time.Duration
	for _, c := range s.calls {
		if c.key == key {
			times = append(times, c.at)
		}
	}
	return times
}

// running is a controller in a bubble.
type running struct {
	*Controller[string]
	keys chan string
	log  *bytes.Buffer
	stop context.CancelFunc
	err  chan error
}

// start runs a controller of keys that are sent to it.
func start(t *testing.T, s *script, change func(*Config[string])) *running {
	t.Helper()
	r := &running{keys: make(chan string), err: make(chan error, 1), log: new(bytes.Buffer)}
	s.began = time.Now()
	config := Config[string]{
		Name:      "test",
		Reconcile: s.reconcile,
		Sources:   []Source[string]{Channel("keys", r.keys)},
		Logger:    slog.New(slog.NewTextHandler(r.log, nil)),
	}
	if change != nil {
		change(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	r.Controller = c
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { r.err <- c.Run(ctx) }()
	synctest.Wait()
	return r
}

// end stops the controller and returns what Run did.
func (r *running) end() error {
	r.stop()
	return <-r.err
}

// heard is a Metrics that notes outcomes.
type heard struct {
	mu       sync.Mutex
	began    int
	outcomes []Outcome
	closed   bool
}

func (h *heard) NewControllerMetrics(string, int) ControllerMetrics { return h }

func (h *heard) Began() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.began++
}

func (h *heard) Ended(o Outcome, _ time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.outcomes = append(h.outcomes, o)
}

func (h *heard) Close() { h.closed = true }
