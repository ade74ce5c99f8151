package shard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/rest"
)

// FollowConfig configures the namespaces to follow. REST is required.
type FollowConfig struct {
	// REST is the configuration of the client.
	REST *rest.Config
	// Selector is a label selector for namespaces. Empty means all.
	Selector string
	// Cluster is the name of the cluster that the namespaces are in: see Scope. Empty means that of Config.REST.
	Cluster string
	// Shard returns the shard for a namespace, in which Limits can be set. Nil means a shard that is named after the
	// namespace.
	Shard func(namespace string) Shard
}

// FollowNamespaces returns a [Source] of one shard for each namespace that exists and matches a selector. Shards are
// added and removed with their namespaces. Only the metadata of namespaces is read.
func FollowNamespaces(config FollowConfig) Source {
	if config.REST == nil {
		return wrong{errors.New("shard: FollowConfig.REST is nil")}
	}
	if _, err := labels.Parse(config.Selector); err != nil {
		return wrong{fmt.Errorf("shard: FollowConfig.Selector is %q: %w", config.Selector, err)}
	}
	return &following{config}
}

type following struct{ config FollowConfig }

func (f *following) Run(ctx context.Context, emit func([]Shard) error) error {
	client, err := newClient(f.config.REST, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	if err != nil {
		return fmt.Errorf("shard: FollowNamespaces: %w", err)
	}
	lw := cache.NewListWatchFromRequester(requester{client: client, resource: "namespaces"},
		func() metav1.Object { return &metav1.PartialObjectMetadata{} },
		func(options *metav1.ListOptions) { options.LabelSelector = f.config.Selector })
	informer := cache.NewSharedIndexInformerWithOptions(lw, &metav1.PartialObjectMetadata{}, cache.SharedIndexInformerOptions{
		ObjectDescription: "namespaces",
	})
	names := &nameSet{names: map[string]struct{}{}, changed: make(chan struct{}, 1)}
	registration, err := informer.AddEventHandler(names)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	defer func() { <-done }()
	select {
	case <-registration.HasSyncedChecker().Done():
	case <-ctx.Done():
		return nil
	}
	for {
		// An invalid set is recorded by the informer until there is another.
		_ = emit(f.shards(names.sorted()))
		select {
		case <-names.changed:
		case <-ctx.Done():
			return nil
		}
	}
}

func (f *following) shards(namespaces []string) []Shard {
	out := make([]Shard, 0, len(namespaces))
	for _, namespace := range namespaces {
		shard := Shard{ID: namespace}
		if f.config.Shard != nil {
			shard = f.config.Shard(namespace)
		}
		shard.Scope.Namespaces = []string{namespace}
		if f.config.Cluster != "" {
			shard.Scope.Cluster, shard.Scope.REST = f.config.Cluster, f.config.REST
		}
		out = append(out, shard)
	}
	return out
}

// nameSet is the set of names of objects that a handler was called for.
type nameSet struct {
	mu      sync.Mutex
	names   map[string]struct{}
	changed chan struct{} // has a buffer of one
}

func (n *nameSet) OnAdd(obj any, _ bool) {
	n.set(func() {
		if m, ok := obj.(metav1.Object); ok {
			n.names[m.GetName()] = struct{}{}
		}
	})
}

func (n *nameSet) OnUpdate(any, any) {}

func (n *nameSet) OnDelete(obj any) {
	n.set(func() {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			delete(n.names, key)
		}
	})
}

func (n *nameSet) set(change func()) {
	n.mu.Lock()
	change()
	n.mu.Unlock()
	select {
	case n.changed <- struct{}{}:
	default:
	}
}

func (n *nameSet) sorted() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.names))
}
