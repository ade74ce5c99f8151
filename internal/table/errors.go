package table

import (
	"errors"
	"fmt"
)

// Errors collects the failures of index functions for many objects. It keeps the first few and counts the others. The
// zero value is empty.
type Errors struct {
	first []error
	more  int
}

const maxErrors = 10

// Add adds an error, unless it is nil.
func (e *Errors) Add(err error) {
	switch {
	case err == nil:
	case len(e.first) < maxErrors:
		e.first = append(e.first, err)
	default:
		e.more++
	}
}

// Err returns nil, the only error, or all errors joined.
func (e *Errors) Err() error {
	if e.more > 0 {
		return errors.Join(append(e.first, fmt.Errorf("and %d objects more", e.more))...)
	}
	if len(e.first) == 1 {
		return e.first[0]
	}
	return errors.Join(e.first...)
}
