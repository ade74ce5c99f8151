package ctrl

import (
	"reflect"
	"slices"
	"sync"

	clientgoworkqueue "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"vedette.dev/console"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

// queued is a controller whose queue is one of QueueFor.
type queued interface {
	// address is that of its queue, as handlers of controller-runtime have it.
	address() uintptr
	feed(feed)
	ended() bool
	// shown returns the controller for a page.
	shown(all map[string]totals) console.Controller
}

// ranController is a controller of controller-runtime, as far as its queue, its informers and its metrics tell.
type ranController[T comparable] struct {
	name    string
	cache   *Cache
	queue   clientgoworkqueue.TypedRateLimitingInterface[T] // implements workqueue.TypedInspector[T]
	watched clientgoworkqueue.TypedRateLimitingInterface[T] // a pointer
	tracker *tracker[T]

	mu  sync.Mutex
	fed []feed
}

// watch makes the controller of a queue known, and returns the queue that it is to use.
func watch[T comparable](cache *Cache, name string, queue clientgoworkqueue.TypedRateLimitingInterface[T]) clientgoworkqueue.TypedRateLimitingInterface[T] {
	c := &ranController[T]{name: name, cache: cache, queue: queue, tracker: trackerOf[T](cache, name)}
	plain := watchedQueue[T]{queue, c.tracker}
	c.watched = &plain
	if priorities, ok := queue.(priorityqueue.PriorityQueue[T]); ok {
		c.watched = &watchedPriorityQueue[T]{plain, priorities}
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	cache.controllers = slices.DeleteFunc(cache.controllers, queued.ended)
	cache.controllers = append(cache.controllers, c)
	return c.watched
}

// trackerOf returns the tracker of the controller of a name.
func trackerOf[T comparable](c *Cache, name string) *tracker[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.trackers[name].(*tracker[T])
	if !ok {
		t = newTracker[T]()
		c.trackers[name] = t
	}
	return t
}

// shownControllers returns the controllers that run.
func (c *Cache) shownControllers() []console.Controller {
	c.mu.Lock()
	c.controllers = slices.DeleteFunc(c.controllers, queued.ended)
	running := slices.Clone(c.controllers)
	c.mu.Unlock()
	if len(running) == 0 {
		return nil
	}
	all := readTotals()
	out := make([]console.Controller, len(running))
	for i, one := range running {
		out[i] = one.shown(all)
	}
	return out
}

func (c *ranController[T]) address() uintptr { return reflect.ValueOf(c.watched).Pointer() }

func (c *ranController[T]) feed(f feed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.fed, func(other feed) bool { return other.engine == f.engine && other.same == f.same }) {
		c.fed = append(running(c.fed), f)
	}
}

func (c *ranController[T]) feeds() []feed {
	c.mu.Lock()
	defer c.mu.Unlock()
	return running(c.fed)
}

// ended reports whether the queue was shut down and the workers have returned their keys.
func (c *ranController[T]) ended() bool {
	return c.queue.ShuttingDown() && c.snapshot(1).ProcessingCount == 0
}

func (c *ranController[T]) snapshot(limit int) workqueue.Snapshot[string] {
	return workqueue.TextSnapshot(c.queue, limit)
}

func (c *ranController[T]) shown(all map[string]totals) console.Controller {
	return shownController[T]{c, all[c.name]}
}

// shownController is a controller as it was at one moment. It implements console.Controller.
type shownController[T comparable] struct {
	*ranController[T]
	totals totals
}

// Name implements console.Controller.
func (c shownController[T]) Name() string { return c.name }

// QueueSnapshot returns what is in the queue, for the page.
func (c shownController[T]) QueueSnapshot(limit int) workqueue.Snapshot[string] {
	return c.snapshot(limit)
}

// Feeds returns the names of the informers that feed the controller, for the page.
func (c shownController[T]) Feeds() []string {
	var names []string
	for _, f := range c.feeds() {
		names = append(names, f.informer)
	}
	return names
}

// maxBusy is the number of keys in progress that a state lists. There are seldom more workers.
const maxBusy = 1000

// State implements console.Controller.
func (c shownController[T]) State() controller.State {
	s := controller.State{
		Name: c.name, Phase: controller.PhaseRunning, Workers: c.totals.workers, Queued: c.queue.Len(),
		Reconciles: c.totals.reconciles, Failures: c.totals.failures, Panics: c.totals.panics,
	}
	for _, item := range c.snapshot(maxBusy).Processing {
		s.Busy = append(s.Busy, controller.Busy{Key: item.Key, Since: item.ProcessingSince})
	}
	for _, f := range c.feeds() {
		if !f.engine.HasSynced() {
			s.NotReady = append(s.NotReady, f.informer)
		}
	}
	switch {
	case c.queue.ShuttingDown():
		s.Phase = controller.PhaseStopping
	case len(s.NotReady) > 0 || s.Workers == 0:
		s.Phase = controller.PhaseSyncing
	}
	return s
}
