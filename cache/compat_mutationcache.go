package cache

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilcache "k8s.io/apimachinery/pkg/util/cache"

	"vedette.dev/internal/object"
)

// MutationCache lets a program read its own writes before its informer has received them. It remembers the answers of
// the server for a while, beside the store, and returns the newer of the two. The store itself is never written.
//
// OnAddOrUpdate and OnDelete may be called by handlers of the informer, to forget mutations as soon as the store has
// caught up.
type MutationCache interface {
	// GetByKey returns the store's object or the last mutation, whichever is newer.
	GetByKey(key string) (interface{}, bool, error)
	// ByIndex does the same for each object that the index finds. It needs an Indexer.
	ByIndex(indexName, indexKey string) ([]interface{}, error)
	// Mutation remembers an object as the server returned it.
	Mutation(interface{})
	OnAddOrUpdate(obj runtime.Object)
	OnDelete(obj runtime.Object)

	internal()
}

// ResourceVersionComparator compares the versions of two objects.
type ResourceVersionComparator interface {
	CompareResourceVersion(lhs, rhs runtime.Object) int
}

// MutationCacheOptions configures a [MutationCache]. The zero value works.
type MutationCacheOptions struct {
	// Indexer is used by ByIndex. If nil, ByIndex returns an error.
	Indexer Indexer
	// TTL is how long a mutation is remembered. Zero means 5 minutes.
	TTL time.Duration
	// IncludeAdds also returns objects that the store does not have. One that was deleted soon after it was created may then
	// be returned until its TTL is over.
	IncludeAdds bool
	// MaxCacheSize is how many mutations are remembered; then the one least recently used is forgotten. Zero means 100.
	MaxCacheSize int
}

// NewIntegerResourceVersionMutationCache returns a [MutationCache] that remembers 100 mutations.
func NewIntegerResourceVersionMutationCache(logger logr.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	return NewIntegerResourceVersionMutationCacheWithOptions(logger, backingCache, MutationCacheOptions{
		Indexer: indexer, TTL: ttl, IncludeAdds: includeAdds,
	})
}

// NewIntegerResourceVersionMutationCacheWithOptions returns a [MutationCache] for objects whose resource versions are
// increasing integers. If one is not, the store takes precedence.
func NewIntegerResourceVersionMutationCacheWithOptions(logger logr.Logger, backingCache Store, options MutationCacheOptions) MutationCache {
	if options.TTL == 0 {
		options.TTL = 5 * time.Minute
	}
	if options.MaxCacheSize == 0 {
		options.MaxCacheSize = 100
	}
	return &mutationCache{
		backing: backingCache,
		options: options,
		recent:  utilcache.NewLRUExpireCache(options.MaxCacheSize),
		logger:  logger,
	}
}

type mutationCache struct {
	mu      sync.Mutex
	backing Store
	options MutationCacheOptions
	recent  *utilcache.LRUExpireCache // of mutation, by key
	logger  logr.Logger
}

func (c *mutationCache) internal() {}

func (c *mutationCache) find(key string) (mutation, bool) {
	m, ok := c.recent.Get(key)
	if !ok {
		return mutation{}, false
	}
	return m.(mutation), true
}

func (c *mutationCache) GetByKey(key string) (interface{}, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	obj, exists, err := c.backing.GetByKey(key)
	if err != nil {
		return nil, false, err
	}
	if exists {
		return c.newer(key, obj), true, nil
	}
	if !c.options.IncludeAdds {
		// The store may not have it yet, or it may have been deleted.
		return nil, false, nil
	}
	if m, ok := c.find(key); ok && !m.deleted {
		return m.obj, true, nil
	}
	return nil, false, nil
}

// newer returns the mutation if it is newer than the store's object, and forgets it otherwise.
func (c *mutationCache) newer(key string, backing any) any {
	m, ok := c.find(key)
	if !ok {
		return backing
	}
	if m.deleted || !m.newerThan(mutationOf(backing)) {
		c.recent.Remove(key)
		return backing
	}
	return m.obj
}

func (c *mutationCache) ByIndex(name, indexKey string) ([]interface{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.options.Indexer == nil {
		return nil, errors.New("no indexer has been provided to the mutation cache")
	}
	keys, err := c.options.Indexer.IndexKeys(name, indexKey)
	if err != nil {
		return nil, err
	}
	var items []interface{}
	seen := make(map[string]struct{}, len(keys))
	for _, key := range keys {
		seen[key] = struct{}{}
		obj, exists, err := c.options.Indexer.GetByKey(key)
		if err != nil {
			return nil, err
		}
		if exists {
			items = append(items, c.newer(key, obj))
		}
	}
	if c.options.IncludeAdds {
		items = append(items, c.addsByIndex(name, indexKey, seen)...)
	}
	return items, nil
}

// addsByIndex returns the mutations with this index value that are not in the index.
func (c *mutationCache) addsByIndex(name, indexKey string, seen map[string]struct{}) []any {
	var items []any
	values := c.options.Indexer.GetIndexers()[name]
	for _, k := range c.recent.Keys() {
		key := k.(string)
		m, ok := c.find(key)
		if _, dup := seen[key]; dup || !ok || m.deleted {
			continue
		}
		list, err := values.call(m.obj)
		if err != nil {
			c.logger.V(4).Info("Unable to calculate an index entry for mutation cache entry", "key", key, "err", err)
			continue
		}
		if slices.Contains(list, indexKey) {
			items = append(items, m.obj)
		}
	}
	return items
}

// mutation is what a MutationCache remembers of a key.
type mutation struct {
	obj     any
	uid     types.UID
	version uint64
	ordered bool // the version can be compared
	deleted bool
}

func mutationOf(obj any) mutation {
	m := mutation{obj: obj}
	meta, err := object.Meta(obj)
	if err != nil {
		return m
	}
	m.uid = meta.GetUID()
	if text := meta.GetResourceVersion(); text == "" {
		m.ordered = true
	} else if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		m.version, m.ordered = v, true
	}
	return m
}

// newerThan returns false if the versions cannot be compared.
func (m mutation) newerThan(other mutation) bool {
	return m.ordered && other.ordered && m.version > other.version
}

// outdatedBy reports whether an object sent by the server makes the mutation obsolete. It does if the versions cannot
// be compared.
func (m mutation) outdatedBy(sent mutation) bool { return !m.newerThan(sent) }

func (c *mutationCache) Mutation(obj interface{}) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "Mutation without a key ignored")
		return
	}
	m := mutationOf(obj)
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.find(key); ok && old.supersedes(m) {
		return
	}
	c.recent.Add(key, m, c.options.TTL)
}

// supersedes reports whether the mutation should be kept, though another one comes.
func (m mutation) supersedes(next mutation) bool {
	if m.newerThan(next) {
		return true
	}
	// No state of a deleted object is current.
	return m.deleted && (m.uid == next.uid || m.ordered && next.ordered && m.version == next.version)
}

// OnAddOrUpdate forgets the mutation if the store is at least as new.
func (c *mutationCache) OnAddOrUpdate(obj runtime.Object) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "Object without a key added or updated")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.find(key); ok && m.outdatedBy(mutationOf(obj)) {
		c.recent.Remove(key)
	}
}

// OnDelete forgets the mutation of a deleted object, and remembers the deletion, so that a mutation that is reported
// late is ignored. A newer object of the same name is kept.
func (c *mutationCache) OnDelete(obj runtime.Object) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "Object without a key deleted")
		return
	}
	gone := mutationOf(obj)
	gone.obj, gone.deleted = nil, true
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.find(key); ok && !m.outdatedBy(gone) && m.uid != gone.uid {
		return
	}
	c.recent.Add(key, gone, c.options.TTL)
}
