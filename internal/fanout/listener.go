package fanout

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
)

// Config configures a listener. Call and Name must be set.
type Config struct {
	// Call calls the handler. It is called by one goroutine, and must not keep the notification.
	Call func(n *Notification)
	// Name returns the name of the handler, for logs and states. It may be called by any goroutine.
	Name func() string
	// Number is shown in the state.
	Number int
	// MaxWaiting is how many notifications that hold a state of an object that is no longer in the store may wait before those
	// that wait are coalesced. Zero means 2048, unless the listener began the batch that it reads only a moment ago; less means
	// that nothing is ever coalesced.
	MaxWaiting int
	// OnPanic is what becomes of a notification on which the handler panics.
	OnPanic PanicPolicy
	// ResyncPeriod is how often the listener wants to be notified of all objects again. Zero or less means never.
	ResyncPeriod time.Duration
	// Logger receives panics.
	Logger logr.Logger
	// OnSynced is called once, when everything has been delivered that was in the log when it was marked as synced. OnEnded is
	// called once, when the handler is not called any more. Both may be nil. They are called with locks of this package held,
	// and must not call it.
	OnSynced, OnEnded func()
}

// A listener with the default MaxWaiting coalesces when more than defaultWaiting notifications wait, each of which holds two states of
// an object, and it is behind by more than defaultDelay. In a burst, listeners that keep up are behind by some thousand
// notifications for some milliseconds: to coalesce these would cost more than to deliver them, and save almost none.
const (
	defaultWaiting = 2048
	defaultDelay   = 100 * time.Millisecond
)

// Replay is the objects that there are when a listener is added, as notifications.
type Replay interface {
	// Len returns how many there are.
	Len() int
	All() iter.Seq[Notification]
	// Release is called once, when the replay is not used any more.
	Release()
}

// Listener delivers notifications to one handler, in one goroutine.
//
// It reads the log at its own pace, and nothing waits for it. As long as it keeps up, it works on the batches that all
// listeners share. When more than MaxWaiting notifications wait between the batch that it reads and the newest one, the
// writer of the log moves them, and those that follow, into the backlog of the listener; when the backlog is empty, the
// listener continues with the log. So a handler that is stuck costs memory for each key and not for each change. The two
// batches do not count because each is one list at most, and holds nothing twice: to coalesce a long list would cost more
// than to keep it.
type Listener struct {
	config     Config
	maxWaiting uint64        // zero means that nothing is ever coalesced
	maxDelay   time.Duration // coalesce only if the listener is behind by more than that
	wake       chan struct{} // has room for one
	ctx        context.Context
	cancel     context.CancelFunc
	synced     chan struct{} // closed when the handler has been called for everything that counts
	resync     resync

	// next is the number of the first notification that has not been begun. The writer of the log takes the rest of a batch away
	// from the listener by setting it to takenAway.
	next atomic.Uint64
	// passed is batch.retained of the batch that is being read.
	passed atomic.Uint64
	// since is batch.at of the batch that is being read, or when the listener was added, in nanoseconds. Zero if all was read.
	since atomic.Int64
	idle  atomic.Bool
	// stopped is set with ctx, and cheaper to read.
	stopped atomic.Bool
	// syncAt is the number of the first notification that does not count for synced, never until that is known.
	syncAt     atomic.Uint64
	coalescing atomic.Bool
	// busy is when a call began, in nanoseconds, zero if none is under way. In a long batch it is set every so often.
	busy    atomic.Int64
	handled atomic.Uint64
	// returned is how many calls have returned. It belongs to the goroutine, which copies it to handled every so often.
	returned uint64

	mu sync.Mutex
	// current is what is being delivered.
	current current
	// replay is nil when it has been delivered.
	replay Replay
	// batch is the one that is being read, or was read last. While the listener is coalescing, it is the last one in the backlog.
	batch     *batch
	backlog   backlog
	coalesced uint64
	panics    uint64
	lastPanic string
}

const (
	// takenAway is more than the number of any notification, and never more than any that is waited for.
	takenAway = 1 << 62
	never     = 1 << 61
	// clockEvery is how many calls of a long batch are made between two reads of the clock.
	clockEvery = 32
)

// NewListener returns a listener that belongs to no log.
func NewListener(config Config) *Listener {
	if config.Call == nil || config.Name == nil {
		panic("fanout: Config.Call or Config.Name is nil")
	}
	l := &Listener{
		config: config,
		wake:   make(chan struct{}, 1),
		synced: make(chan struct{}),
		resync: resync{requested: config.ResyncPeriod},
	}
	switch {
	case config.MaxWaiting == 0:
		l.maxWaiting, l.maxDelay = defaultWaiting, defaultDelay
	case config.MaxWaiting > 0:
		l.maxWaiting = uint64(config.MaxWaiting)
	}
	l.syncAt.Store(never)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// stop lets the listener end after the call that is under way.
func (l *Listener) stop() {
	l.stopped.Store(true)
	l.cancel()
}

// appended is called by the writer of the log after it has appended. before is batch.retained of the batch that was the last.
func (l *Listener) appended(before uint64, now time.Time) {
	if l.coalescing.Load() || l.isBehind(before, now) {
		l.coalesce()
	}
	l.wakeUp()
}

// isBehind reports whether so much waits, and for so long, that it is to be coalesced.
func (l *Listener) isBehind(before uint64, now time.Time) bool {
	if l.maxWaiting == 0 || before <= l.passed.Load()+l.maxWaiting {
		return false
	}
	if l.maxDelay == 0 {
		return true
	}
	since := l.since.Load()
	return since != 0 && now.UnixNano()-since > int64(l.maxDelay)
}

func (l *Listener) wakeUp() {
	if l.idle.Load() {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// coalesce moves everything that waits in the log into the backlog.
func (l *Listener) coalesce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.coalescing.Load() {
		if from := l.next.Swap(takenAway); from < l.batch.end() {
			l.addToBacklog(l.batch, from)
		}
		l.coalescing.Store(true)
	}
	for b := l.batch.next.Load(); b != nil; b = b.next.Load() {
		l.batch = b
		l.addToBacklog(b, b.first)
	}
}

// addToBacklog adds the notifications of a batch to the backlog, from the given number on.
func (l *Listener) addToBacklog(b *batch, from uint64) {
	if !b.isFor(l) {
		return
	}
	at := b.at.UnixNano()
	for number := from; number < b.end(); number++ {
		if l.backlog.add(&b.notifications[number-b.first], number, at) {
			l.coalesced++
		}
	}
}

// run is the goroutine of the listener.
func (l *Listener) run() {
	defer l.hasEnded()
	defer l.release() // also if the handler ends the goroutine
	l.deliverReplay()
	for !l.stopped.Load() {
		if !l.step() {
			l.wait()
		}
	}
}

// hasEnded is called when the handler is not called any more.
func (l *Listener) hasEnded() {
	if l.config.OnEnded != nil {
		l.config.OnEnded()
	}
}

// release drops everything that will not be delivered.
func (l *Listener) release() {
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.backlog, l.batch = backlog{}, &batch{}
	l.coalescing.Store(false)
	l.next.Store(0)
}

func (l *Listener) deliverReplay() {
	if l.replay == nil {
		return
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.replay.Release()
		l.replay = nil
	}()
	for n := range l.replay.All() {
		if l.stopped.Load() {
			return
		}
		l.deliver(n)
	}
}

// step delivers a notification of the backlog or a batch, and reports whether there was one.
func (l *Listener) step() bool {
	w, b := l.take()
	switch {
	case w.Type == Recreated:
		for _, n := range w.split() {
			l.deliver(n)
		}
	case w.Type != vacant:
		l.deliver(w.Notification)
	case b != nil:
		l.deliverBatch(b)
	default:
		return false
	}
	return true
}

// take returns the first of the backlog or, if that is empty, the next batch.
func (l *Listener) take() (waiting, *batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	none := waiting{Notification: Notification{Type: vacant}}
	if l.backlog.len() > 0 {
		if l.backlog.front().number >= l.syncAt.Load() {
			l.hasSynced()
		}
		w := l.backlog.pop()
		l.current = current{kind: oneNotification, number: w.number, key: w.Key}
		return w, nil
	}
	l.current = current{}
	if l.coalescing.Load() {
		l.coalescing.Store(false)
		l.next.Store(l.batch.end())
		l.passed.Store(l.batch.retained)
	}
	if l.next.Load() >= l.syncAt.Load() {
		l.hasSynced()
	}
	b := l.batch.next.Load()
	if b == nil {
		l.since.Store(0)
		return none, nil
	}
	if len(b.notifications) > 0 {
		l.since.Store(b.at.UnixNano())
	}
	l.batch = b
	l.current = current{kind: oneBatch, number: b.first}
	l.next.Store(b.first)
	l.passed.Store(b.retained)
	return none, b
}

func (l *Listener) isSynced() bool {
	select {
	case <-l.synced:
		return true
	default:
		return false
	}
}

// hasSynced is called when everything that counts has been delivered.
func (l *Listener) hasSynced() {
	if l.isSynced() {
		return
	}
	close(l.synced)
	if l.config.OnSynced != nil {
		l.config.OnSynced()
	}
}

// deliverBatch delivers the notifications of a batch, as long as they are not taken away.
func (l *Listener) deliverBatch(b *batch) {
	if !b.isFor(l) {
		l.next.CompareAndSwap(b.first, b.end())
		return
	}
	for i := 0; i < len(b.notifications); {
		i = l.deliverFrom(b, i)
	}
	l.callsEnded()
}

// deliverFrom delivers a batch from a notification on. It returns where to continue: after a panic of the handler, behind the
// notification on which it panicked. So there is one recover for many calls.
func (l *Listener) deliverFrom(b *batch, i int) (next int) {
	if l.config.OnPanic != PanicFatal {
		defer func() {
			if cause := recover(); cause != nil {
				l.panicked(&b.notifications[next], cause)
				l.retry(&b.notifications[next])
				next++
			}
		}()
	}
	for next = i; next < len(b.notifications); next++ {
		if l.next.Add(1) != b.first+uint64(next)+1 || l.stopped.Load() {
			return len(b.notifications)
		}
		l.callBegins(next, len(b.notifications))
		l.config.Call(&b.notifications[next])
		l.returned++
	}
	return next
}

// callBegins notes that the call of a notification of a batch begins. In a long batch it does so every so often only: to read the clock
// takes longer than most handlers.
func (l *Listener) callBegins(i, of int) {
	if i%clockEvery == 0 || of < clockEvery {
		l.busy.Store(time.Now().UnixNano())
		l.handled.Store(l.returned)
	}
}

// callsEnded notes that no call is under way.
func (l *Listener) callsEnded() {
	l.busy.Store(0)
	l.handled.Store(l.returned)
}

// deliver delivers one notification.
func (l *Listener) deliver(n Notification) {
	l.callBegins(0, 1)
	l.call(&n)
	l.callsEnded()
}

// wait sleeps until there may be something to deliver.
func (l *Listener) wait() {
	l.idle.Store(true)
	defer l.idle.Store(false)
	if l.hasMore() {
		return
	}
	select {
	case <-l.wake:
	case <-l.ctx.Done():
	}
}

// hasMore reports whether something was appended before idle was set; after that the writer of the log sees it.
func (l *Listener) hasMore() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.backlog.len() > 0 || l.batch.next.Load() != nil || !l.isSynced() && l.next.Load() >= l.syncAt.Load()
}
