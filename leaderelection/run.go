package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Run takes part in the election until ctx ends or, once elected, leadership is lost; it does not start again by
// itself. In this order:
//
//  1. It waits until the lock is free, and takes it.
//  2. It calls OnStartedLeading in a goroutine, and renews the lease every RetryPeriod.
//  3. When ctx ends or the lease is lost, the context of OnStartedLeading has ended. Run waits for it to return; after
//     the end of ctx it renews the lease meanwhile.
//  4. It releases the lock, if ReleaseOnCancel is set and it still holds it.
//  5. It calls OnStoppedLeading and returns.
//
// Run may be called again after it has returned. If the work of the previous Run is still running, it waits for that
// first.
func (le *LeaderElector) Run(ctx context.Context) {
	if !le.running.CompareAndSwap(false, true) {
		panic("leaderelection: Run called while another Run of the same elector is running")
	}
	defer le.running.Store(false)
	if m, ok := le.metric.(interface{ Close() }); ok {
		defer m.Close() // another Run creates a new one
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	reports := le.newReporter(func(err error) { cancel(err) })
	stopped := sync.OnceFunc(le.config.Callbacks.OnStoppedLeading)
	defer reports.stop() // also if a lock panics
	panicked := le.campaign(ctx, reports, stopped)
	if panicked == nil {
		panicked = reports.panicked.Load()
	}
	if panicked == nil {
		stopped() // before the reporter has ended, which may be slow: the program may want to exit here
		reports.stop()
		panicked = reports.panicked.Load()
	}
	if panicked != nil {
		panic(panicked)
	}
}

// campaign leads if elected, and returns the panic of the work, if any.
func (le *LeaderElector) campaign(ctx context.Context, reports *reporter, stopped func()) *PanicError {
	t := le.acquire(ctx, reports)
	if t == nil {
		return nil
	}
	if ctx.Err() != nil { // elected, but already cancelled
		le.release(ctx, le.config.requestTimeout())
		return nil
	}
	return le.lead(ctx, t, reports, stopped)
}

// acquire returns a term when this replica is elected, and nil when ctx has ended.
func (le *LeaderElector) acquire(ctx context.Context, reports *reporter) *term {
	if !le.awaitOldWork(ctx) {
		return nil
	}
	le.logger.Info("Taking part in the election")
	for ctx.Err() == nil {
		t, err := le.tryAcquire(ctx)
		reports.changed()
		if t != nil {
			return t
		}
		pause := le.pause()
		var waiting *waitingError
		switch {
		case errors.As(err, &waiting):
			pause = min(waiting.left, le.config.RetryPeriod) // renewed as by a leader, or others would take the lock
		case errors.Is(err, errHeld):
			le.logger.Debug("Not elected", "err", err)
		case ctx.Err() == nil:
			le.logger.Warn("Failed to acquire the lock, retrying", "err", err)
		}
		if !le.sleep(ctx, pause) {
			break
		}
	}
	if le.unsure {
		// The cancelled request may have taken the lock, and others would wait for a leader that does not exist.
		le.release(ctx, le.config.requestTimeout())
	}
	return nil
}

// awaitOldWork keeps a second Run from leading while the work of the first is still running.
func (le *LeaderElector) awaitOldWork(ctx context.Context) bool {
	old := le.current.Load()
	if old == nil {
		return true
	}
	select {
	case <-old.returned:
		le.current.CompareAndSwap(old, nil)
		return true
	case <-ctx.Done():
		return false
	}
}

// lead runs a term to its end. It returns the panic of the work, if any.
func (le *LeaderElector) lead(ctx context.Context, t *term, reports *reporter, stopped func()) *PanicError {
	le.logger.Info("Became leader", "term", t.number)
	le.config.Lock.RecordEvent("became leader")
	le.current.Store(t)
	if le.config.Gate != nil {
		le.config.Gate.Open(t.Term)
	}
	le.metric.On(le.config.Name)

	var crew sync.WaitGroup
	defer crew.Wait()
	defer t.end(errReturned) // also if a recorder panics
	crew.Go(func() { t.guard(t.renewing) })
	crew.Go(func() { le.renewals(t.renewing, t, reports) })
	go t.work()

	<-t.ctx.Done()
	done := t.awaitWork() || !t.abandon()
	if !done {
		le.logger.Error("OnStartedLeading has not returned in time", "err", t.Err())
		stopped()
	}
	t.end(errReturned) // unless it was lost: from now on IsLeader is false
	crew.Wait()
	if done {
		le.current.CompareAndSwap(t, nil)
		if !errors.Is(t.Err(), errTaken) {
			le.release(ctx, t.until())
		}
	}
	le.logger.Info("Stopped leading", "term", t.number, "err", context.Cause(t.ctx))
	le.config.Lock.RecordEvent("stopped leading")
	if done {
		return t.panicked
	}
	return nil
}

// awaitWork waits for the work, whose context has ended, to return. It gives up, and returns false, after StopTimeout,
// and when another replica may begin to lead.
func (t *term) awaitWork() bool {
	var limit <-chan time.Time
	if d := t.le.config.StopTimeout; d > 0 {
		c, stop := t.le.clock.After(d)
		defer stop()
		limit = c
	}
	long, stop := t.le.clock.After(t.le.config.RenewDeadline)
	defer stop()
	for lost := false; !lost; {
		select {
		case <-t.returned:
			return true
		case <-limit:
			t.end(fmt.Errorf("%w: OnStartedLeading has not returned within StopTimeout (%v)", ErrLost, t.le.config.StopTimeout))
			return false
		case <-long:
			t.le.logger.Warn("Waiting for OnStartedLeading to return, still renewing the lease")
		case <-t.Done():
			lost = true
		}
	}
	for left := t.until(); left > 0; left = t.until() {
		if t.le.wait(t.returned, left) {
			return true
		}
	}
	return false
}

// guard ends the term when its time has run out. It checks more often than the timers require, because of suspends.
func (t *term) guard(ctx context.Context) {
	for t.valid() {
		if t.le.wait(ctx.Done(), t.left()) {
			return
		}
	}
}

// wait waits until done is closed, in which case it returns true, or for d, or until the clock should be checked again.
func (le *LeaderElector) wait(done <-chan struct{}, d time.Duration) bool {
	c, stop := le.clock.After(min(d, max(10*time.Millisecond, min(le.config.RetryPeriod/4, 500*time.Millisecond))))
	defer stop()
	select {
	case <-done:
		return true
	case <-c:
		return false
	}
}
