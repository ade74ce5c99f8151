package workqueue

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"
)

// chooser makes the choices of a run: rapid or a fuzzer's bytes.
type chooser interface {
	// pick returns a number from 0 to n-1.
	pick(n int) int
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// machine drives a queue and its model side by side. It lives in a synctest bubble: time is the bubble's, and after
// each step everything that can run has run.
type machine struct {
	t     failer
	q     TypedInterface[int]
	m     *model
	start time.Time
	steps map[string]func(chooser)
	order []string // of the steps, for those who choose by number

	// Workers that found the queue empty, and callers of ShutDownWithDrain, wait on goroutines of their own.
	mu               sync.Mutex
	handed           []taken
	asleep, ended    int
	drains, drainsOK int
}

type taken struct{ key, priority int }

func newMachine(t failer, k kind) *machine {
	x := &machine{t: t, m: newModel(k), start: time.Now()}
	limiter := NewTypedItemExponentialFailureRateLimiter[int](modelBase, modelMax)
	switch k {
	case fifoKind:
		x.q = NewTyped[int]()
	case lifoKind:
		x.q = NewTypedWithConfig(TypedQueueConfig[int]{Queue: new(lifo[int])})
	case delayingKind:
		x.q = NewTypedDelayingQueue[int]()
	case classicKind, honestKind:
		x.q = NewTypedRateLimitingQueueWithConfig(limiter, TypedRateLimitingQueueConfig[int]{HonestBackoff: k == honestKind})
	case fairKind:
		q, err := NewFair(FairConfig[int]{
			RateLimiter: limiter,
			Tenant:      func(key int) string { return strconv.Itoa(x.m.tenant(key)) },
			MaxSkips:    3,
		})
		if err != nil {
			t.Fatalf("NewFair: %v", err)
		}
		x.q = q
	}
	t.Cleanup(x.q.ShutDown) // a failed run leaves no workers behind in the bubble
	x.steps = map[string]func(chooser){"add": x.add, "get": x.get, "done": x.done, "shut down": x.shutDown}
	if _, ok := x.q.(TypedDelayingInterface[int]); ok {
		x.steps["add after"], x.steps["cancel"], x.steps["sleep"] = x.addAfter, x.cancel, x.sleep
	}
	if _, ok := x.q.(TypedRateLimitingInterface[int]); ok {
		x.steps["add rate limited"], x.steps["forget"] = x.addRateLimited, x.forget
	}
	for name := range x.steps {
		x.order = append(x.order, name)
	}
	slices.Sort(x.order)
	return x
}

func (x *machine) pickKey(c chooser) int { return c.pick(modelKeys) }

// pickPriority gives the fair queue three priorities, and all others none.
func (x *machine) pickPriority(c chooser) int {
	if x.m.kind != fairKind {
		return 0
	}
	return c.pick(3) - 1
}

func (x *machine) add(c chooser) {
	key, priority := x.pickKey(c), x.pickPriority(c)
	if f, ok := x.q.(*Fair[int]); ok {
		f.AddWithOpts(AddOpts{Priority: &priority}, key)
	} else {
		x.q.Add(key)
	}
	x.m.addNow(key, priority)
}

// get takes a key if there is one; else a worker goes to sleep until there is.
func (x *machine) get(chooser) {
	if len(x.m.line) == 0 && !x.m.closed {
		if x.asleep < 3 {
			x.asleep++
			go x.worker()
		}
		return
	}
	empty := len(x.m.line) == 0
	key, priority, shutdown := x.take()
	if shutdown != empty {
		x.t.Fatalf("Get: shutdown %v with %d keys in the line", shutdown, len(x.m.line))
	}
	if !shutdown {
		x.taken(taken{key, priority})
	}
}

func (x *machine) take() (key, priority int, shutdown bool) {
	if f, ok := x.q.(*Fair[int]); ok {
		return f.GetWithPriority()
	}
	key, shutdown = x.q.Get()
	return key, 0, shutdown
}

func (x *machine) worker() {
	key, priority, shutdown := x.take()
	x.mu.Lock()
	defer x.mu.Unlock()
	if shutdown {
		x.ended++
	} else {
		x.handed = append(x.handed, taken{key, priority})
	}
}

func (x *machine) taken(got taken) {
	if next := x.m.nexts(); !slices.Contains(next, got.key) || x.m.processing[got.key] {
		x.t.Fatalf("Get returned %d, want one of %v; processing %v", got.key, next, x.m.processing)
	}
	if x.m.kind == fairKind && got.priority != x.m.priority[got.key] {
		x.t.Fatalf("Get returned %d with priority %d, want %d", got.key, got.priority, x.m.priority[got.key])
	}
	x.m.take(got.key)
}

func (x *machine) done(c chooser) {
	key := x.pickKey(c) // often one that no worker has, which must be harmless
	x.q.Done(key)
	x.m.done(key)
}

func (x *machine) shutDown(c chooser) {
	switch c.pick(12) {
	case 0:
		x.q.ShutDown()
		x.m.shutDown(false)
	case 1:
		x.drains++
		go func() {
			x.q.ShutDownWithDrain()
			x.mu.Lock()
			x.drainsOK++
			x.mu.Unlock()
		}()
		synctest.Wait()
		x.m.shutDown(true)
	}
}

var modelDelays = []time.Duration{
	math.MinInt64, 0, 1, 300 * time.Microsecond, 1 << 20, 63 << 20, // the borders of buckets are where wheels go wrong
	4 * time.Millisecond, 8 * time.Millisecond, 70 * time.Millisecond,
	5 * time.Second, math.MaxInt64,
}

// addAfter delays a few keys.
func (x *machine) addAfter(c chooser) {
	for range 1 + c.pick(3) {
		key, d, priority := x.pickKey(c), modelDelays[c.pick(len(modelDelays))], x.pickPriority(c)
		if f, ok := x.q.(*Fair[int]); ok {
			f.AddWithOpts(AddOpts{After: d, Priority: &priority}, key)
		} else {
			x.q.(TypedDelayingInterface[int]).AddAfter(key, d)
		}
		x.m.addAfter(key, d, priority)
		if d <= 0 {
			return // a worker may take the key while the next one is added
		}
	}
}

func (x *machine) addRateLimited(c chooser) {
	key, priority := x.pickKey(c), x.pickPriority(c)
	if f, ok := x.q.(*Fair[int]); ok {
		f.AddWithOpts(AddOpts{RateLimited: true, Priority: &priority}, key)
	} else {
		x.q.(TypedRateLimitingInterface[int]).AddRateLimited(key)
	}
	x.m.addRateLimited(key, priority)
}

func (x *machine) forget(c chooser) {
	key := x.pickKey(c)
	x.q.(TypedRateLimitingInterface[int]).Forget(key)
	x.m.forget(key)
}

func (x *machine) cancel(c chooser) {
	key := x.pickKey(c)
	w := x.m.wakes[key]
	want := w != nil && w.pending
	if got := x.q.(TypedCanceler[int]).Cancel(key); got != want {
		x.t.Fatalf("Cancel(%d) = %v, want %v", key, got, want)
	}
	if want {
		x.m.settle(key)
	}
}

func (x *machine) sleep(c chooser) {
	time.Sleep(max(1, modelDelays[2+c.pick(len(modelDelays)-3)]))
}
