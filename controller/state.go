package controller

import (
	"fmt"
	"time"

	"vedette.dev/workqueue"
)

// Phase is what a controller is doing.
type Phase int32

const (
	// PhaseIdle is before Run.
	PhaseIdle Phase = iota
	// PhaseSyncing is while the sources bring what was there at the start.
	PhaseSyncing
	// PhaseRunning is while keys are reconciled.
	PhaseRunning
	// PhaseStopping is while the reconciles that are under way come to their end.
	PhaseStopping
	// PhaseStopped is after Run.
	PhaseStopped
)

var phases = [...]string{"idle", "syncing", "running", "stopping", "stopped"}

// MarshalText is String, for JSON.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p Phase) String() string {
	if p < 0 || int(p) >= len(phases) {
		return fmt.Sprintf("Phase(%d)", int32(p))
	}
	return phases[p]
}

// State tells what a controller is doing.
type State struct {
	Name  string `json:"name"`
	Phase Phase  `json:"phase"`
	// Began is when Run was called, Result what it has returned.
	Began  time.Time `json:"began,omitzero"`
	Result error     `json:"-"`
	// NotReady is the sources that have not brought yet what was there at the start.
	NotReady []string `json:"notReady,omitempty"`
	// Workers is how many there are, and Busy what they do, the oldest first.
	Workers int    `json:"workers"`
	Busy    []Busy `json:"busy,omitempty"`
	// Queued is how many keys wait for a worker.
	Queued int `json:"queued"`
	// Reconciles is how many have ended, Failures how many of them with an error, Panics how many of these with a panic.
	Reconciles uint64 `json:"reconciles"`
	Failures   uint64 `json:"failures"`
	Panics     uint64 `json:"panics"`
}

// Busy is a reconcile that is under way.
type Busy struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"`
	// Worker is the number of the worker that does it, from 1 to State.Workers.
	Worker int `json:"worker"`
}

func (w *work[K]) busy() Busy { return Busy{Key: fmt.Sprint(w.key), Since: w.since, Worker: w.worker} }

// State tells what the controller is doing.
func (c *Controller[K]) State() State {
	s := State{
		Name:       c.Name(),
		Phase:      Phase(c.phase.Load()),
		Workers:    c.config.Workers,
		Queued:     c.queue.Len(),
		Reconciles: c.counted.reconciles.Load(),
		Failures:   c.counted.failures.Load(),
		Panics:     c.counted.panics.Load(),
	}
	if began := c.began.Load(); began != 0 {
		s.Began = time.Unix(0, began)
	}
	if err := c.result.Load(); err != nil {
		s.Result = *err
	}
	for i := range c.ready {
		if !c.ready[i].Load() {
			s.NotReady = append(s.NotReady, c.config.Sources[i].String())
		}
	}
	for _, w := range c.busy() {
		s.Busy = append(s.Busy, w.busy())
	}
	return s
}

// Err is nil while all is well: the controller runs, or waits for its sources. Otherwise it says what is wrong.
func (s State) Err() error {
	if s.Result != nil {
		return fmt.Errorf("controller %s has stopped: %w", s.Name, s.Result)
	}
	if s.Phase == PhaseIdle || s.Phase == PhaseStopped {
		return fmt.Errorf("controller %s is %s", s.Name, s.Phase)
	}
	return nil
}

// find is what the queue knows of a key.
func (c *Controller[K]) find(key K) workqueue.Item[K] {
	if i, ok := c.queue.(workqueue.TypedInspector[K]); ok {
		item, _ := i.Find(key)
		return item
	}
	return workqueue.Item[K]{Key: key, Retries: c.queue.NumRequeues(key)}
}
