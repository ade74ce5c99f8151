package controller

import (
	"errors"
	"time"
)

// Result is what a reconcile that did not fail wants.
type Result struct {
	// RequeueAfter asks for the key to be reconciled again when this much time has passed, or before, if something happens to
	// it. Zero asks for nothing. Less than zero is a time that has passed already: the key comes again after its back-off, so
	// that one that always says so does not keep a worker spinning.
	RequeueAfter time.Duration
}

// Terminal marks an error that trying again does not mend: the key is left alone until something happens to it. Terminal(nil)
// is nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &terminalError{err}
}

// IsTerminal tells whether an error, or one that it wraps, was marked by Terminal.
func IsTerminal(err error) bool {
	return errors.As(err, new(*terminalError))
}

type terminalError struct{ err error }

func (e *terminalError) Error() string { return "terminal: " + e.err.Error() }
func (e *terminalError) Unwrap() error { return e.err }
