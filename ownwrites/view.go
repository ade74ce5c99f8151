package ownwrites

import (
	"vedette.dev/cache"
)

// view is the store with the overlay on top.
//
// Each read takes the entries first, then the version of the store, then its objects. An entry leaves the overlay only when the
// store has caught up with it. So for each name there are two cases: the entry was there, and what is shown is the newer of
// the two; or it was not, and then either no write had returned when the read began, or the store, which is read later, had
// caught up. Names with an entry are taken out of what the store lists, and put back in once, so that none is there twice.
// No lock is held meanwhile, and nothing is tried again.
type view struct {
	t     *core
	store cache.Indexer
}

var _ cache.Indexer = (*view)(nil)

// Current is what listers read from: the store itself, if there is nothing to add.
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
		return v.store.GetByKey(key) // nothing that was written has such a key
	}
	e := v.t.overlay.get(id)
	if e == nil {
		return v.store.GetByKey(key)
	}
	s := v.t.now(e)
	return s.obj, s.exists, nil
}

// now is what is to be seen under the name of an entry.
func (t *core) now(e *entry) seen {
	version := t.coverageAtOnce(e) // before the object
	return e.choose(version, t.held(e.key))
}

func (v *view) GetIndexers() cache.Indexers { return v.store.GetIndexers() }

func (v *view) AddIndexers(newIndexers cache.Indexers) error {
	return v.t.informer.AddIndexers(newIndexers)
}

// LastStoreSyncResourceVersion is that of the store: own writes may be newer.
func (v *view) LastStoreSyncResourceVersion() string { return v.store.LastStoreSyncResourceVersion() }

func (v *view) Add(any) error               { return ErrReadOnly }
func (v *view) Update(any) error            { return ErrReadOnly }
func (v *view) Delete(any) error            { return ErrReadOnly }
func (v *view) Replace([]any, string) error { return ErrReadOnly }
func (v *view) Resync() error               { return nil }

// Bookmark panics, as it cannot return an error.
func (v *view) Bookmark(string) { panic(ErrReadOnly) }
