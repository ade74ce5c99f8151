package record

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// listener is a queue of events and the goroutine that handles them.
type listener struct {
	b      *Broadcaster
	name   string
	handle func(context.Context, *corev1.Event)
	// queue is sent to, and closed, under the broadcaster's lock.
	queue chan *corev1.Event

	ctx    context.Context
	cancel context.CancelFunc
	ended  chan watch.Event
}

// Stop ends the listener: after the current event, or at once if that is waiting to be written. Events in its queue are
// dropped. Stop does not wait; the channel of ResultChan is closed when the listener has ended.
func (l *listener) Stop() {
	l.cancel()
	l.b.leave(l)
}

// ResultChan returns a channel that is closed when the listener has ended. It has no events: they go to the handler.
func (l *listener) ResultChan() <-chan watch.Event { return l.ended }

func (l *listener) run() {
	complete := false
	defer func() {
		if complete {
			l.end()
			return
		}
		// The handler has called runtime.Goexit, as t.FailNow does, which ends this goroutine. Start another one for
		// the next event.
		go l.run()
	}()
	for event := range l.queue {
		if l.ctx.Err() != nil {
			l.b.counts.dropped.Add(1)
			continue
		}
		// Listeners share the event, and a handler may modify its copy.
		l.call(event.DeepCopy())
	}
	complete = true
}

func (l *listener) end() {
	l.Stop()
	l.b.gone(l)
	close(l.ended)
}

// call calls the handler. A panic or a runtime.Goexit is counted and logged.
func (l *listener) call(event *corev1.Event) {
	returned := false
	defer func() {
		cause := recover()
		if returned {
			return
		}
		message := "Event listener panicked"
		if cause == nil {
			message, cause = "Event listener called runtime.Goexit", "none"
		}
		l.b.counts.panics.Add(1)
		l.b.complain(l.b.config.Logger, aboutPanic, slog.LevelError, message,
			"listener", l.name, "event", nameOf(event), "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
	}()
	l.handle(l.ctx, event)
	returned = true
}
