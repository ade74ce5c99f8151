package cache

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"vedette.dev/internal/table"
)

// processor is the listeners of an informer, and the log that they read.
type processor struct {
	mu sync.Mutex
	// Invariant: listeners have a goroutine if and only if started is set and they have not ended.
	listeners []*listener
	// running counts the goroutines of all listeners, also of those that were removed. It grows only until stopped is set.
	running sync.WaitGroup
	// listened tells whether there are any, for those who do not hold the lock.
	listened atomic.Bool
	added    int // how many there ever were
	started  bool
	stopped  bool
	// synced says that the first list is in the log.
	synced bool
	// last is the newest page of the log. Older ones are held by those who have not read them.
	last *page
	// check is how often the informer checks whether a resync is due, zero if never.
	check  time.Duration
	logger logr.Logger
}

func newProcessor(check time.Duration, logger logr.Logger) *processor {
	// Notices are numbered from 1, so that 0 is before all of them.
	return &processor{last: &page{first: 1}, check: max(0, check), logger: logger}
}

// add adds a listener. What it is to hear first is returned by replay, which is called if the informer runs; no notice
// may be appended meanwhile.
func (p *processor) add(l *listener, replay func() *table.View) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	p.agree(l)
	p.added++
	if l.number == 0 {
		l.number = p.added
	}
	l.page = p.last
	l.next.Store(p.last.end())
	l.passed.Store(p.last.weight)
	if p.synced {
		l.syncAt.Store(p.last.end())
	}
	p.listeners = append(p.listeners, l)
	p.listened.Store(true)
	if p.started {
		l.replay = replay()
		p.running.Go(l.run)
	}
	return true
}

// agree settles how often a new listener resyncs. Before the start the most impatient one decides how often the informer
// checks; afterwards a listener must put up with that.
func (p *processor) agree(l *listener) {
	l.resync.due = true
	want := l.resync.requested
	if want > 0 && want < minimumResync {
		p.logger.Info("A resync period is too short and was raised", "requested", want, "minimum", minimumResync)
		want = minimumResync
		l.resync.requested = want
	}
	switch {
	case want > 0 && p.check == 0:
		p.logger.Info("A handler does not resync, since its informer does not", "requested", want)
	case want > 0 && want < p.check && !p.started:
		p.check = want
		p.settle()
	case want > 0 && want < p.check:
		p.logger.Info("A resync period was raised to that of the running informer", "requested", want, "used", p.check)
	}
	l.resync.set(permitted(want, p.check), time.Now())
}

// settle sets all periods anew, as the informer checks more often now.
func (p *processor) settle() {
	now := time.Now()
	for _, l := range p.listeners {
		l.resync.set(permitted(l.resync.requested, p.check), now)
	}
}

// period is how often the informer checks whether a resync is due.
func (p *processor) period() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.check
}

// shouldResync tells whether some listener is to be told of all objects again, and remembers which.
func (p *processor) shouldResync() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	some := false
	for _, l := range p.listeners {
		if l.resync.look(now) {
			some = true
		}
	}
	return some
}

// remove takes a listener out and lets it end. It is not waited for, so that handlers can remove themselves; end waits.
func (p *processor) remove(l *listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.listeners, l)
	if i < 0 {
		return
	}
	p.listeners = slices.Delete(p.listeners, i, i+1)
	p.listened.Store(len(p.listeners) > 0)
	l.stopNow()
	if !p.started && !p.stopped {
		l.hasEnded()
	}
}

// start starts the listeners that were added before. It may be called more than once.
func (p *processor) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return
	}
	p.started = true
	for _, l := range p.listeners {
		p.running.Go(l.run)
	}
}

// end lets all listeners end, and waits for them and for those that were removed before. It may be called more than once.
func (p *processor) end() {
	p.stop()
	p.running.Wait()
}

func (p *processor) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	for _, l := range p.listeners {
		l.stopNow()
		if !p.started {
			l.hasEnded()
		}
	}
}

// append tells all listeners. Notices of a resync are only for those whose turn it is.
func (p *processor) append(notices []notice) {
	if len(notices) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.listeners) == 0 {
		return
	}
	at, behind := time.Now(), p.last.weight
	for len(notices) > 0 {
		run := 1
		for run < len(notices) && notices[run].sync == notices[0].sync {
			run++
		}
		p.write(&page{notices: notices[:run:run], at: at, audience: p.audience(notices[0].sync)})
		notices = notices[run:]
	}
	// The end of the log is empty, so that those who have read all of it hold nothing.
	p.write(&page{})
	for _, l := range p.listeners {
		l.noticed(behind)
	}
}

func (p *processor) write(next *page) {
	next.first, next.weight = p.last.end(), p.last.weight+weightOf(next.notices)
	p.last.next.Store(next)
	p.last = next
}

// audience is who hears of notices: nil means everyone.
func (p *processor) audience(sync bool) []*listener {
	if !sync || !slices.ContainsFunc(p.listeners, func(l *listener) bool { return !l.resync.due }) {
		return nil
	}
	due := []*listener{}
	for _, l := range p.listeners {
		if l.resync.due {
			due = append(due, l)
		}
	}
	return due
}

// hasSynced says that the first list is in the log.
func (p *processor) hasSynced() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.synced = true
	for _, l := range p.listeners {
		l.syncAt.Store(p.last.end())
		l.wakeUp()
	}
}

func (p *processor) states() []HandlerState {
	p.mu.Lock()
	listeners := slices.Clone(p.listeners)
	p.mu.Unlock()
	states := make([]HandlerState, len(listeners))
	for i, l := range listeners {
		states[i] = l.state()
	}
	return states
}
