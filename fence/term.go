package fence

import (
	"context"
	"errors"
	"fmt"
)

// ErrTermOver is wrapped by the error of a term that is over, and of requests that are rejected because of it. Another
// replica may do the work by now: return, without retrying.
var ErrTermOver = errors.New("term is over")

// Term is a right to act that ends unless it is renewed. Once it has ended it stays so.
type Term struct {
	name  string
	check func() error

	over context.Context // ends when the end is noticed
	end  context.CancelCauseFunc
}

// NewTerm starts a term. The name is part of errors, such as "lease default/work".
//
// check returns nil while the term lasts, and the reason otherwise. It is called at each check, by any goroutine, and
// reads the clock each time, one that counts suspends of the machine. It must not call methods of the [Term]. A term
// within another checks the other in its check.
//
// The owner of the term must ensure that Err is called when the term may have ended, so that waiting contexts and
// requests end too.
func NewTerm(name string, check func() error) *Term {
	t := &Term{name: name, check: check}
	t.over, t.end = context.WithCancelCause(context.Background())
	return t
}

// Name returns the name of the term.
func (t *Term) Name() string { return t.name }

// Err returns nil while the term lasts, by the clock. Afterwards it returns an error that wraps [ErrTermOver] and the reason.
func (t *Term) Err() error {
	if t.over.Err() == nil {
		why := t.check()
		if why == nil {
			return nil
		}
		t.End(why)
	}
	return context.Cause(t.over)
}

// End ends the term. The reason of the first call is kept.
func (t *Term) End(why error) {
	if t.over.Err() == nil {
		t.end(fmt.Errorf("%s: %w: %w", t.name, ErrTermOver, why))
	}
}

// Done returns a channel that is closed when the end of the term has been noticed. A term whose channel is open may
// have ended: use Err.
func (t *Term) Done() <-chan struct{} { return t.over.Done() }

// AfterEnd arranges for f to be called in its own goroutine when the end of the term has been noticed, unless stop is called before.
func (t *Term) AfterEnd(f func()) (stop func() bool) { return context.AfterFunc(t.over, f) }
