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

// MutationCache lets a program read what it wrote before its informer has received it. It remembers the answers of the
// server for a while, beside the store, and returns whichever is newer. The store itself is never written.
//
// OnAddOrUpdate and OnDelete may be called by handlers of the informer, so that what the store has caught up with is
// forgotten at once.
type MutationCache interface {
	// GetByKey returns what the store has or what Mutation was given, whichever is newer.
	GetByKey(key string) (interface{}, bool, error)
	// ByIndex does so for each object that the index finds. It needs an Indexer.
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

// MutationCacheOptions configures a MutationCache. The zero value works.
type MutationCacheOptions struct {
	// Indexer is what ByIndex asks. Nil makes ByIndex return an error.
	Indexer Indexer
	// TTL is how long a mutation is remembered. Zero means 5 minutes.
	TTL time.Duration
	// IncludeAdds also returns objects that the store does not have. One that was deleted soon after it was created may then
	// be returned until its TTL is over.
	IncludeAdds bool
	// MaxCacheSize is how many mutations are remembered; then the one least recently used is forgotten. Zero means 100.
	MaxCacheSize int
}

// NewIntegerResourceVersionMutationCache returns a MutationCache that remembers 100 mutations.
func NewIntegerResourceVersionMutationCache(logger logr.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	return NewIntegerResourceVersionMutationCacheWithOptions(logger, backingCache, MutationCacheOptions{
		Indexer: indexer, TTL: ttl, IncludeAdds: includeAdds,
	})
}

// NewIntegerResourceVersionMutationCacheWithOptions returns a MutationCache for objects whose resource versions are
// integers that grow. Where one is not, the store is believed.
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

// newer returns what was remembered if it is newer than what the store has, and forgets it if not.
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

// addsByIndex returns what was remembered and has a value in an index, but is not there.
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

// newerThan is false where it cannot be told.
func (m mutation) newerThan(other mutation) bool {
	return m.ordered && other.ordered && m.version > other.version
}

// outdatedBy reports whether an object that the server sent makes what was remembered obsolete. An opaque version does: the
// server is believed.
func (m mutation) outdatedBy(sent mutation) bool { return !m.newerThan(sent) }

func (c *mutationCache) Mutation(obj interface{}) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "A mutation without a key is not remembered")
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

// supersedes reports whether what is remembered should stay, though another mutation comes.
func (m mutation) supersedes(next mutation) bool {
	if m.newerThan(next) {
		return true
	}
	// Of an object that is known to be deleted no state is current.
	return m.deleted && (m.uid == next.uid || m.ordered && next.ordered && m.version == next.version)
}

// OnAddOrUpdate forgets what is remembered if the store has now something as new.
func (c *mutationCache) OnAddOrUpdate(obj runtime.Object) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "An object without a key was added or updated")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.find(key); ok && m.outdatedBy(mutationOf(obj)) {
		c.recent.Remove(key)
	}
}

// OnDelete forgets what is remembered of an object that was deleted, and remembers the deletion, so that a mutation that
// is reported late does not bring it back. A newer object of the same name stays.
func (c *mutationCache) OnDelete(obj runtime.Object) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "An object without a key was deleted")
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
