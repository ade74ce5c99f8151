package storage

import (
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// defaultHistory is how many events a collection keeps unless told otherwise.
const defaultHistory = 10_000

// Store holds the objects of all resources. Its methods may be called from anywhere.
type Store struct {
	history int
	// unversioned means that the resource versions of objects are not set. Items have theirs all the same.
	unversioned bool

	mu          sync.RWMutex
	version     uint64 // of the newest write
	compacted   uint64 // versions up to this one are forgotten
	collections map[Resource]*collection
}

// collection is the objects of one resource and its newest events.
//
// Invariant: log is in the order of versions, holds at most history events, and holds every event after dropped.
// Invariant: undoing the log from the newest event leads from tree to the state at dropped.
type collection struct {
	tree    tree
	log     []*Event
	dropped uint64        // version of the newest event that is not in the log any more
	changed chan struct{} // closed at the next event
}

// New makes an empty store whose collections keep history events; 0 means defaultHistory.
func New(history int) *Store {
	if history <= 0 {
		history = defaultHistory
	}
	return &Store{history: history, version: 1, collections: map[Resource]*collection{}}
}

// NewUnversioned is like New, for a store that leaves the resource versions of objects as they are.
func NewUnversioned(history int) *Store {
	s := New(history)
	s.unversioned = true
	return s
}

// Version of the newest write.
func (s *Store) Version() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// Get returns the newest item, or nil.
func (s *Store) Get(r Resource, key string) *Item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.collections[r]; c != nil {
		return c.tree.get(key)
	}
	return nil
}

// Create adds an object, which becomes the store's. Its resource version is set, unless the store is unversioned.
func (s *Store) Create(r Resource, key string, object runtime.Object) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(r)
	if c.tree.get(key) != nil {
		return nil, ErrExists
	}
	item, err := s.newItem(key, object)
	if err != nil {
		return nil, err
	}
	item.Created = item.Version
	c.tree.set(item)
	s.append(c, &Event{Type: Created, Item: item})
	return item, nil
}

// Update puts object, which becomes the store's, in the place of old.
func (s *Store) Update(r Resource, old *Item, object runtime.Object) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(r)
	if c.tree.get(old.Key) != old {
		return nil, ErrChanged
	}
	item, err := s.newItem(old.Key, object)
	if err != nil {
		return nil, err
	}
	item.Created = old.Created
	c.tree.set(item)
	s.append(c, &Event{Type: Updated, Item: item, Prev: old})
	return item, nil
}

// Delete takes old out. The item it returns, which watchers see, is the last state with the version of the deletion.
func (s *Store) Delete(r Resource, old *Item) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(r)
	if c.tree.get(old.Key) != old {
		return nil, ErrChanged
	}
	item, err := s.newItem(old.Key, Shallow(old.Object))
	if err != nil {
		return nil, err
	}
	item.Created = old.Created
	c.tree.remove(old.Key)
	s.append(c, &Event{Type: Deleted, Item: item, Prev: old})
	return item, nil
}

func (s *Store) collection(r Resource) *collection {
	c := s.collections[r]
	if c == nil {
		c = &collection{changed: make(chan struct{})}
		s.collections[r] = c
	}
	return c
}

// newItem makes an item of the next version. It is taken only when append is called.
func (s *Store) newItem(key string, object runtime.Object) (*Item, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if !s.unversioned {
		accessor.SetResourceVersion(strconv.FormatUint(s.version+1, 10))
	}
	return &Item{Key: key, Version: s.version + 1, Object: object}, nil
}

func (s *Store) append(c *collection, e *Event) {
	s.version = e.Version()
	if len(c.log) >= s.history {
		// Readers may hold parts of the old array, so it is left as it is; append moves on to a new one in time.
		c.dropped = c.log[0].Version()
		c.log = c.log[1:]
	}
	c.log = append(c.log, e)
	close(c.changed)
	c.changed = make(chan struct{})
}

// Compact forgets the versions before version: what asks for them from now on gets ErrCompacted.
func (s *Store) Compact(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = max(s.compacted, min(version, s.version))
}
