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

// numeric returns a resource version as a number, 0 if it is not one. Servers other than kube-apiserver may use any
// text, and versions of different resources must not be compared at all.
func numeric(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func versionOf(m metav1.Object) uint64 { return numeric(m.GetResourceVersion()) }

// coverage returns the version up to which the store has every change of the object of an entry, 0 if unknown. What is
// read from the store afterwards is at least as new.
func (t *core) coverage(e *entry) uint64 {
	if t.sharded != nil {
		version, _ := t.sharded.StoreVersionOf(e.key)
		return numeric(version)
	}
	return t.coverageAtOnce(e)
}

// coverageAtOnce is coverage for reads, which avoid asking a sharding informer: an entry that it has caught up with is
// removed anyway.
func (t *core) coverageAtOnce(e *entry) uint64 {
	if version := t.store.LastStoreSyncResourceVersion(); version != "" {
		return numeric(version)
	}
	switch {
	case t.sharded != nil && e.hides():
		return t.coverage(e)
	case t.sharded != nil:
		return 0
	case t.namespaced != nil:
		return t.versions.in(e.id.Namespace)
	}
	return e.observed
}

// isUnversioned reports whether events are the only way to know how far the store is.
func (t *core) isUnversioned() bool {
	return t.sharded == nil && t.namespaced == nil && t.store.LastStoreSyncResourceVersion() == ""
}

// held returns what the store has under a key.
func (t *core) held(key string) held {
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

// namespaceVersions tracks how far the store of a cache.NamespacedInformer is, which has no single version because it is filled by
// one watch per namespace. A watch delivers changes in order, and a list is as new as the newest object in it. So when
// an event of an object has arrived, everything of its namespace up to its version is in the store.
type namespaceVersions struct {
	mu sync.RWMutex
	m  map[string]uint64
}

// note raises the version of a namespace. If the namespace is new, those that the informer no longer watches are
// dropped.
func (v *namespaceVersions) note(namespace string, version uint64, within func() func(namespace string) bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, known := v.m[namespace]; !known {
		if v.m == nil {
			v.m = map[string]uint64{}
		}
		looksAt := within()
		maps.DeleteFunc(v.m, func(namespace string, _ uint64) bool { return !looksAt(namespace) })
	}
	v.m[namespace] = max(v.m[namespace], version)
}

func (v *namespaceVersions) in(namespace string) uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.m[namespace]
}

// metaOf returns the metadata of an object, or nil.
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

// identify returns the name and the metadata of the object of an event. The metadata is nil if only the name is known;
// the name is empty if it is not known either.
func (t *core) identify(obj any) (cache.ObjectName, metav1.Object) {
	if unseen, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		m := metaOf(unseen.Obj)
		id, err := t.clusters.parse(unseen.Key)
		if err != nil {
			return cache.ObjectName{}, nil
		}
		return id.ObjectName, m
	}
	m := metaOf(obj)
	if m == nil {
		return cache.ObjectName{}, nil
	}
	return cache.MetaObjectToName(m), m
}

// isNil reports whether v is nil, or an interface that holds a nil pointer.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}
