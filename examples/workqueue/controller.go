package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"vedette.dev/workqueue"
)

// workTime is how long a worker takes for a key.
const workTime = 5 * time.Millisecond

var namespaces = []string{"batch", "shop", "billing"}

// namespace is the tenant of a key like "shop/17".
func namespace(key string) string { return key[:strings.IndexByte(key, '/')] }

// controller is a minimal controller: a queue of keys, and workers that take one after the other.
type controller struct {
	name  string
	queue workqueue.TypedRateLimitingInterface[string]
	start time.Time

	mu      sync.Mutex
	tallies map[string]*tally // by namespace
	left    int
	done    chan struct{} // closed when no key is left
}

type tally struct {
	keys, done, retries int
	waits               []time.Duration // of each key, until a worker first takes it
}

// newController returns a controller with keys of each namespace in its queue, one namespace after the other.
func newController(name string, queue workqueue.TypedRateLimitingInterface[string], keys map[string]int) *controller {
	c := &controller{name: name, queue: queue, start: time.Now(), tallies: map[string]*tally{}, done: make(chan struct{})}
	for _, ns := range namespaces {
		c.tallies[ns] = &tally{keys: keys[ns]}
		c.left += keys[ns]
		for k := range keys[ns] {
			queue.Add(fmt.Sprintf("%s/%d", ns, k))
		}
	}
	return c
}

// run returns when all keys are done, or ctx is. No goroutine of it is left then.
func (c *controller) run(ctx context.Context, workers int) {
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { c.work(ctx) })
	}
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	c.queue.ShutDownWithDrain()
	group.Wait()
}

// work is the loop of one worker.
func (c *controller) work(ctx context.Context) {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if ctx.Err() == nil { // otherwise only drain the queue
			c.reconcile(key)
		}
		c.queue.Done(key)
	}
}

// reconcile simulates the work on one object. Keys that end in 0 fail twice before they succeed.
func (c *controller) reconcile(key string) {
	attempt := c.queue.NumRequeues(key)
	c.begun(key, attempt)
	time.Sleep(workTime)
	if attempt < 2 && strings.HasSuffix(key, "0") {
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
	c.succeeded(key)
}

func (c *controller) begun(key string, attempt int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tallies[namespace(key)]
	if attempt == 0 {
		t.waits = append(t.waits, time.Since(c.start))
	} else {
		t.retries++
	}
}

func (c *controller) succeeded(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tallies[namespace(key)].done++
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

// progress returns the current state of the queue.
func (c *controller) progress() string {
	s := c.queue.(workqueue.TypedInspector[string]).Snapshot(1)
	return fmt.Sprintf("%s: %d queued, %d in work, %d backing off", c.name, s.QueuedCount, s.ProcessingCount, s.WaitingCount)
}
