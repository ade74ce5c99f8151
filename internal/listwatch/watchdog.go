package listwatch

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"
)

// watchdog checks a watch periodically, and ends it if necessary, also while the reflector waits for the next event.
type watchdog struct {
	ctx    context.Context // that of the watch
	end    context.CancelCauseFunc
	checks chan check
	done   chan struct{}
}

// check is called with the age of a watch. It returns when it should be called again, or why the watch has to end.
type check func(age time.Duration) (time.Duration, error)

func (r *Reflector) newWatchdog(ctx context.Context, c check) *watchdog {
	g := &watchdog{checks: make(chan check), done: make(chan struct{})}
	g.ctx, g.end = context.WithCancelCause(ctx)
	go g.run(r, c)
	return g
}

func (g *watchdog) run(r *Reflector, c check) {
	defer close(g.done)
	began := r.config.Clock.Now()
	for {
		again, err := c(r.config.Clock.Since(began))
		if err != nil {
			g.end(err)
			return
		}
		timer := r.config.Clock.NewTimer(again)
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

// await calls f in another goroutine, so that a function that ignores its context does not delay a stop; a
// context-aware one is given a moment. A panic of f is raised again here. A late result of f is passed to late.
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

// grace is how long a context-aware function may continue after the context has ended.
const grace = time.Second

func (r *Reflector) grace() time.Duration {
	if r.config.Source.ContextAware {
		return grace
	}
	return 0
}

// progress reports to a watchdog whether data is still received.
type progress struct {
	n    atomic.Int64
	over bool
}

// made records progress, unless it is over.
func (p *progress) made() {
	if !p.over {
		p.n.Add(1)
	}
}

// live records that the initial phase is over: later events are not progress.
func (p *progress) live() { p.over = true }

// timeouts is how long a reflector waits for data, in steps: the watchdog checks once per step.
type timeouts struct {
	step time.Duration
	// warn is the number of steps without progress after which the state has cause, fail the number after which the
	// reflector gives up, and failFirst the same if no data was received at all; 0 means the same as fail.
	warn, fail, failFirst int
	cause                 error
}

// check returns the check for progress.
func (p timeouts) check(r *Reflector, progress *progress) check {
	seen, idle := int64(0), -1 // the first check is at the beginning
	return func(time.Duration) (time.Duration, error) {
		if n := progress.n.Load(); n != seen {
			seen, idle = n, 0
			r.reassured(p.cause)
		} else {
			idle++
		}
		if idle == p.warn {
			r.failing(p.cause)
		}
		if idle >= p.fail || seen == 0 && p.failFirst > 0 && idle >= p.failFirst {
			return 0, p.cause
		}
		return p.step, nil
	}
}

// isNil reports whether obj is nil or a nil pointer.
func isNil(obj any) bool {
	if obj == nil {
		return true
	}
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
