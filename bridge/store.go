package bridge

import (
	"reflect"

	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/cache"
)

// store is a client-go Indexer that is made of one of Vedette's.
type store struct{ cache.Indexer }

var _ clientgocache.Indexer = (*store)(nil)

// GetIndexers returns the index functions by name.
func (s *store) GetIndexers() clientgocache.Indexers {
	out := clientgocache.Indexers{}
	for name, f := range s.Indexer.GetIndexers() {
		out[name] = clientgocache.IndexFunc(f)
	}
	return out
}

// AddIndexers adds indexes.
func (s *store) AddIndexers(indexers clientgocache.Indexers) error {
	return s.Indexer.AddIndexers(toIndexers(indexers))
}

// Get returns what is stored under the key of an object.
func (s *store) Get(obj any) (any, bool, error) {
	key, err := clientgocache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, false, clientgocache.KeyError{Obj: obj, Err: err}
	}
	return s.GetByKey(key)
}

// Delete deletes what is stored under the key of an object.
func (s *store) Delete(obj any) error {
	switch o := obj.(type) {
	case clientgocache.DeletedFinalStateUnknown:
		obj = cache.DeletedFinalStateUnknown{Key: o.Key, Obj: o.Obj}
	case clientgocache.ExplicitKey:
		obj = cache.ExplicitKey(o)
	}
	return s.Indexer.Delete(obj)
}

var namespaceCode = reflect.ValueOf(clientgocache.MetaNamespaceIndexFunc).Pointer()

// toIndexers returns index functions for Vedette. That of the namespace is its own, for which packed objects are not decoded.
func toIndexers(indexers clientgocache.Indexers) cache.Indexers {
	out := make(cache.Indexers, len(indexers))
	for name, f := range indexers {
		if reflect.ValueOf(f).Pointer() == namespaceCode {
			out[name] = cache.MetaNamespaceIndexFunc
			continue
		}
		out[name] = cache.IndexFunc(f)
	}
	return out
}
