package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Broadcaster is the [EventBroadcaster] of this package. New and [NewBroadcaster] return one.
//
//	recorder ──▶ publish ──▶ queue of a listener ──▶ its goroutine ──▶ handler, log
//	                   └───▶ queue of a listener ──▶ its goroutine ──▶ correlator ──▶ sink
//
// A recorder creates the event and puts it into the queue of each listener that has room. There is no other queue, and
// there are no goroutines other than those of the listeners.
type Broadcaster struct {
	config Config
	counts counts
	complaints

	ctx    context.Context // parent of the listeners' contexts, cancelled at the end of Shutdown
	cancel context.CancelFunc

	// last is the time in the name of the newest event.
	last atomic.Int64

	mu sync.Mutex
	// listeners receive events. Invariant: their queues are open, and all are in running.
	listeners []*listener
	// running are the listeners whose goroutines have not ended.
	running []*listener
	// closing is closed when Shutdown begins, and deadline is set then.
	closing  chan struct{}
	deadline time.Time

	// stopAfter cancels the shutdown at the end of the user's context; ended is closed when that shutdown is done.
	stopAfter func() bool
	stopOnce  sync.Once
	ended     chan struct{}
}

var _ EventBroadcaster = (*Broadcaster)(nil)

// grace is how long Shutdown waits for listeners whose contexts have ended.
const grace = time.Second

var errShutdown = errors.New("broadcaster was shut down")

// New returns a [Broadcaster]. It does nothing until it has a listener.
func New(config Config) (*Broadcaster, error) {
	return newBroadcaster(context.Background(), config)
}

// newBroadcaster returns a broadcaster that shuts down with a context. A nil context means never.
func newBroadcaster(ctx context.Context, config Config) (*Broadcaster, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	b := &Broadcaster{config: config.withDefaults(), closing: make(chan struct{}), ended: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	b.stopAfter = context.AfterFunc(ctx, func() {
		defer close(b.ended)
		b.shutdown()
	})
	return b, nil
}

// moment returns the time in nanoseconds, never the same twice: it is part of the names of events.
func (b *Broadcaster) moment() int64 {
	for {
		last := b.last.Load()
		if next := max(time.Now().UnixNano(), last+1); b.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// publish puts an event into the queues. All listeners receive events in the same order.
func (b *Broadcaster) publish(event *corev1.Event) error {
	b.mu.Lock()
	if b.isClosing() {
		b.mu.Unlock()
		return errShutdown
	}
	b.counts.recorded.Add(1)
	var full string
	for _, l := range b.listeners {
		select {
		case l.queue <- event:
		default:
			b.counts.dropped.Add(1)
			full = l.name
		}
	}
	b.mu.Unlock()
	if full != "" {
		b.complain(b.config.Logger, aboutDrop, slog.LevelError, "Dropped event: listener queue is full",
			"listener", full, "queue", b.config.Queue, "dropped", b.counts.dropped.Load())
	}
	return nil
}

// StartEventWatcher calls a function with each event from now on, one after the other. The function may keep and modify
// the event. If it panics or calls runtime.Goexit, that is counted and logged, and it is called with the next event.
// After Shutdown a closed watch is returned.
func (b *Broadcaster) StartEventWatcher(eventHandler func(*corev1.Event)) watch.Interface {
	if eventHandler == nil {
		panic("record: StartEventWatcher: function is nil")
	}
	return b.listen(funcName(eventHandler), func(_ context.Context, event *corev1.Event) { eventHandler(event) })
}

// StartRecordingToSink writes events from now on to a sink, after an [EventCorrelator] has counted, combined and filtered
// them.
func (b *Broadcaster) StartRecordingToSink(sink EventSink) watch.Interface {
	if sink == nil {
		panic("record: StartRecordingToSink: sink is nil")
	}
	w := &writer{b: b, sink: sink, correlator: NewEventCorrelatorWithOptions(b.config.Correlator)}
	return b.listen(fmt.Sprintf("%T", sink), w.handle)
}

func (b *Broadcaster) listen(name string, handle func(context.Context, *corev1.Event)) watch.Interface {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosing() {
		return watch.NewEmptyWatch()
	}
	l := &listener{b: b, name: name, handle: handle, queue: make(chan *corev1.Event, b.config.Queue), ended: make(chan watch.Event)}
	l.ctx, l.cancel = context.WithCancel(b.ctx)
	b.listeners = append(b.listeners, l)
	b.running = append(b.running, l)
	go l.run()
	return l
}

// leave removes a listener from the list and closes its queue, unless that has been done.
func (b *Broadcaster) leave(l *listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.listeners, l); i >= 0 {
		b.listeners = slices.Delete(b.listeners, i, i+1)
		close(l.queue)
	}
}

// gone is called when the goroutine of a listener has ended.
func (b *Broadcaster) gone(l *listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(other *listener) bool { return other == l })
}

// funcName returns the name of a handler for logs.
func funcName(f any) string {
	if found := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); found != nil {
		return found.Name()
	}
	return "unknown function"
}
