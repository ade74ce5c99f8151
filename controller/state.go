package controller

import (
	"fmt"
	"time"

	"vedette.dev/workqueue"
)

// Phase is what a controller is doing.
type Phase int32

const (
	// PhaseIdle is before Run is called.
	PhaseIdle Phase = iota
	// PhaseSyncing is while the controller waits for its sources to become ready.
	PhaseSyncing
	// PhaseRunning is while keys are reconciled.
	PhaseRunning
	// PhaseStopping is while the controller waits for running reconciles to return.
	PhaseStopping
	// PhaseStopped is after Run has returned.
	PhaseStopped
)

var phases = [...]string{"idle", "syncing", "running", "stopping", "stopped"}

// MarshalText returns String, for JSON.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p Phase) String() string {
	if p < 0 || int(p) >= len(phases) {
		return fmt.Sprintf("Phase(%d)", int32(p))
	}
	return phases[p]
}

// State is what a controller is doing.
type State struct {
	Name  string `json:"name"`
	Phase Phase  `json:"phase"`
	// Began is when Run was called, Result what it returned.
	Began  time.Time `json:"began,omitzero"`
	Result error     `json:"-"`
	// NotReady lists the sources that are not ready yet.
	NotReady []string `json:"notReady,omitempty"`
	// Workers is the number of workers, Busy the running reconciles, oldest first.
	Workers int    `json:"workers"`
	Busy    []Busy `json:"busy,omitempty"`
	// Queued is the number of keys that wait for a worker.
	Queued int `json:"queued"`
	// Reconciles is the number of finished reconciles, Failures how many of them failed, Panics how many of these
	// panicked.
	Reconciles uint64 `json:"reconciles"`
	Failures   uint64 `json:"failures"`
	Panics     uint64 `json:"panics"`
}

// Busy is a running reconcile.
type Busy struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"`
	// Worker is the number of its worker, from 1 to State.Workers.
	Worker int `json:"worker"`
}

func (w *work[K]) busy() Busy { return Busy{Key: fmt.Sprint(w.key), Since: w.since, Worker: w.worker} }

// State returns what the controller is doing.
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

// Err returns nil while the controller is running or waiting for its sources, and otherwise an error that says what is
// wrong.
func (s State) Err() error {
	if s.Result != nil {
		return fmt.Errorf("controller %s stopped: %w", s.Name, s.Result)
	}
	if s.Phase == PhaseIdle || s.Phase == PhaseStopped {
		return fmt.Errorf("controller %s is %s", s.Name, s.Phase)
	}
	return nil
}

// find returns the state of a key in the queue.
func (c *Controller[K]) find(key K) workqueue.Item[K] {
	if i, ok := c.queue.(workqueue.TypedInspector[K]); ok {
		item, _ := i.Find(key)
		return item
	}
	return workqueue.Item[K]{Key: key, Retries: c.queue.NumRequeues(key)}
}
