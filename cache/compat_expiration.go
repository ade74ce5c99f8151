package cache

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

// ExpirationCache is a [Store] whose objects expire. A read removes an object that has expired; there is no goroutine.
type ExpirationCache struct {
	store   ThreadSafeStore // of *TimestampedEntry
	keyFunc KeyFunc
	clock   clock.Clock
	policy  ExpirationPolicy
	// mu is held from the moment an entry is found to be expired until it is removed, so that a newer one cannot come
	// between.
	mu sync.Mutex
}

var _ Store = (*ExpirationCache)(nil)

// ExpirationPolicy reports whether an entry has expired.
type ExpirationPolicy interface {
	IsExpired(obj *TimestampedEntry) bool
}

// TimestampedEntry is an object with the time at which it was stored.
type TimestampedEntry struct {
	Obj       interface{}
	Timestamp time.Time
	key       string
}

// TTLPolicy expires entries that are older than TTL. With a TTL of zero or less none expires.
type TTLPolicy struct {
	TTL   time.Duration
	Clock clock.Clock
}

// IsExpired reports whether an entry is older than TTL.
func (p *TTLPolicy) IsExpired(obj *TimestampedEntry) bool {
	return p.TTL > 0 && p.Clock.Since(obj.Timestamp) > p.TTL
}

// NewTTLStore returns a store whose objects expire when they are older than ttl.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store {
	return NewExpirationStore(keyFunc, &TTLPolicy{TTL: ttl, Clock: clock.RealClock{}})
}

// NewExpirationStore returns a store whose objects expire according to the policy.
func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return newExpirationCache(NewThreadSafeStore(nil, nil), keyFunc, expirationPolicy, clock.RealClock{})
}

func newExpirationCache(store ThreadSafeStore, keyFunc KeyFunc, policy ExpirationPolicy, c clock.Clock) *ExpirationCache {
	return &ExpirationCache{store: store, keyFunc: keyFunc, policy: policy, clock: c}
}

// Add stores an object with the current time.
func (c *ExpirationCache) Add(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.Add(key, &TimestampedEntry{obj, c.clock.Now(), key})
	return nil
}

// Update does the same as Add.
func (c *ExpirationCache) Update(obj interface{}) error { return c.Add(obj) }

// Delete removes an object.
func (c *ExpirationCache) Delete(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.DeleteWithObject(key, obj)
	return nil
}

// Replace replaces the contents with the list, with the current time.
func (c *ExpirationCache) Replace(list []interface{}, resourceVersion string) error {
	items := make(map[string]interface{}, len(list))
	now := c.clock.Now()
	for _, obj := range list {
		key, err := c.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		items[key] = &TimestampedEntry{obj, now, key}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.Replace(items, resourceVersion)
	return nil
}

// Get returns the object with the same key, if it has not expired.
func (c *ExpirationCache) Get(obj interface{}) (interface{}, bool, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return c.GetByKey(key)
}

// GetByKey returns the object with this key, if it has not expired.
func (c *ExpirationCache) GetByKey(key string) (interface{}, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	obj, exists := c.fresh(key)
	return obj, exists, nil
}

// fresh returns an object, or removes it if it has expired.
func (c *ExpirationCache) fresh(key string) (any, bool) {
	item, _ := c.store.Get(key)
	entry, ok := item.(*TimestampedEntry)
	if !ok {
		return nil, false
	}
	if c.policy.IsExpired(entry) {
		c.store.Delete(key)
		return nil, false
	}
	return entry.Obj, true
}

// List returns the objects that have not expired, and removes the others.
func (c *ExpirationCache) List() []interface{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := c.store.List()
	list := make([]interface{}, 0, len(entries))
	for _, entry := range entries {
		if obj, ok := c.fresh(entry.(*TimestampedEntry).key); ok {
			list = append(list, obj)
		}
	}
	return list
}

// ListKeys returns all keys, those of objects that have expired too.
func (c *ExpirationCache) ListKeys() []string { return c.store.ListKeys() }

// LastStoreSyncResourceVersion returns the version of the last Replace or Bookmark, or that of an object deleted since.
func (c *ExpirationCache) LastStoreSyncResourceVersion() string {
	return c.store.LastStoreSyncResourceVersion()
}

// Bookmark sets the version that LastStoreSyncResourceVersion returns.
func (c *ExpirationCache) Bookmark(rv string) { c.store.Bookmark(rv) }

// Resync does nothing.
func (c *ExpirationCache) Resync() error { return nil }

// FakeExpirationPolicy expires all entries but those with the given keys. It is for tests.
type FakeExpirationPolicy struct {
	NeverExpire     sets.Set[string]
	RetrieveKeyFunc KeyFunc
}

// IsExpired calls RetrieveKeyFunc for the key of the entry.
func (p *FakeExpirationPolicy) IsExpired(obj *TimestampedEntry) bool {
	key, _ := p.RetrieveKeyFunc(obj) // an entry without a key expires
	return !p.NeverExpire.Has(key)
}

// NewFakeExpirationStore returns an [ExpirationCache] that sends the keys of expired objects to a channel. It is for
// tests.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, cacheClock clock.Clock) Store {
	store := deletedStore{NewThreadSafeStore(nil, nil), deletedKeys}
	return newExpirationCache(store, keyFunc, expirationPolicy, cacheClock)
}

// deletedStore sends the keys of deleted objects to a channel.
type deletedStore struct {
	ThreadSafeStore
	deleted chan<- string
}

func (s deletedStore) Delete(key string) {
	if s.deleted != nil {
		s.ThreadSafeStore.Delete(key)
		s.deleted <- key
	}
}
