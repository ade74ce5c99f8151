package fanout

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
)

// Log is an append-only log of notifications, and its listeners.
type Log struct {
	mu sync.Mutex
	// Invariant: a listener has a goroutine if and only if started is set and the listener has not ended.
	listeners []*Listener
	// running counts the goroutines of all listeners, including those that were removed. It grows only until stopped is set.
	running sync.WaitGroup
	// listened is len(listeners) > 0, and read without the lock.
	listened atomic.Bool
	started  bool
	stopped  bool
	// synced says that the first list is in the log.
	synced bool
	// last is the newest batch. Older ones are held by the listeners that have not read them.
	last *batch
	// check is how often the writer checks whether a resync is due, zero if never.
	check  time.Duration
	logger logr.Logger
}

// NewLog returns a log whose writer checks every so often whether a resync is due; zero or less means never. The logger
// receives a line when the resync period of a listener is changed.
func NewLog(check time.Duration, logger logr.Logger) *Log {
	// Notifications are numbered from 1, so that 0 is before all of them.
	return &Log{last: &batch{first: 1}, check: max(0, check), logger: logger}
}

// Add adds a listener, and reports whether it did: a log that was stopped takes no more. If the log was started, replay is
// called, and the listener delivers what it returns before it reads the log. The caller must not let anything be appended
// between the moment of the replay and the return of Add.
func (log *Log) Add(l *Listener, replay func() Replay) bool {
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.stopped {
		return false
	}
	log.setPeriod(l)
	l.batch = log.last
	l.next.Store(log.last.end())
	l.passed.Store(log.last.retained)
	l.since.Store(time.Now().UnixNano())
	if log.synced {
		l.syncAt.Store(log.last.end())
	}
	log.listeners = append(log.listeners, l)
	log.listened.Store(true)
	if log.started {
		l.replay = replay()
		log.running.Go(l.run)
	}
	return true
}

// HasListeners reports whether there are listeners. It takes no lock.
func (log *Log) HasListeners() bool { return log.listened.Load() }

// Remove removes a listener, and lets it end after the call that is under way. It does not wait for that, so that a handler
// can remove its own listener; End waits.
func (log *Log) Remove(l *Listener) {
	log.mu.Lock()
	defer log.mu.Unlock()
	i := slices.Index(log.listeners, l)
	if i < 0 {
		return
	}
	log.listeners = slices.Delete(log.listeners, i, i+1)
	log.listened.Store(len(log.listeners) > 0)
	l.stop()
	if !log.started && !log.stopped {
		l.hasEnded()
	}
}

// Start starts the listeners, those that are there and those to come. It may be called more than once.
func (log *Log) Start() {
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.started {
		return
	}
	log.started = true
	for _, l := range log.listeners {
		log.running.Go(l.run)
	}
}

// End lets all listeners end after the call that is under way, and waits for them and for those that were removed before. It
// may be called more than once, but not by a handler.
func (log *Log) End() {
	log.stop()
	log.running.Wait()
}

func (log *Log) stop() {
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.stopped {
		return
	}
	log.stopped = true
	for _, l := range log.listeners {
		l.stop()
		if !log.started {
			l.hasEnded()
		}
	}
}

// Append appends notifications, which the log keeps and must not be written to afterwards. Without listeners it does nothing.
// Those of a resync are for the listeners for which ShouldResync found it due.
func (log *Log) Append(notifications []Notification) {
	if len(notifications) == 0 {
		return
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if len(log.listeners) == 0 {
		return
	}
	at, before := time.Now(), log.last.retained
	for len(notifications) > 0 {
		n := 1
		for n < len(notifications) && notifications[n].Sync == notifications[0].Sync {
			n++
		}
		log.write(&batch{notifications: notifications[:n:n], at: at, listeners: log.listenersOf(notifications[0].Sync)})
		notifications = notifications[n:]
	}
	// The last batch is empty, so that listeners that have read everything hold nothing.
	log.write(&batch{})
	for _, l := range log.listeners {
		l.appended(before, at)
	}
}

func (log *Log) write(next *batch) {
	next.first, next.retained = log.last.end(), log.last.retained+retained(next.notifications)
	log.last.next.Store(next)
	log.last = next
}

// listenersOf returns the listeners that notifications are for; nil means all.
func (log *Log) listenersOf(sync bool) []*Listener {
	if !sync || !slices.ContainsFunc(log.listeners, func(l *Listener) bool { return !l.resync.due }) {
		return nil
	}
	due := []*Listener{}
	for _, l := range log.listeners {
		if l.resync.due {
			due = append(due, l)
		}
	}
	return due
}

// MarkSynced says that the first list is in the log: a listener has synced when it has delivered everything up to here.
func (log *Log) MarkSynced() {
	log.mu.Lock()
	defer log.mu.Unlock()
	log.synced = true
	for _, l := range log.listeners {
		l.syncAt.Store(log.last.end())
		l.wakeUp()
	}
}

// States returns the states of the listeners.
func (log *Log) States() []State {
	log.mu.Lock()
	listeners := slices.Clone(log.listeners)
	log.mu.Unlock()
	states := make([]State, len(listeners))
	for i, l := range listeners {
		states[i] = l.State()
	}
	return states
}

// batch is a part of the log: notifications that were appended together, which all listeners read in the same memory. A batch
// that all have read is garbage.
type batch struct {
	notifications []Notification
	// first is the number of the first notification, counted from the beginning of the log, and at when it was appended.
	first uint64
	at    time.Time
	// retained is the sum of retained over the log, up to the end of the batch.
	retained uint64
	// listeners are those that the batch is for; nil means all.
	listeners []*Listener
	next      atomic.Pointer[batch]
}

// end returns the number of the first notification after the batch.
func (b *batch) end() uint64 { return b.first + uint64(len(b.notifications)) }

func (b *batch) isFor(l *Listener) bool { return b.listeners == nil || slices.Contains(b.listeners, l) }
