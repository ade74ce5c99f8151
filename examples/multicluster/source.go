package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/shard"
)

// syncTimeout is how long a controller waits at the start for a cluster that does not answer. Then it continues with the others.
const syncTimeout = 10 * time.Second

// clusters is a source of the objects of all shards, by keys that carry the cluster. Shards are named after their clusters.
type clusters[T cache.Object] struct {
	informer *shard.TypedShardingInformer[T]
	enqueuer controller.Enqueuer[shard.Key]
	handle   atomic.Pointer[cache.ResourceEventHandlerRegistration]
}

func (c *clusters[T]) String() string { return "for the objects of all clusters" }

// Run implements controller.Source. The caller runs the informer.
func (c *clusters[T]) Run(ctx context.Context, enqueuer controller.Enqueuer[shard.Key], ready func()) error {
	c.enqueuer = enqueuer
	registration, err := c.informer.AddShardHandler(c, shard.HandlerOptions{})
	if err != nil {
		return fmt.Errorf("the source %s: %w", c, err)
	}
	c.handle.Store(&registration)
	select {
	case <-registration.HasSyncedChecker().Done():
	case <-time.After(syncTimeout):
	case <-ctx.Done():
	}
	ready()
	<-ctx.Done()
	return cache.ShutDownEventHandler(c.informer, registration)
}

// OnAdd implements shard.Handler. It is called by a goroutine for each shard, so that clusters do not wait for each other.
func (c *clusters[T]) OnAdd(cluster string, obj T, isInInitialList bool) {
	what := controller.Added
	if isInInitialList {
		what = controller.Initial
	}
	c.enqueuer.Add(keyOf(cluster, obj), what)
}

// OnUpdate implements shard.Handler.
func (c *clusters[T]) OnUpdate(cluster string, oldObj, newObj T) {
	what := controller.Updated
	if oldObj == newObj {
		what = controller.Resynced
	}
	c.enqueuer.Add(keyOf(cluster, newObj), what)
}

// OnDelete implements shard.Handler.
func (c *clusters[T]) OnDelete(cluster string, gone cache.DeletedObject[T]) {
	c.enqueuer.Add(shard.Key{Cluster: cluster, ObjectName: gone.GetObjectName()}, controller.Deleted)
}

// OnShardLost implements shard.Handler. The objects are not deleted, only not watched any more: there is nothing to do.
func (c *clusters[T]) OnShardLost(string, []string) {}

func keyOf[T cache.Object](cluster string, obj T) shard.Key {
	return shard.Key{Cluster: cluster, ObjectName: cache.ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}}
}

// Observe implements controller.Observer: it returns the state of the informer of a key's cluster, and whether the object is in the cache.
func (c *clusters[T]) Observe(key shard.Key) (o controller.Observation) {
	for _, s := range c.informer.Shards() {
		if s.Scope.Cluster == key.Cluster {
			o.Informer = s.State
		}
	}
	if handle := c.handle.Load(); handle != nil {
		o.Handler = cache.HandlerStateOf(*handle)
	}
	if obj, ok, _ := c.informer.GetStore().GetByKey(key.String()); ok {
		o.Cached = true
		if meta, ok := obj.(interface{ GetResourceVersion() string }); ok {
			o.ResourceVersion = meta.GetResourceVersion()
		}
	}
	return o
}
