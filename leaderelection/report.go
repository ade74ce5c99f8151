package leaderelection

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// reporter calls OnNewLeader from a goroutine of its own, so that a slow one does not block renewals.
type reporter struct {
	le       *LeaderElector
	wake     chan struct{}
	done     chan struct{}
	stopping sync.Once
	panicked atomic.Pointer[PanicError]
}

// newReporter starts a reporter. failed is called if OnNewLeader panics.
func (le *LeaderElector) newReporter(failed func(error)) *reporter {
	r := &reporter{le: le, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if le.config.Callbacks.OnNewLeader == nil {
		close(r.done)
		return r
	}
	go r.loop(failed)
	return r
}

// changed wakes the reporter.
func (r *reporter) changed() {
	select {
	case r.wake <- struct{}{}:
	default: // it is awake already, and will see the newest state
	}
}

// stop reports what is left and waits for the goroutine. changed must not be called any more. stop may be called twice.
func (r *reporter) stop() {
	r.stopping.Do(func() { close(r.wake) })
	<-r.done
}

func (r *reporter) loop(failed func(error)) {
	defer close(r.done)
	defer func() {
		if value := recover(); value != nil {
			panicked := &PanicError{Callback: "OnNewLeader", Value: value, Stack: debug.Stack()}
			r.panicked.Store(panicked)
			failed(panicked)
		}
	}()
	for range r.wake {
		r.le.mu.Lock()
		holder := r.le.seen.record.HolderIdentity
		changed := holder != r.le.reported
		r.le.reported = holder
		r.le.mu.Unlock()
		if changed {
			r.le.config.Callbacks.OnNewLeader(holder)
		}
	}
}
