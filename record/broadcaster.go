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

// Broadcaster is the EventBroadcaster of this package: New makes one, and so does NewBroadcaster.
//
//	recorder ──▶ publish ──▶ queue of a listener ──▶ its goroutine ──▶ handler, log
//	                   └───▶ queue of a listener ──▶ its goroutine ──▶ correlator ──▶ sink
//
// A recorder makes the event and puts it into the queue of each listener, where there is room. There is no queue before
// these, and no goroutine but theirs.
type Broadcaster struct {
	config Config
	counts counts
	complaints

	ctx    context.Context // ends when Shutdown has no more time to give; of it are the listeners' contexts
	cancel context.CancelFunc

	// last is the time in the name of the newest event.
	last atomic.Int64

	mu sync.Mutex
	// listeners get events. Invariant: their queues are open, and all are in running.
	listeners []*listener
	// running are those whose goroutines have not ended.
	running []*listener
	// closing is closed when Shutdown begins, and deadline then set.
	closing  chan struct{}
	deadline time.Time

	// stopAfter takes back what was to happen at the end of the user's context; ended is closed when that has been done.
	stopAfter func() bool
	stopOnce  sync.Once
	ended     chan struct{}
}

var _ EventBroadcaster = (*Broadcaster)(nil)

// grace is how long Shutdown waits for listeners whose contexts have ended.
const grace = time.Second

var errShutdown = errors.New("the broadcaster was shut down")

// New makes a Broadcaster. It does nothing until it has a listener.
func New(config Config) (*Broadcaster, error) {
	return newBroadcaster(context.Background(), config)
}

// newBroadcaster makes one that shuts down with a context. Nil means never.
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

// moment is now in nanoseconds, and never the same twice: it makes the names of events.
func (b *Broadcaster) moment() int64 {
	for {
		last := b.last.Load()
		if next := max(time.Now().UnixNano(), last+1); b.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// publish puts an event into the queues. All listeners get events in the same order.
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
		b.complain(b.config.Logger, aboutDrop, slog.LevelError, "events are dropped: a listener is too slow for them",
			"listener", full, "queue", b.config.Queue, "dropped", b.counts.dropped.Load())
	}
	return nil
}

// StartEventWatcher calls a function with each event from now on, one after the other. The event is the function's to keep
// and to change. If the function panics or calls runtime.Goexit, that is counted and logged, and it goes on with the next event. After
// Shutdown there is nothing to listen to, and an empty watch is returned.
func (b *Broadcaster) StartEventWatcher(eventHandler func(*corev1.Event)) watch.Interface {
	if eventHandler == nil {
		panic("record: StartEventWatcher was given no function to call")
	}
	return b.listen(funcName(eventHandler), func(_ context.Context, event *corev1.Event) { eventHandler(event) })
}

// StartRecordingToSink writes events from now on to a sink: counted, combined and limited, as EventCorrelator does.
func (b *Broadcaster) StartRecordingToSink(sink EventSink) watch.Interface {
	if sink == nil {
		panic("record: StartRecordingToSink was given no sink")
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

// leave takes a listener off the list, so that its queue comes to an end. It may be off already.
func (b *Broadcaster) leave(l *listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.listeners, l); i >= 0 {
		b.listeners = slices.Delete(b.listeners, i, i+1)
		close(l.queue)
	}
}

// gone is the last word of a listener.
func (b *Broadcaster) gone(l *listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(other *listener) bool { return other == l })
}

// funcName is what a handler is called in complaints.
func funcName(f any) string {
	if found := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); found != nil {
		return found.Name()
	}
	return "a function"
}
