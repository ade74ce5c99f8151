package reconcile

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// clientGo is the classic controller: handlers that put keys into a queue, and goroutines that take them out.
type clientGo struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	crew     *crew
}

func newClientGo(s *server, c *crew) (side, error) {
	return &clientGo{
		informer: newClientGoInformer(s),
		// The queue has no name. Otherwise it would count for Prometheus, as package metrics of controller-runtime sees to for
		// any program that it is linked into.
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		crew:  c,
	}, nil
}

func newClientGoInformer(s *server) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(s, &object{}, 0, cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc})
}

func (c *clientGo) run(ctx context.Context) error {
	_, err := c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, obj any) { c.enqueue(obj) },
		DeleteFunc: c.enqueue,
	})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	defer c.queue.ShutDown()
	all.Go(func() { c.informer.RunWithContext(ctx) })
	// Many programs use WaitForCacheSync, which looks every 100 ms only.
	if !cache.WaitFor(ctx, "", c.informer.HasSyncedChecker()) {
		return nil
	}
	for range workers {
		all.Go(func() {
			for c.processNextItem() {
			}
		})
	}
	<-ctx.Done()
	return nil
}

func (c *clientGo) enqueue(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err == nil {
		c.queue.Add(key)
	}
}

func (c *clientGo) processNextItem() bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	c.crew.reconcile(key, func() (any, bool, error) { return c.informer.GetIndexer().GetByKey(key) })
	c.queue.Forget(key)
	return true
}
