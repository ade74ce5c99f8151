package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"vedette.dev/fence"
	"vedette.dev/internal/clock"
	rl "vedette.dev/leaderelection/resourcelock"
)

// ErrLost is the cause (see context.Cause) of the end of OnStartedLeading's context, unless the context of Run ended.
var ErrLost = errors.New("leadership was lost")

// errReturned is the cause of the end of a term that was not lost.
var errReturned = errors.New("OnStartedLeading has returned")

// term is the time from one election of this replica to the end of its leadership.
//
// Invariant: while it is valid, no other replica that follows the protocol can have taken the lock. Replicas wait for
// LeaseDuration after they have seen a renewal, which is after it was sent; a term is valid for RenewDeadline, which is
// shorter, after it was sent.
type term struct {
	// Term is over when its time has run out or when end was called. All checks use it.
	*fence.Term
	le     *LeaderElector
	number int
	// record is the content of the lock. Only the goroutine that renews accesses it.
	record rl.LeaderElectionRecord

	ctx    context.Context // of the work; it checks the clock
	inner  context.Context // the same, without checking the clock
	cancel context.CancelCauseFunc
	// returned is closed when the work has returned; panicked is its panic, or nil.
	returned  chan struct{}
	panicked  *PanicError
	abandoned bool // Run no longer waits for the work; guarded by mu

	// finish does what has to be done once at the end of the term.
	finish       func()
	renewing     context.Context // of renewals; ends with the term
	stopRenewing context.CancelFunc

	mu   sync.Mutex
	sent clock.Reading // just before the last successful renewal was sent
}

// newTerm starts a term with a record that was sent at that time.
func (le *LeaderElector) newTerm(ctx context.Context, record rl.LeaderElectionRecord, sent clock.Reading) *term {
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
	t.AfterEnd(t.finish) // whatever has ended it
	return t
}

// age returns an upper bound of the time since the lease was last renewed.
func (t *term) age() time.Duration {
	now := t.le.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.AtMost(t.sent)
}

// left is how long this replica may still lead if it cannot renew, until how long no other can.
func (t *term) left() time.Duration  { return t.le.config.RenewDeadline - t.age() }
func (t *term) until() time.Duration { return t.le.config.LeaseDuration - t.age() }

// expired returns the cause of the end of the term if its time has run out.
func (t *term) expired() error {
	if t.left() > 0 {
		return nil
	}
	return fmt.Errorf("%w: the lease could not be renewed for %v", ErrLost, t.le.config.RenewDeadline)
}

// valid reports whether this replica leads. Once reported as over, a term stays over, even if a late renewal succeeds.
func (t *term) valid() bool {
	if t.Err() == nil {
		return true
	}
	t.finish()
	return false
}

// renewed records a renewal. It returns false if it was too late.
func (t *term) renewed(record rl.LeaderElectionRecord, sent clock.Reading) bool {
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

// end ends the term: from now on this replica does not lead, and does not renew. Only the first call has an effect.
func (t *term) end(why error) {
	t.End(why)
	t.finish()
}

// done reports whether the term is over and the work has returned.
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

// work runs OnStartedLeading, and also handles runtime.Goexit.
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

// workReturned re-panics with the panic of abandoned work, because Run no longer can.
func (t *term) workReturned() {
	t.mu.Lock()
	abandoned := t.abandoned
	close(t.returned)
	t.mu.Unlock()
	if abandoned && t.panicked != nil {
		panic(t.panicked)
	}
}

// abandon stops waiting for work that does not return. It returns false if it has just returned.
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

// Term returns the number of the term in which the work with this context runs. A later leader has a greater one. A
// lease alone cannot prevent a write that was sent in time from arriving late; a number that is stored with each write,
// in an object that is updated only at the version that was read, can: a replica that finds a greater number there than
// its own no longer leads. The number is LeaderTransitions of the lock, and may restart if the lock is deleted. ok is
// false if ctx does not come from OnStartedLeading, or from a reconcile under runner.Run with leader election.
func Term(ctx context.Context) (number int, ok bool) {
	t, ok := ctx.Value(termKey{}).(*term)
	if !ok {
		return 0, false
	}
	return t.number, true
}

// PanicError is the value with which Run panics after a callback has panicked and the lock was released.
type PanicError struct {
	Callback string // name of the callback
	Value    any    // value of the panic
	Stack    []byte // stack of the panic
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("leaderelection: %s panicked: %v\n\n%s", e.Callback, e.Value, e.Stack)
}

// Unwrap returns Value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
