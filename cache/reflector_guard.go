package cache

import (
	"context"
	"time"
)

// guard looks at a watch now and then, and ends it if it has to be ended, also while the reflector waits for the next
// event.
type guard struct {
	ctx   context.Context // that of the watch
	end   context.CancelCauseFunc
	looks chan look
	done  chan struct{}
}

// look is told how old a watch is, and says in how long it wants to be asked again, or why the watch is to end.
type look func(age time.Duration) (time.Duration, error)

func (r *Reflector) newGuard(ctx context.Context, l look) *guard {
	g := &guard{looks: make(chan look), done: make(chan struct{})}
	g.ctx, g.end = context.WithCancelCause(ctx)
	go g.run(r, l)
	return g
}

func (g *guard) run(r *Reflector, l look) {
	defer close(g.done)
	began := r.clock.Now()
	for {
		again, err := l(r.clock.Since(began))
		if err != nil {
			g.end(err)
			return
		}
		timer := r.clock.NewTimer(again)
		select {
		case <-timer.C():
		case l = <-g.looks:
			timer.Stop()
		case <-g.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// use has the guard look at once, and in another way from now on.
func (g *guard) use(l look) {
	select {
	case g.looks <- l:
	case <-g.done:
	}
}

// leave ends the watch and waits for the guard.
func (g *guard) leave() {
	g.end(nil)
	<-g.done
}

// await calls f beside the caller, so that a function that does not heed its context cannot hold up a stop; one that
// should is given a moment. A panic of f is raised again here. What f returns too late is given to late.
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

// grace is for how long a function that knows contexts may go on when they have ended.
const grace = time.Second

func (r *Reflector) grace() time.Duration {
	if r.heeds {
		return grace
	}
	return 0
}

// heedsContext tells whether calls end when their context ends.
func heedsContext(lw ListerWatcher) bool {
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
