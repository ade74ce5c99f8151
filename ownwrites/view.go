package ownwrites

import (
	"vedette.dev/cache"
)

// view is the store with the overlay on top.
//
// Each read loads the entries first, then the version of the store, then its objects. An entry is removed from the
// overlay only when the store has caught up with it. So for each name there are two cases: the entry was there, and the
// newer of the two is returned; or it was not, and then either no write had returned when the read began, or the store,
// which is read later, had caught up. Names with an entry are removed from what the store lists, and added once, so
// that none is returned twice. No lock is held meanwhile, and nothing is retried.
type view struct {
	t     *core
	store cache.Indexer
}

var _ cache.Indexer = (*view)(nil)

// Current returns what listers read from: the store itself, if there is nothing to add.
func (v *view) Current() cache.Indexer {
	if v.t.overlay.empty() {
		return v.store
	}
	return v
}

func (v *view) Get(obj any) (item any, exists bool, err error) {
	if v.t.overlay.empty() {
		return v.store.Get(obj)
	}
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, false, cache.KeyError{Obj: obj, Err: err}
	}
	return v.GetByKey(key)
}

func (v *view) GetByKey(key string) (item any, exists bool, err error) {
	if v.t.overlay.empty() {
		return v.store.GetByKey(key)
	}
	id, err := v.t.clusters.parse(key)
	if err != nil {
		return v.store.GetByKey(key) // nothing with such a key was written
	}
	e := v.t.overlay.get(id)
	if e == nil {
		return v.store.GetByKey(key)
	}
	s := v.t.now(e)
	return s.obj, s.exists, nil
}

// now returns the visible state of the name of an entry.
func (t *core) now(e *entry) seen {
	version := t.coverageAtOnce(e) // before the object is read
	return e.choose(version, t.held(e.key))
}

func (v *view) GetIndexers() cache.Indexers { return v.store.GetIndexers() }

func (v *view) AddIndexers(newIndexers cache.Indexers) error {
	return v.t.informer.AddIndexers(newIndexers)
}

// LastStoreSyncResourceVersion returns the version of the store: own writes may be newer.
func (v *view) LastStoreSyncResourceVersion() string { return v.store.LastStoreSyncResourceVersion() }

func (v *view) Add(any) error               { return ErrReadOnly }
func (v *view) Update(any) error            { return ErrReadOnly }
func (v *view) Delete(any) error            { return ErrReadOnly }
func (v *view) Replace([]any, string) error { return ErrReadOnly }
func (v *view) Resync() error               { return nil }

// Bookmark panics, because it cannot return an error.
func (v *view) Bookmark(string) { panic(ErrReadOnly) }
