package fanout

import (
	"fmt"
	"runtime/debug"
	"time"
)

// PanicPolicy is what becomes of a notification on which a handler panics. The panic is counted and logged in any case.
type PanicPolicy int

const (
	// PanicSkip continues with the next notification.
	PanicSkip PanicPolicy = iota
	// PanicRetry calls the handler twice more, a second and two seconds later, and then continues with the next notification.
	PanicRetry
	// PanicFatal lets the panic end the process.
	PanicFatal
)

// panicRetries is how often PanicRetry tries again.
const panicRetries = 2

// call calls the handler, and does with its panic what the policy says.
func (l *Listener) call(n *Notification) {
	if l.config.OnPanic == PanicFatal {
		l.config.Call(n)
		l.returned++
		return
	}
	if l.returns(n) {
		l.returned++
		return
	}
	l.retry(n)
}

// retry does with a notification on which the handler has panicked what the policy says.
func (l *Listener) retry(n *Notification) {
	defer func() { l.returned++ }()
	for try := 0; l.config.OnPanic == PanicRetry && try < panicRetries; try++ {
		select {
		case <-time.After(time.Second << try):
		case <-l.ctx.Done():
			return
		}
		if l.returns(n) {
			return
		}
	}
}

// returns calls the handler, and reports whether it returned.
func (l *Listener) returns(n *Notification) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if cause := recover(); cause != nil {
			l.panicked(n, cause)
			return
		}
		// runtime.Goexit, as by t.FailNow: it cannot be stopped, and ends the listener.
	}()
	l.config.Call(n)
	return true
}

func (l *Listener) panicked(n *Notification, cause any) {
	name := l.config.Name()
	text := fmt.Sprintf("handler %s panicked on %q: %v", name, n.Key, cause)
	l.mu.Lock()
	l.panics++
	l.lastPanic = text
	l.mu.Unlock()
	l.config.Logger.Error(fmt.Errorf("%v", cause), "A handler panicked", "handler", name, "key", n.Key,
		"stack", string(debug.Stack()))
}
