package controller

import (
	"fmt"
	"time"
)

// Metrics makes the metrics of controllers. Package metrics has one for Prometheus.
type Metrics interface {
	// NewControllerMetrics is called when a controller starts, with its name and how many workers it has.
	NewControllerMetrics(name string, workers int) ControllerMetrics
}

// ControllerMetrics hears what the workers of one controller do. It is called by all of them at once.
type ControllerMetrics interface {
	// Began is called when a worker takes up a key, Ended when it is through with it.
	Began()
	Ended(outcome Outcome, took time.Duration)
	// Close is called once, when the controller has stopped: its series end here.
	Close()
}

// Outcome is how a reconcile ended.
type Outcome int

const (
	// OutcomeSuccess is one that wants nothing more.
	OutcomeSuccess Outcome = iota
	// OutcomeRequeueAfter is one that wants to be called again at a time of its choice.
	OutcomeRequeueAfter
	// OutcomeError is one that failed and is tried again, after a back-off.
	OutcomeError
	// OutcomeTerminal is one that failed in a way that trying again does not mend: see Terminal.
	OutcomeTerminal
	// OutcomePanic is one that panicked. It is tried again as after an error.
	OutcomePanic
	// OutcomeTimeout is one that failed after its time was over. It is tried again as after an error.
	OutcomeTimeout
)

var outcomes = [...]string{"success", "requeue after", "error", "terminal error", "panic", "timeout"}

func (o Outcome) String() string {
	if o < 0 || int(o) >= len(outcomes) {
		return fmt.Sprintf("Outcome(%d)", int(o))
	}
	return outcomes[o]
}

// Failed tells whether it ended with an error of any sort.
func (o Outcome) Failed() bool { return o >= OutcomeError }
