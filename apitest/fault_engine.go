package apitest

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/apitest/internal/serve"
)

// faults are the active faults, and the running watches that a new one may apply to. Without faults, a request costs a
// lock and a load.
type faults struct {
	api *serve.Server // set before the first request

	// active is replaced, never modified.
	active atomic.Pointer[[]*Injection]

	mu      sync.Mutex // for writers of active, and for the fields below
	watches map[*watchRun]struct{}
	number  int // of watches so far
	closed  bool

	stop    context.Context // ends with Close
	stopNow context.CancelFunc
	running sync.WaitGroup // requests
}

func newFaults() *faults {
	f := &faults{watches: map[*watchRun]struct{}{}}
	f.active.Store(new([]*Injection))
	f.stop, f.stopNow = context.WithCancel(context.Background())
	return f
}

// close ends everything that waits, and wait waits for its end.
func (f *faults) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stopNow()
}

func (f *faults) wait() { f.running.Wait() }

// add activates a fault. A watch is either hit here, or finds the fault when it begins: see begin.
func (f *faults) add(i *Injection) {
	f.mu.Lock()
	list := append(slices.Clone(*f.active.Load()), i)
	f.active.Store(&list)
	watches := make([]*watchRun, 0, len(f.watches))
	for run := range f.watches {
		watches = append(watches, run)
	}
	f.mu.Unlock()
	// In the order in which they began, so that the result is deterministic.
	slices.SortFunc(watches, func(a, b *watchRun) int { return a.number - b.number })
	for _, run := range watches {
		if i.fault.Effect.sortFor(true) == onWatch && i.fault.request(run.r) && i.strike() {
			run.end(&i.fault)
		}
	}
}

func (f *faults) drop(i *Injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(*f.active.Load()), func(other *Injection) bool { return other == i })
	f.active.Store(&list)
}

// intercept handles a request, with all effects of faults. All requests pass through it.
func (f *faults) intercept(r *serve.Request, w http.ResponseWriter) bool {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		serve.WriteError(w, r, errShuttingDown)
		return true
	}
	f.running.Add(1)
	f.mu.Unlock()
	defer f.running.Done()

	x := &exchange{faults: f, r: r, w: w, conn: connOf(r.Context())}
	if r.Verb == "watch" {
		x.watch()
		return true
	}
	if x.hit(*f.active.Load()) {
		x.handle()
	}
	return true
}

// sleep waits, and reports whether the request is still active.
func (f *faults) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-f.stop.Done():
	}
	return false
}

// settle waits so that written data can reach the client before the connection is changed: with HTTP/2, another
// goroutine writes.
func (f *faults) settle() {
	const enough = 20 * time.Millisecond
	f.sleep(context.Background(), enough)
}
