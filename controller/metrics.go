package controller

import (
	"fmt"
	"time"
)

// Metrics creates the metrics of controllers. Package metrics implements it for Prometheus.
type Metrics interface {
	// NewControllerMetrics is called when a controller starts, with its name and number of workers.
	NewControllerMetrics(name string, workers int) ControllerMetrics
}

// ControllerMetrics receives what the workers of one controller do. Its methods are called concurrently.
type ControllerMetrics interface {
	// Began is called when a worker starts to reconcile a key, Ended when it has finished.
	Began()
	Ended(outcome Outcome, took time.Duration)
	// Close is called once, when the controller has stopped.
	Close()
}

// Outcome is how a reconcile ended.
type Outcome int

const (
	// OutcomeSuccess is a reconcile that returned no error and did not ask to be called again.
	OutcomeSuccess Outcome = iota
	// OutcomeRequeueAfter is a reconcile that asked to be called again later.
	OutcomeRequeueAfter
	// OutcomeError is a reconcile that returned an error. It is retried after a backoff.
	OutcomeError
	// OutcomeTerminal is a reconcile that returned an error marked Terminal. It is not retried.
	OutcomeTerminal
	// OutcomePanic is a reconcile that panicked. It is retried as after an error.
	OutcomePanic
	// OutcomeTimeout is a reconcile that failed after its timeout. It is retried as after an error.
	OutcomeTimeout
)

var outcomes = [...]string{"success", "requeue after", "error", "terminal error", "panic", "timeout"}

func (o Outcome) String() string {
	if o < 0 || int(o) >= len(outcomes) {
		return fmt.Sprintf("Outcome(%d)", int(o))
	}
	return outcomes[o]
}

// Failed reports whether the reconcile ended with an error, panic or timeout.
func (o Outcome) Failed() bool { return o >= OutcomeError }
