// Package classic is a controller as they were written for client-go before type parameters. Nothing in it was changed
// for Vedette but the import path.
package classic

//lint:file-ignore SA1019 old programs use the old names; that is the point

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"vedette.dev/workqueue"
)

const maxRetries = 5

type Controller struct {
	queue    workqueue.RateLimitingInterface
	syncItem func(key string) error

	mu      sync.Mutex
	synced  map[string]int
	dropped []string
}

func NewController(syncItem func(key string) error) *Controller {
	return &Controller{
		queue:    workqueue.NewNamedRateLimitingQueue(newRateLimiter(), "classic"),
		syncItem: syncItem,
		synced:   map[string]int{},
	}
}

func newRateLimiter() workqueue.RateLimiter {
	return workqueue.NewMaxOfRateLimiter(
		workqueue.NewItemExponentialFailureRateLimiter(time.Millisecond, 10*time.Millisecond),
		&workqueue.BucketRateLimiter{Limiter: rate.NewLimiter(rate.Limit(1000), 1000)},
	)
}

// Run adds all keys, works on them and returns when the queue is drained.
func (c *Controller) Run(ctx context.Context, workers int, keys []string) {
	workqueue.ParallelizeUntil(ctx, workers, len(keys), func(piece int) {
		c.queue.Add(keys[piece])
	}, workqueue.WithChunkSize(2))

	var wg sync.WaitGroup
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for c.processNextItem() {
			}
		}()
	}
	<-ctx.Done()
	c.queue.ShutDownWithDrain()
	wg.Wait()
}

func (c *Controller) processNextItem() bool {
	obj, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(obj)
	key, ok := obj.(string)
	if !ok {
		c.queue.Forget(obj)
		return true
	}
	c.handleErr(c.syncItem(key), key)
	return true
}

func (c *Controller) handleErr(err error, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.synced[key]++
		c.queue.Forget(key)
	case c.queue.NumRequeues(key) < maxRetries:
		c.queue.AddRateLimited(key)
	default:
		c.dropped = append(c.dropped, fmt.Sprintf("%s: %v", key, err))
		c.queue.Forget(key)
	}
}

// queues uses the other constructors, each through the interface that old programs keep it in.
func queues() []workqueue.Interface {
	limiter := workqueue.DefaultControllerRateLimiter()
	var delaying workqueue.DelayingInterface = workqueue.NewNamedDelayingQueue("delaying")
	var limiting workqueue.RateLimitingInterface = workqueue.NewRateLimitingQueueWithConfig(limiter, workqueue.RateLimitingQueueConfig{
		Name:          "limiting",
		DelayingQueue: workqueue.NewDelayingQueueWithConfig(workqueue.DelayingQueueConfig{Name: "inner"}),
	})
	var plain *workqueue.Type = workqueue.NewNamed("plain")
	return []workqueue.Interface{
		plain,
		workqueue.New(),
		workqueue.NewWithConfig(workqueue.QueueConfig{Name: "configured"}),
		delaying,
		workqueue.NewDelayingQueue(),
		limiting,
		workqueue.NewRateLimitingQueue(workqueue.DefaultItemBasedRateLimiter()),
		workqueue.NewRateLimitingQueueWithDelayingInterface(workqueue.NewDelayingQueue(), workqueue.NewWithMaxWaitRateLimiter(limiter, time.Second)),
		workqueue.NewRateLimitingQueue(workqueue.NewItemFastSlowRateLimiter(time.Millisecond, time.Second, 3)),
	}
}
