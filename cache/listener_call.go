package cache

import (
	"fmt"
	"runtime/debug"
	"time"
)

// panicRetries is how often PanicRetry tries again.
const panicRetries = 2

// call calls the handler, and deals with its panic.
func (l *listener) call(n *notice) {
	if l.onPanic == PanicFatal {
		n.call(l.handler)
		l.told++
		return
	}
	if l.survives(n) {
		l.told++
		return
	}
	l.again(n)
}

// again does with a notice on which the handler has panicked what the policy says.
func (l *listener) again(n *notice) {
	defer func() { l.told++ }()
	for try := 0; l.onPanic == PanicRetry && try < panicRetries; try++ {
		select {
		case <-time.After(time.Second << try):
		case <-l.stop.Done():
			return
		}
		if l.survives(n) {
			return
		}
	}
}

// survives tells whether the handler returned.
func (l *listener) survives(n *notice) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if cause := recover(); cause != nil {
			l.panicked(n, cause)
			return
		}
		// runtime.Goexit, as by t.FailNow: it cannot be held up, so that the handler is gone.
	}()
	n.call(l.handler)
	return true
}

func (l *listener) panicked(n *notice, cause any) {
	text := fmt.Sprintf("handler %s panicked on %q: %v", handlerType(l.handler), n.key, cause)
	l.mu.Lock()
	l.panics++
	l.lastPanic = text
	l.mu.Unlock()
	l.logger.Error(fmt.Errorf("%v", cause), "A handler panicked", "handler", handlerType(l.handler), "key", n.key,
		"stack", string(debug.Stack()))
}

// handlerType is what a handler calls itself, if it does, or its Go type, of which others may have made something else.
func handlerType(h ResourceEventHandler) string {
	switch h := h.(type) {
	case interface{ handlerType() string }:
		return h.handlerType()
	case interface{ HandlerName() string }:
		return h.HandlerName()
	}
	return fmt.Sprintf("%T", h)
}

// state is what the listener shows of itself.
func (l *listener) state() HandlerState {
	name := handlerType(l.handler) // which may ask the handler, so that it is not done under the lock
	l.mu.Lock()
	defer l.mu.Unlock()
	s := HandlerState{
		Number:  l.number,
		Handler: name,
		Synced:  IsDone(l),
		Merging: l.merging.Load(),
		Merged:  l.merged,
		Handled: l.handled.Load(),
		Panics:  l.panics, LastPanic: l.lastPanic,
	}
	if at := l.busy.Load(); at != 0 {
		s.Busy = time.Unix(0, at)
	}
	if s.Merging {
		s.Waiting = l.backlog.len()
		if s.Waiting > 0 {
			s.Oldest = time.Unix(0, l.backlog.front().at)
		}
		return s
	}
	return l.waitingInLog(s)
}

// waitingInLog adds what the listener has not read of the log, and of what it was given to begin with.
func (l *listener) waitingInLog(s HandlerState) HandlerState {
	if l.replay != nil {
		s.Waiting = max(0, l.replay.Len()-int(s.Handled))
	}
	if rest := l.page.end() - min(l.next.Load(), l.page.end()); rest > 0 && l.page.isFor(l) {
		s.Waiting += int(rest)
		s.Oldest = l.page.at
	}
	for p := l.page.next.Load(); p != nil; p = p.next.Load() {
		if !p.isFor(l) {
			continue
		}
		s.Waiting += len(p.notices)
		if s.Oldest.IsZero() {
			s.Oldest = p.at
		}
	}
	return s
}
