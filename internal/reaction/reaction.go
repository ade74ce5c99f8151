// Package reaction carries errors of a fake client's reactors through a real client.
package reaction

import "errors"

// Error is an error of a transport that a client returns as Err, without the address of the request, and without
// retries.
type Error struct{ Err error }

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// There is no Unwrap: what sends requests would try again after some errors.

// Given returns the error of a reactor that err wraps, or nil.
func Given(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.Err
	}
	return nil
}
