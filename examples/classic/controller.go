package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/cache"
	"vedette.dev/workqueue"
)

// Controller keeps something in step with pods: here, what it prints.
type Controller struct {
	indexer  cache.Indexer
	queue    workqueue.TypedRateLimitingInterface[string]
	informer cache.Controller
}

// NewController returns a controller of its three parts.
func NewController(queue workqueue.TypedRateLimitingInterface[string], indexer cache.Indexer, informer cache.Controller) *Controller {
	return &Controller{informer: informer, indexer: indexer, queue: queue}
}

// Run starts workers when the cache has synced, and returns when all have ended.
func (c *Controller) Run(ctx context.Context, workers int) {
	defer runtime.HandleCrash()
	var running sync.WaitGroup
	defer running.Wait()
	defer c.queue.ShutDown() // lets the workers end

	running.Go(func() { c.informer.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), c.informer.HasSynced) {
		fmt.Println("the cache did not sync in time")
		return
	}
	fmt.Printf("synced: %d pods\n", len(c.indexer.ListKeys()))
	for range workers {
		running.Go(func() { wait.UntilWithContext(ctx, c.runWorker, time.Second) })
	}
	<-ctx.Done()
}

func (c *Controller) runWorker(context.Context) {
	for c.processNextItem() {
	}
}

func (c *Controller) processNextItem() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	// No two workers have the same key, so that pods with the same key are never processed in parallel.
	defer c.queue.Done(key)
	c.handleErr(c.syncToStdout(key), key)
	return true
}

// syncToStdout is the business logic.
func (c *Controller) syncToStdout(key string) error {
	obj, exists, err := c.indexer.GetByKey(key)
	if err != nil {
		return fmt.Errorf("pod %s: %w", key, err)
	}
	if !exists {
		fmt.Printf("gone     %s\n", key)
		return nil
	}
	pod := obj.(*corev1.Pod)
	fmt.Printf("%-8s %s on %s\n", pod.Status.Phase, key, pod.Spec.NodeName)
	return nil
}

// handleErr tries a key again, a few times.
func (c *Controller) handleErr(err error, key string) {
	if err == nil {
		c.queue.Forget(key)
		return
	}
	if c.queue.NumRequeues(key) < 5 {
		fmt.Printf("%v: trying again\n", err)
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
	runtime.HandleError(err)
}
