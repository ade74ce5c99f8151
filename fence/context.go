package fence

import "context"

type termKey struct{}

// With returns a context that carries the term. It does not end with the term: see [WithCancelCause].
func With(parent context.Context, t *Term) context.Context {
	return context.WithValue(parent, termKey{}, t)
}

// From returns the term that a context carries, or nil.
func From(ctx context.Context) *Term {
	t, _ := ctx.Value(termKey{}).(*Term)
	return t
}

// WithCancelCause is like context.WithCancelCause, but the context also ends with the term that parent carries, by the
// clock, even if parent does not: parent may be a context.WithoutCancel. If parent carries no term, there is no
// difference.
func WithCancelCause(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	t := From(parent)
	if t == nil {
		return ctx, cancel
	}
	stop := t.AfterEnd(func() { cancel(t.Err()) })
	return &termContext{Context: ctx, term: t, cancel: cancel}, func(cause error) {
		stop()
		cancel(cause)
	}
}

// termContext checks the term at each call. The first goroutine that runs after the process was stopped may be the one
// that checks; it must not depend on a timer.
type termContext struct {
	context.Context
	term   *Term
	cancel context.CancelCauseFunc
}

// Done implements context.Context.
func (c *termContext) Done() <-chan struct{} {
	c.ask()
	return c.Context.Done()
}

// Err implements context.Context.
func (c *termContext) Err() error {
	c.ask()
	return c.Context.Err()
}

func (c *termContext) ask() {
	if err := c.term.Err(); err != nil {
		c.cancel(err)
	}
}

type exemptKey struct{}

// Exempt returns a context whose requests are not checked. It is for the requests that acquire, renew and release a
// term.
func Exempt(parent context.Context) context.Context {
	return context.WithValue(parent, exemptKey{}, true)
}

func isExempt(ctx context.Context) bool { return ctx.Value(exemptKey{}) != nil }
