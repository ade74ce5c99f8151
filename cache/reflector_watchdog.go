package cache

import (
	"context"
	"time"
)

// watchdog looks at a watch now and then, and ends it if it has to be ended, also while the reflector waits for the next
// event.
type watchdog struct {
	ctx    context.Context // that of the watch
	end    context.CancelCauseFunc
	checks chan check
	done   chan struct{}
}

// check is called with the age of a watch. It returns when it is to be called again, or why the watch has to end.
type check func(age time.Duration) (time.Duration, error)

func (r *Reflector) newWatchdog(ctx context.Context, c check) *watchdog {
	g := &watchdog{checks: make(chan check), done: make(chan struct{})}
	g.ctx, g.end = context.WithCancelCause(ctx)
	go g.run(r, c)
	return g
}

func (g *watchdog) run(r *Reflector, c check) {
	defer close(g.done)
	began := r.clock.Now()
	for {
		again, err := c(r.clock.Since(began))
		if err != nil {
			g.end(err)
			return
		}
		timer := r.clock.NewTimer(again)
		select {
		case <-timer.C():
		case c = <-g.checks:
			timer.Stop()
		case <-g.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// use calls another check at once, and from now on.
func (g *watchdog) use(c check) {
	select {
	case g.checks <- c:
	case <-g.done:
	}
}

// leave ends the watch and waits for the watchdog.
func (g *watchdog) leave() {
	g.end(nil)
	<-g.done
}

// await calls f in another goroutine, so that a function that ignores its context does not delay a stop; one that should not
// ignore it is given a moment. A panic of f is raised again here. What f returns too late is given to late.
func await[T any](ctx context.Context, grace time.Duration, f func() (T, error), late func(T)) (T, error) {
	type result struct {
		value T
		err   error
		panic any
	}
	results := make(chan result, 1)
	go func() {
		var out result
		defer func() {
			out.panic = recover()
			results <- out
		}()
		out.value, out.err = f()
	}()
	var out result
	select {
	case out = <-results:
	case <-ctx.Done():
		select {
		case out = <-results:
		case <-time.After(grace):
			go func() {
				if out := <-results; out.err == nil && out.panic == nil && late != nil {
					late(out.value)
				}
			}()
			return out.value, context.Cause(ctx)
		}
	}
	if out.panic != nil {
		panic(out.panic)
	}
	return out.value, out.err
}

// grace is how long a function that takes a context may go on when the context has ended.
const grace = time.Second

func (r *Reflector) grace() time.Duration {
	if r.contextAware {
		return grace
	}
	return 0
}

// isContextAware reports whether calls end when their context ends.
func isContextAware(lw ListerWatcher) bool {
	if semantics, ok := lw.(*listWatchWithSemantics); ok {
		lw = semantics.ListWatch
	}
	if l, ok := lw.(*ListWatch); ok && l != nil {
		return l.ListWithContextFunc != nil && l.WatchFuncWithContext != nil
	}
	_, ok := lw.(ListerWatcherWithContext)
	return ok
}

func wantsNoChunks(lw ListerWatcher) bool {
	if semantics, ok := lw.(*listWatchWithSemantics); ok {
		lw = semantics.ListWatch
	}
	l, ok := lw.(*ListWatch)
	return ok && l != nil && l.DisableChunking
}
