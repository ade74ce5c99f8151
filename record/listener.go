package record

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// listener is a queue of events, and the goroutine that handles them.
type listener struct {
	b      *Broadcaster
	name   string
	handle func(context.Context, *corev1.Event)
	// queue is written to, and closed, under the broadcaster's lock.
	queue chan *corev1.Event

	ctx    context.Context
	cancel context.CancelFunc
	ended  chan watch.Event
}

// Stop ends the listener: after the event that it is busy with, or at once if that is waiting to be written. What is in
// its queue is dropped. It does not wait; the channel of ResultChan is closed when the end is reached.
func (l *listener) Stop() {
	l.cancel()
	l.b.leave(l)
}

// ResultChan has no events: they go to the handler. It is closed when the listener has ended.
func (l *listener) ResultChan() <-chan watch.Event { return l.ended }

func (l *listener) run() {
	defer l.end()
	for event := range l.queue {
		if l.ctx.Err() != nil {
			l.b.counts.dropped.Add(1)
			continue
		}
		// Listeners share the event, and handlers are not ours.
		l.call(event.DeepCopy())
	}
}

// end also follows runtime.Goexit in a handler, as by t.FailNow.
func (l *listener) end() {
	l.Stop()
	for range l.queue {
		l.b.counts.dropped.Add(1)
	}
	l.b.gone(l)
	close(l.ended)
}

func (l *listener) call(event *corev1.Event) {
	defer func() {
		if cause := recover(); cause != nil {
			l.b.counts.panics.Add(1)
			l.b.complain(l.b.config.Logger, aboutPanic, slog.LevelError, "a listener panicked on an event",
				"listener", l.name, "event", nameOf(event), "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
	}()
	l.handle(l.ctx, event)
}
