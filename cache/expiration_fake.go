package cache

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

// FakeExpirationPolicy has all entries expire but those with the given keys. It is for tests.
type FakeExpirationPolicy struct {
	NeverExpire     sets.Set[string]
	RetrieveKeyFunc KeyFunc
}

// IsExpired asks RetrieveKeyFunc for the key of the entry.
func (p *FakeExpirationPolicy) IsExpired(obj *TimestampedEntry) bool {
	key, _ := p.RetrieveKeyFunc(obj) // an entry without a key is none of those that never expire
	return !p.NeverExpire.Has(key)
}

// NewFakeExpirationStore returns an ExpirationCache that sends the keys of what has expired to a channel. It is for
// tests.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, cacheClock clock.Clock) Store {
	store := tellingStore{NewThreadSafeStore(nil, nil), deletedKeys}
	return newExpirationCache(store, keyFunc, expirationPolicy, cacheClock)
}

// tellingStore tells which keys are deleted.
type tellingStore struct {
	ThreadSafeStore
	deleted chan<- string
}

func (s tellingStore) Delete(key string) {
	if s.deleted != nil {
		s.ThreadSafeStore.Delete(key)
		s.deleted <- key
	}
}
