package controller

import (
	"errors"
	"time"
)

// Result is the result of a successful reconcile.
type Result struct {
	// RequeueAfter asks for the key to be reconciled again after this time, or earlier if an event arrives. Zero means
	// no requeue. A negative value is a time that has passed already: the key is added again after its backoff, so that
	// a reconciler that always returns one does not keep a worker busy.
	RequeueAfter time.Duration
}

// Terminal marks an error that a retry cannot fix: the key is not retried until its next event. Terminal(nil) is nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &terminalError{err}
}

// IsTerminal reports whether err, or an error that it wraps, was marked by [Terminal].
func IsTerminal(err error) bool {
	return errors.As(err, new(*terminalError))
}

type terminalError struct{ err error }

func (e *terminalError) Error() string { return "terminal: " + e.err.Error() }
func (e *terminalError) Unwrap() error { return e.err }
