package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"vedette.dev/internal/table"
)

// listener tells one handler of the changes, in one goroutine.
//
// It reads the log at its own pace, and nobody waits for it. As long as it keeps up, it works on the pages that all share.
// When more than maxWaiting notices wait between the page that it reads and the newest one, whoever writes the log moves
// them, and those that follow, into the backlog of the listener; when that is empty, the listener goes on with the log. So
// a handler that is stuck costs something for each key, and nothing for each change. The two pages do not count because
// they are no more than a list each, and hold nothing twice: to take a long list apart would cost more than to keep it.
type listener struct {
	handler    ResourceEventHandler
	number     int                   // which listener of the informer it is
	home       *partition            // whose changes it tells of; nil if there are none
	elsewhere  map[string]*partition // the homes of what it tells first and is at home elsewhere
	onSynced   func()                // called when it has synced; may be nil
	onEnded    func()                // called when it has ended; may be nil
	logger     logr.Logger
	maxWaiting uint64 // zero means that nothing is ever merged
	onPanic    PanicPolicy
	wake       chan struct{} // has room for one
	stop       context.Context
	cancel     context.CancelFunc
	ended      chan struct{} // closed when the goroutine has ended, or will never begin
	synced     chan struct{} // closed when the handler has dealt with all that there was
	resync     resyncing

	// next is the number of the first notice that has not been begun. Whoever takes the rest of a page away from the listener
	// puts a very large number here.
	next atomic.Uint64
	// passed is the weight of the log up to the end of the page that is being read.
	passed atomic.Uint64
	idle   atomic.Bool
	// stopped is set with stop, and quicker to look at.
	stopped atomic.Bool
	// syncAt is the number of the first notice that does not count for synced, far away until that is known.
	syncAt  atomic.Uint64
	merging atomic.Bool
	// busy is when a call began, in the time of the clock, zero if none runs. In a long page it is set now and then.
	busy    atomic.Int64
	handled atomic.Uint64
	// told is how many calls have returned. It belongs to the goroutine, which now and then lets others see it in handled.
	told uint64

	mu sync.Mutex
	// inHand is the notice of the backlog that is being told, or a page while it is being read; idle if neither.
	inHand inHand
	// replay is what there was when the listener was added.
	replay *table.View
	// page is the one that is being read, or was read last. In the time of merging it is the last one in the backlog.
	page      *page
	backlog   backlog
	merged    uint64
	panics    uint64
	lastPanic string
}

const (
	// defaultWaiting is how many notices may wait before they are merged. Each holds two states of an object.
	defaultWaiting = 2048
	// takenAway is more than any number of a notice.
	takenAway = 1 << 62
	never     = 1 << 61
	// clockEvery is how many calls of a long page go by between two checks at the clock.
	clockEvery = 32
)

func newListener(handler ResourceEventHandler, options HandlerOptions, logger logr.Logger) *listener {
	if options.Logger != nil {
		logger = *options.Logger
	}
	l := &listener{
		handler: handler,
		logger:  logger,
		onPanic: options.OnPanic,
		wake:    make(chan struct{}, 1),
		ended:   make(chan struct{}),
		synced:  make(chan struct{}),
	}
	switch {
	case options.MaxWaiting == 0:
		l.maxWaiting = defaultWaiting
	case options.MaxWaiting > 0:
		l.maxWaiting = uint64(options.MaxWaiting)
	}
	l.syncAt.Store(never)
	l.stop, l.cancel = context.WithCancel(context.Background())
	return l
}

// stopNow lets the listener end after the call that is under way.
func (l *listener) stopNow() {
	l.stopped.Store(true)
	l.cancel()
}

// HasSynced implements ResourceEventHandlerRegistration.
func (l *listener) HasSynced() bool { return IsDone(l) }

// HasSyncedChecker implements ResourceEventHandlerRegistration.
func (l *listener) HasSyncedChecker() DoneChecker { return l }

// Name implements DoneChecker.
func (l *listener) Name() string { return "handler " + handlerType(l.handler) }

// Done implements DoneChecker.
func (l *listener) Done() <-chan struct{} { return l.synced }

// noticed is called by whoever has appended to the log, whose weight was less before.
func (l *listener) noticed(before uint64) {
	if l.merging.Load() || l.maxWaiting > 0 && before > l.passed.Load()+l.maxWaiting {
		l.merge()
	}
	l.wakeUp()
}

func (l *listener) wakeUp() {
	if l.idle.Load() {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// merge moves all that waits in the log into the backlog.
func (l *listener) merge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.merging.Load() {
		if from := l.next.Swap(takenAway); from < l.page.end() {
			l.keep(l.page, from)
		}
		l.merging.Store(true)
	}
	for p := l.page.next.Load(); p != nil; p = p.next.Load() {
		l.page = p
		l.keep(p, p.first)
	}
}

// keep adds the notices of a page to the backlog, from the given number on.
func (l *listener) keep(p *page, from uint64) {
	if !p.isFor(l) {
		return
	}
	at := p.at.UnixNano()
	for number := from; number < p.end(); number++ {
		if l.backlog.add(&p.notices[number-p.first], number, at) {
			l.merged++
		}
	}
}

// run is the goroutine of the listener.
func (l *listener) run() {
	defer l.hasEnded()
	defer l.forget() // also if the handler ends the goroutine
	l.replayAll()
	for !l.stopped.Load() {
		if !l.step() {
			l.wait()
		}
	}
}

// hasEnded says that the handler is never called again.
func (l *listener) hasEnded() {
	close(l.ended)
	if l.onEnded != nil {
		l.onEnded()
	}
}

// forget lets go of what will never be told.
func (l *listener) forget() {
	l.stopNow()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.backlog, l.page = backlog{}, &page{}
	l.merging.Store(false)
	l.next.Store(0)
}

// replayAll tells the handler of everything that there was when it was added.
func (l *listener) replayAll() {
	if l.replay == nil {
		return
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.replay.Release()
		l.replay = nil
	}()
	for r := range l.replay.Rows() {
		if l.stopped.Load() {
			return
		}
		n := notice{key: r.Key(), new: r.Object, what: added, initial: true}
		if n.home = l.home; l.elsewhere[n.key] != nil {
			n.home = l.elsewhere[n.key]
		}
		l.tell(&n)
	}
}

// step does something if there is something to do.
func (l *listener) step() bool {
	w, p := l.take()
	switch {
	case w.what != vacant:
		l.tell(&w.notice)
	case p != nil:
		l.read(p)
	default:
		return false
	}
	return true
}

// take returns the first of the backlog or, if that is empty, the next page.
func (l *listener) take() (waiting, *page) {
	l.mu.Lock()
	defer l.mu.Unlock()
	none := waiting{notice: notice{what: vacant}}
	if l.backlog.len() > 0 {
		if l.backlog.front().number >= l.syncAt.Load() {
			l.hasSynced()
		}
		w := l.backlog.pop()
		l.inHand = inHand{what: handNotice, number: w.number, key: w.key}
		return w, nil
	}
	l.inHand = inHand{}
	if l.merging.Load() {
		l.merging.Store(false)
		l.next.Store(l.page.end())
		l.passed.Store(l.page.weight)
	}
	if l.next.Load() >= l.syncAt.Load() {
		l.hasSynced()
	}
	p := l.page.next.Load()
	if p == nil {
		return none, nil
	}
	l.page = p
	l.inHand = inHand{what: handPage, number: p.first}
	l.next.Store(p.first)
	l.passed.Store(p.weight)
	return none, p
}

// hasSynced is called when all that counts has been told.
func (l *listener) hasSynced() {
	if IsDone(l) {
		return
	}
	close(l.synced)
	if l.onSynced != nil {
		l.onSynced()
	}
}

// read tells the handler of the notices of a page, as long as they are not taken away.
func (l *listener) read(p *page) {
	if !p.isFor(l) {
		l.next.CompareAndSwap(p.first, p.end())
		return
	}
	for i := 0; i < len(p.notices); {
		i = l.readOn(p, i)
	}
	l.rest()
}

// readOn is read from a notice on, and returns where to go on: after a panic of the handler, behind the notice on which it
// did. So there is one recover for many calls.
func (l *listener) readOn(p *page, i int) (next int) {
	if l.onPanic != PanicFatal {
		defer func() {
			if cause := recover(); cause != nil {
				l.panicked(&p.notices[next], cause)
				l.again(&p.notices[next])
				next++
			}
		}()
	}
	for next = i; next < len(p.notices); next++ {
		if l.next.Add(1) != p.first+uint64(next)+1 || l.stopped.Load() {
			return len(p.notices)
		}
		l.count(next, len(p.notices))
		p.notices[next].call(l.handler)
		l.told++
	}
	return next
}

// count notes that a call begins. In a long page only every so often: to ask for the time would take longer than most
// handlers do.
func (l *listener) count(i, of int) {
	if i%clockEvery == 0 || of < clockEvery {
		l.busy.Store(time.Now().UnixNano())
		l.handled.Store(l.told)
	}
}

// rest notes that no call is under way.
func (l *listener) rest() {
	l.busy.Store(0)
	l.handled.Store(l.told)
}

// tell tells the handler of a single notice.
func (l *listener) tell(n *notice) {
	l.count(0, 1)
	l.call(n)
	l.rest()
}

// wait sleeps until there may be something to do.
func (l *listener) wait() {
	l.idle.Store(true)
	defer l.idle.Store(false)
	if l.more() {
		return
	}
	select {
	case <-l.wake:
	case <-l.stop.Done():
	}
}

// more tells whether something came before idle was set, after which the writer of the log sees it.
func (l *listener) more() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.backlog.len() > 0 || l.page.next.Load() != nil || !IsDone(l) && l.next.Load() >= l.syncAt.Load()
}
