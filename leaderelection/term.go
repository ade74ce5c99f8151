package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"vedette.dev/fence"
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
	// Term is over when time has run out or when end was called. All questions go to it.
	*fence.Term
	le     *LeaderElector
	number int
	// record is what is in the lock. Only the goroutine that renews touches it.
	record rl.LeaderElectionRecord

	ctx    context.Context // of the work; it asks the clock
	inner  context.Context // the same, without asking
	cancel context.CancelCauseFunc
	// returned is closed when the work has returned; panicked, if not nil, is how.
	returned  chan struct{}
	panicked  *PanicError
	abandoned bool // Run does not wait for the work any more; guarded by mu

	// finish does, once, what the end of the term entails.
	finish       func()
	renewing     context.Context // of renewals; ends with the term
	stopRenewing context.CancelFunc

	mu   sync.Mutex
	sent reading // just before the last renewal that succeeded was sent
}

// newTerm begins a term by a record that was sent at that time.
func (le *LeaderElector) newTerm(ctx context.Context, record rl.LeaderElectionRecord, sent reading) *term {
	t := &term{le: le, number: record.LeaderTransitions, record: record, sent: sent, returned: make(chan struct{})}
	t.Term = fence.NewTerm("lease "+le.config.Lock.Describe(), t.expired)
	t.renewing, t.stopRenewing = context.WithCancel(context.WithoutCancel(ctx)) // the lease is renewed while the work winds down
	t.inner, t.cancel = context.WithCancelCause(context.WithValue(fence.With(ctx, t.Term), termKey{}, t))
	t.ctx, _ = fence.WithCancelCause(t.inner)
	t.finish = sync.OnceFunc(func() {
		t.cancel(t.Err())
		t.stopRenewing()
		le.metric.Off(le.config.Name)
	})
	t.AfterEnd(t.finish) // whichever question has ended it
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

// expired returns why the term is over if time has run out.
func (t *term) expired() error {
	if t.left() > 0 {
		return nil
	}
	return fmt.Errorf("%w: the lease could not be renewed for %v", ErrLost, t.le.config.RenewDeadline)
}

// valid reports whether this replica leads. A term that has been reported to be over stays so, even if a late renewal succeeds.
func (t *term) valid() bool {
	if t.Err() == nil {
		return true
	}
	t.finish()
	return false
}

// renewed takes note of a renewal. It returns false if that came too late.
func (t *term) renewed(record rl.LeaderElectionRecord, sent reading) bool {
	t.record = record
	select {
	case <-t.Done():
		return false
	default:
	}
	t.mu.Lock()
	t.sent = sent
	t.mu.Unlock()
	return t.valid()
}

// end ends the term: from now on this replica does not lead, and does not renew. Only the first call counts.
func (t *term) end(why error) {
	t.End(why)
	t.finish()
}

// done reports whether it is over and the work has returned.
func (t *term) done() bool {
	for _, c := range []<-chan struct{}{t.Done(), t.returned} {
		select {
		case <-c:
		default:
			return false
		}
	}
	return true
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

type termKey struct{}

// Term is the number of the term in which the work with this context runs. A later leader has a greater one. A lease alone cannot
// keep a write that was sent in time from arriving late; a number that is written with each change, to an object that is updated
// only at the version that was read, can: a replica that finds a greater number there than its own no longer leads. The number is
// the LeaderTransitions of the lock, and may start again if the lock is deleted. ok is false if ctx does not come from
// OnStartedLeading, or from a reconcile under runner.Run with leader election.
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
