package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	rl "vedette.dev/leaderelection/resourcelock"
)

// ErrLost is why the context of OnStartedLeading ended (see context.Cause) if it was not because the context of Run did.
var ErrLost = errors.New("leadership was lost")

// errReturned is why a term is over that was not lost.
var errReturned = errors.New("the work has returned")

// term is the time from one election of this replica to the end of its leadership.
//
// Invariant: while valid, no other replica that keeps to the rules can have taken the lock. They wait for LeaseDuration from when
// they see a renewal, which is after it was sent; valid ends RenewDeadline, which is shorter, after it was sent.
type term struct {
	le     *LeaderElector
	number int
	// record is what is in the lock. Only the goroutine that renews touches it.
	record rl.LeaderElectionRecord

	ctx    leadingContext // of the work
	cancel context.CancelCauseFunc
	// returned is closed when the work has returned; panicked, if not nil, is how.
	returned  chan struct{}
	panicked  *PanicError
	abandoned bool // nobody waits for the work any more; guarded by mu

	// lost is closed when the term is over, and renewing with it.
	lost         chan struct{}
	stopRenewing context.CancelFunc

	mu   sync.Mutex
	sent reading // just before the last renewal that succeeded was sent
	why  error   // why it is over, or nil
}

// newTerm begins a term by a record that was sent at that time.
func (le *LeaderElector) newTerm(ctx context.Context, record rl.LeaderElectionRecord, sent reading) *term {
	t := &term{
		le: le, number: record.LeaderTransitions, record: record, sent: sent,
		returned: make(chan struct{}), lost: make(chan struct{}), stopRenewing: func() {},
	}
	inner, cancel := context.WithCancelCause(context.WithValue(ctx, termKey{}, t))
	t.ctx, t.cancel = leadingContext{Context: inner, term: t}, cancel
	return t
}

// age is how long ago the lease was last renewed, at most.
func (t *term) age() time.Duration {
	now := t.le.clock.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.atMost(t.sent)
}

// left is how long this replica may still lead if it cannot renew, and until is how long no other can.
func (t *term) left() time.Duration  { return t.le.config.RenewDeadline - t.age() }
func (t *term) until() time.Duration { return t.le.config.LeaseDuration - t.age() }

// valid tells whether this replica leads. If time has run out, it is over from now on: who was told so once is not told
// otherwise when a late renewal succeeds.
func (t *term) valid() bool {
	select {
	case <-t.lost:
		return false
	default:
	}
	if left := t.left(); left <= 0 {
		t.end(fmt.Errorf("%w: the lease could not be renewed for %v", ErrLost, t.le.config.RenewDeadline))
		return false
	}
	return true
}

// renewed takes note of a renewal. It returns false if that came too late.
func (t *term) renewed(record rl.LeaderElectionRecord, sent reading) bool {
	t.mu.Lock()
	over := t.why != nil
	if !over {
		t.sent = sent
	}
	t.mu.Unlock()
	t.record = record
	return !over && t.valid()
}

// end ends the term: from now on this replica does not lead, and does not renew. Only the first call counts.
func (t *term) end(why error) {
	t.mu.Lock()
	first := t.why == nil
	if first {
		t.why = why
		close(t.lost)
	}
	t.mu.Unlock()
	if !first {
		return
	}
	t.cancel(why)
	t.stopRenewing()
	t.le.metric.Off(t.le.config.Name)
}

// done tells whether it is over and the work has returned.
func (t *term) done() bool {
	for _, c := range []chan struct{}{t.lost, t.returned} {
		select {
		case <-c:
		default:
			return false
		}
	}
	return true
}

// reason is why the term is over.
func (t *term) reason() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// work runs OnStartedLeading. It also ends if that calls runtime.Goexit.
func (t *term) work() {
	defer t.workReturned()
	defer func() {
		if value := recover(); value != nil {
			t.panicked = &PanicError{Callback: "OnStartedLeading", Value: value, Stack: debug.Stack()}
			t.cancel(t.panicked)
		}
	}()
	t.le.config.Callbacks.OnStartedLeading(t.ctx)
}

// workReturned lets the panic of work for which nobody waits go on: Run can no longer do it.
func (t *term) workReturned() {
	t.mu.Lock()
	abandoned := t.abandoned
	close(t.returned)
	t.mu.Unlock()
	if abandoned && t.panicked != nil {
		panic(t.panicked)
	}
}

// abandon is for work that does not return. It returns false if it has just done so.
func (t *term) abandon() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.returned:
		return false
	default:
		t.abandoned = true
		return true
	}
}

// leadingContext is the context of the work. Time may run out while nothing of this process runs: it was stopped, or the
// machine was suspended. Whatever runs first then may be the work; so it is told the truth when it asks, and not only when
// the timer has had its turn.
type leadingContext struct {
	context.Context
	term *term
}

// Done implements context.Context.
func (c leadingContext) Done() <-chan struct{} {
	c.check()
	return c.Context.Done()
}

// Err implements context.Context.
func (c leadingContext) Err() error {
	c.check()
	return c.Context.Err()
}

// check ends the context if the term is over. That may be so already, with the one who ended it just about to do this.
func (c leadingContext) check() {
	if !c.term.valid() {
		c.term.cancel(c.term.reason())
	}
}

type termKey struct{}

// Term is the number of the term in which the work with this context runs. A later leader has a greater one. A lease alone cannot
// keep a write that was sent in time from arriving late; a number that is written with each change, to an object that is updated
// only at the version that was read, can: who finds a greater number there than its own is no longer leader. The number is the
// LeaderTransitions of the lock, and starts again if the lock is deleted. ok is false if ctx is not of OnStartedLeading.
func Term(ctx context.Context) (number int, ok bool) {
	t, ok := ctx.Value(termKey{}).(*term)
	if !ok {
		return 0, false
	}
	return t.number, true
}

// PanicError is what Run panics with after a callback has panicked and the lock was given back.
type PanicError struct {
	Callback string // its name
	Value    any    // what it panicked with
	Stack    []byte // where
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("leaderelection: %s panicked: %v\n\n%s", e.Callback, e.Value, e.Stack)
}

// Unwrap returns Value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
