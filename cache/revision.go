package cache

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/shrink"
)

// revision is the UID and the resourceVersion of an object, as the server knows them.
type revision struct {
	uid     types.UID
	version string
}

// same reports whether two revisions are certainly of the same state of the same object.
func (r revision) same(other revision) bool { return r == other && r.uid != "" && r.version != "" }

// other reports whether two revisions are certainly of different objects.
func (r revision) other(than revision) bool {
	return r.uid != than.uid && r.uid != "" && than.uid != ""
}

// revisionOf returns the revision of an object or a tombstone.
func revisionOf(obj any) revision {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	if p, ok := obj.(*packed); ok {
		return p.revision()
	}
	m, err := metaOf(obj)
	if err != nil {
		return revision{}
	}
	return revision{uid: m.GetUID(), version: m.GetResourceVersion()}
}

// revisionTable is the revisions of the objects of a store by key. A nil one is empty and cannot be written to.
type revisionTable struct {
	mu sync.RWMutex
	m  shrink.StringMap[revision]
}

func (t *revisionTable) get(key string) revision {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.m.Get(key)
}

func (t *revisionTable) put(key string, r revision) {
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
