package cache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/listwatch"
)

// storeSink adapts a ReflectorStore to the sink of a reflector.
type storeSink struct {
	store     ReflectorStore
	bookmarks ReflectorBookmarkStore // the store, if it implements it
	versions  ResourceVersionUpdater // the store, if it implements it
}

func newStoreSink(store ReflectorStore) *storeSink {
	s := &storeSink{store: store}
	s.bookmarks, _ = store.(ReflectorBookmarkStore)
	s.versions, _ = store.(ResourceVersionUpdater)
	return s
}

// Take decodes an object and writes it to the store.
func (s *storeSink) Take(e *listwatch.Event) error {
	obj, err := e.Load()
	if err != nil {
		if e.Type == watch.Deleted { // a deletion needs only the key
			return s.deleteUnread(e)
		}
		return &listwatch.UndecodableError{Key: e.Key, Err: err}
	}
	switch e.Type {
	case watch.Added:
		return s.store.Add(obj)
	case watch.Modified:
		return s.store.Update(obj)
	case watch.Deleted:
		return s.store.Delete(obj)
	}
	return fmt.Errorf("unknown event type %q", e.Type)
}

// deleteUnread deletes an object that could not be decoded.
func (s *storeSink) deleteUnread(e *listwatch.Event) error {
	if s.store.Delete(DeletedFinalStateUnknown{Key: e.Key}) == nil {
		return nil
	}
	// Not every store supports tombstones, but those that do not use only the name.
	obj, ok := e.NewObject().(metav1.Object)
	if !ok {
		return fmt.Errorf("cannot delete %q", e.Key)
	}
	namespace, name, err := SplitMetaNamespaceKey(e.Key)
	if err != nil {
		return err
	}
	obj.SetNamespace(namespace)
	obj.SetName(name)
	obj.SetUID(e.Rev.UID)
	obj.SetResourceVersion(e.Rev.Version)
	return s.store.Delete(obj)
}

// Bookmark calls Bookmark of the store.
func (s *storeSink) Bookmark(version string) error {
	if s.bookmarks == nil {
		return nil
	}
	return s.bookmarks.Bookmark(version)
}

// Reached calls UpdateResourceVersion of the store.
func (s *storeSink) Reached(version string) {
	if s.versions != nil {
		s.versions.UpdateResourceVersion(version)
	}
}

// Resync calls Resync of the store.
func (s *storeSink) Resync() error { return s.store.Resync() }

// KeyOf calls KeyOf of the store, if it has one.
func (s *storeSink) KeyOf(obj any) (string, error) {
	if k, ok := s.store.(interface{ KeyOf(any) (string, error) }); ok {
		return k.KeyOf(obj)
	}
	return MetaNamespaceKeyFunc(obj)
}

// Relist starts a list for Replace of the store.
func (s *storeSink) Relist(streaming bool) listwatch.Relist {
	r := &storeRelist{sink: s}
	if streaming {
		r.places = map[string]int{}
		if t, ok := s.store.(TransformingStore); ok {
			r.transform = t.Transformer()
		}
	}
	return r
}

// storeRelist is a list that is collected for a store.
type storeRelist struct {
	sink *storeSink
	list []any // the argument of Replace; nil where an object was removed
	// places has the index of each key in the list, if objects may change before the list is complete.
	places    map[string]int
	transform TransformFunc // for objects that are kept for a while
}

// Add decodes an object. If it cannot be decoded, the store's object is used.
func (r *storeRelist) Add(item *listwatch.Item) error {
	obj, err := item.Load()
	if err == nil && r.transform != nil {
		obj, err = r.transform(obj)
	}
	if err != nil {
		obj = r.sink.known(item.Key)
	}
	if obj != nil {
		r.put(item.Key, obj)
	}
	return err
}

func (r *storeRelist) put(key string, obj any) {
	if at, ok := r.places[key]; ok {
		r.list[at] = obj
		return
	}
	if r.places != nil {
		r.places[key] = len(r.list)
	}
	r.list = append(r.list, obj)
}

// known returns the store's object for a key, if the store supports that.
func (s *storeSink) known(key string) any {
	_, queue := s.store.(Queue) // a queue would return what is queued
	getter, ok := s.store.(KeyGetter)
	if !ok || queue {
		return nil
	}
	obj, _, err := getter.GetByKey(key)
	if err != nil {
		return nil
	}
	return obj
}

// Remove removes the object with a key.
func (r *storeRelist) Remove(key string) {
	if at, ok := r.places[key]; ok {
		delete(r.places, key)
		r.list[at] = nil // Commit skips it
	}
}

// Commit calls Replace of the store.
func (r *storeRelist) Commit(version string) error {
	list := r.list[:0]
	for _, obj := range r.list {
		if obj != nil {
			list = append(list, obj)
		}
	}
	return r.sink.store.Replace(list, version)
}

// Failed returns nothing: Add has returned all errors.
func (r *storeRelist) Failed() []listwatch.UndecodableError { return nil }
