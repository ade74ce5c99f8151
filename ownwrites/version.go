package ownwrites

import (
	"maps"
	"reflect"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

// numeric is a resource version as a number, 0 if it is not one. Servers other than the real one may use any text, and
// versions of different resources must not be compared at all.
func numeric(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func versionOf(m metav1.Object) uint64 { return numeric(m.GetResourceVersion()) }

// storeVersion is up to which version the store holds everything that an object of this name could be, 0 if that is not
// known. What is read from the store after it is at least as new.
func (t *Tracker) storeVersion(name cache.ObjectName) uint64 {
	if version := t.store.LastStoreSyncResourceVersion(); version != "" {
		return numeric(version)
	}
	return t.heard.in(name.Namespace)
}

// held is what the store has under a key.
func (t *Tracker) held(key string) held {
	obj, exists, err := t.store.GetByKey(key)
	if err != nil || !exists {
		return held{}
	}
	h := held{obj: obj, exists: true}
	if m := metaOf(obj); m != nil {
		h.uid, h.version = m.GetUID(), versionOf(m)
	}
	return h
}

// heard is how far a store is that has no version of its own, because it is filled by several watches: one a namespace. A watch
// tells of changes in their order, and a list is as new as the newest object in it. So when an object has been heard of,
// everything of its namespace up to its version is in the store.
type heard struct {
	mu sync.RWMutex
	m  map[string]uint64
}

// note raises the version of a namespace. When one is new, those that the informer no longer looks at are forgotten.
func (h *heard) note(namespace string, version uint64, within func() func(namespace string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.m[namespace]; !known {
		if h.m == nil {
			h.m = map[string]uint64{}
		}
		looksAt := within()
		maps.DeleteFunc(h.m, func(namespace string, _ uint64) bool { return !looksAt(namespace) })
	}
	h.m[namespace] = max(h.m[namespace], version)
}

func (h *heard) in(namespace string) uint64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.m[namespace]
}

// metaOf is the metadata of an object, or nil.
func metaOf(obj any) metav1.Object {
	if isNil(obj) {
		return nil
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	return m
}

// identify returns the name of what a handler was told of, and its metadata, which is nil if only the name is known. Without a
// name there is nothing to do.
func identify(obj any) (cache.ObjectName, metav1.Object) {
	if unseen, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		name, err := cache.ParseObjectName(unseen.Key)
		if err != nil {
			return cache.ObjectName{}, nil
		}
		return name, metaOf(unseen.Obj)
	}
	m := metaOf(obj)
	if m == nil {
		return cache.ObjectName{}, nil
	}
	return cache.MetaObjectToName(m), m
}

// isNil also sees a nil pointer in an interface.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}
