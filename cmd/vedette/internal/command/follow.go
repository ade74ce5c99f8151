package command

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/cache"
	"vedette.dev/cmd/vedette/internal/kinds"
	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	"vedette.dev/shard"
)

// follower is an informer of one resource that detects errors which a retry cannot fix.
type follower struct {
	cluster  *cluster
	resource kinds.Resource
	informer cache.SharedIndexInformer
	// sharding is the informer, if it is spread over shards; otherwise nil.
	sharding *shard.ShardingInformer
	// hopeless receives the error because of which the first list cannot succeed.
	hopeless chan error
	reported bool // whether hopeless has been reported
	running  sync.WaitGroup
}

// selection selects the objects to follow.
type selection struct {
	labels, fields string
	// managedFields is set if managed fields are kept; they are a third of an object.
	managedFields bool
	// shards is the number of shards, by the hash of the UID; 0 means that the informer is not sharded.
	shards int
}

// follow returns an informer, which start starts.
func (c *cluster) follow(client dynamic.Interface, r kinds.Resource, s selection, masker object.Masker) (*follower, error) {
	namespace := c.namespace
	if !r.Namespaced {
		namespace = ""
	}
	f := &follower{cluster: c, resource: r, hopeless: make(chan error, 1)}
	tweak := func(o *metav1.ListOptions) { o.LabelSelector, o.FieldSelector = s.labels, s.fields }
	if s.shards > 0 {
		var err error
		if f.sharding, err = c.newSharding(r, namespace, s.shards, tweak); err != nil {
			return nil, err
		}
		f.informer = f.sharding
	} else {
		f.informer = dynamicinformer.NewFilteredDynamicInformer(client, r.GroupVersionResource, namespace, 0, cache.Indexers{}, tweak).Informer()
	}
	err := f.informer.SetTransform(func(obj any) (any, error) {
		if u, ok := obj.(*unstructured.Unstructured); ok {
			masker.Mask(u)
			if !s.managedFields {
				unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
			}
		}
		return obj, nil
	})
	if err != nil {
		return nil, err
	}
	return f, f.informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if !f.informer.HasSynced() && isHopeless(err) {
			select {
			case f.hopeless <- err:
			default:
			}
		}
	})
}

// newSharding returns a sharding informer of a resource. An empty namespace means all.
func (c *cluster) newSharding(r kinds.Resource, namespace string, shards int, tweak func(*metav1.ListOptions)) (*shard.ShardingInformer, error) {
	example := &unstructured.Unstructured{}
	example.SetGroupVersionKind(r.GroupVersion().WithKind(r.Kind))
	var all []shard.Shard
	for i, hashes := range shard.EqualRanges(shards) {
		scope := shard.Scope{Hash: shard.ByUID(), Ranges: []shard.Range{hashes}}
		if namespace != "" {
			scope.Namespaces = []string{namespace}
		}
		all = append(all, shard.Shard{ID: fmt.Sprintf("%03d", i), Scope: scope})
	}
	return shard.NewShardingInformer(shard.Config[metav1.Object]{
		Resource: r.GroupVersionResource, REST: c.config, Example: example, Source: shard.Shards(all...), Tweak: tweak,
	})
}

// isHopeless reports whether the server will refuse a retry for the same reason.
func isHopeless(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsNotFound(err) ||
		apierrors.IsMethodNotSupported(err) || apierrors.IsBadRequest(err) || apierrors.IsInvalid(err)
}

// start starts the informer. It ends with the context; wait waits until it has ended.
func (f *follower) start(ctx context.Context) {
	f.running.Go(func() { f.informer.RunWithContext(ctx) })
}

func (f *follower) wait() { f.running.Wait() }

// synced waits until the handler has processed every object of the initial list. It calls waiting from time to time.
func (f *follower) synced(ctx context.Context, handler cache.ResourceEventHandlerRegistration, waiting func()) error {
	ctx, cancel := f.cluster.limit(ctx)
	defer cancel()
	wanted := "list " + f.resource.String()
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	for {
		select {
		case <-handler.HasSyncedChecker().Done():
			return nil
		case err := <-f.hopeless:
			return f.cluster.explainError(ctx, err, wanted)
		case <-ticker.C:
			waiting()
		case <-ctx.Done():
			err := cache.StateOf(f.informer).Cause
			if err == nil {
				err = context.Cause(ctx)
			}
			return f.cluster.explainError(ctx, err, wanted)
		}
	}
}

// problem describes the error of the watch, if it has lasted for more than a moment.
func (f *follower) problem() string {
	state := cache.StateOf(f.informer)
	if state.Cause == nil || state.Failures < 2 {
		return ""
	}
	return fmt.Sprintf("watch of %s failing since %s: %s; retrying", f.resource, state.Failing.Format("15:04:05"), rootCause(state.Cause))
}

// shardLine returns how many objects each shard has, or "" if there are no shards.
func (f *follower) shardLine() string {
	if f.sharding == nil {
		return ""
	}
	var objects []int
	for _, one := range f.sharding.Shards() {
		objects = append(objects, one.Objects)
	}
	return shardLine(objects)
}
