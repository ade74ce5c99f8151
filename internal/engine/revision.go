package engine

import (
	"sync"

	"vedette.dev/internal/object"
	"vedette.dev/internal/shrink"
)

// revisionTable is the revisions of the objects of a store by key. A nil one is empty and cannot be written to.
type revisionTable struct {
	mu sync.RWMutex
	m  shrink.StringMap[object.Revision]
}

func (t *revisionTable) get(key string) object.Revision {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.m.Get(key)
}

func (t *revisionTable) put(key string, r object.Revision) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m.Put(key, r)
}

func (t *revisionTable) remove(key string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m.Delete(key)
}
