package cache

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// follow gives each event of a watch to the store, until there are no more.
func (r *running) follow(w *watching) error {
	var e event
	for {
		if err := w.source.next(&e); err != nil {
			return err
		}
		if e.wrong != nil {
			r.came()
			r.leaveOut(&e)
			continue
		}
		w.events++
		if err := r.apply(&e); err != nil {
			r.notApplied(w, &e, err)
		}
		if r.checkSoon.Swap(false) {
			w.watchdog.use(r.checkWatch(w))
		}
		w.ordered = w.ordered || e.what != watch.Added
		if !w.ordered {
			r.moved("")
			continue
		}
		r.moved(e.version)
		if r.versions != nil {
			r.versions.UpdateResourceVersion(e.version)
		}
	}
}

// apply gives an event to the store.
func (r *running) apply(e *event) error {
	if e.what == watch.Bookmark {
		if r.bookmarks == nil {
			return nil
		}
		return r.bookmarks.Bookmark(e.version)
	}
	if r.frames != nil {
		return r.frames.take(e)
	}
	obj, err := r.load(e)
	if err != nil {
		return &UndecodableError{Key: e.key, Err: err}
	}
	switch e.what {
	case watch.Added:
		return r.store.Add(obj)
	case watch.Modified:
		return r.store.Update(obj)
	case watch.Deleted:
		return r.store.Delete(obj)
	}
	return fmt.Errorf("an event of the unknown type %q", e.what)
}

// notApplied deals with an event that the store has not got. The version goes on all the same: the event would not be
// any better if it came again.
func (r *running) notApplied(w *watching, e *event, err error) {
	var unread *UndecodableError
	if !errors.As(err, &unread) {
		r.skip(err)
		return
	}
	if e.what == watch.Deleted {
		// To know what is gone, nobody has to read it.
		if err := r.deleteUnread(e); err != nil {
			r.skip(err)
		}
		return
	}
	r.cannotRead(unread)
	if _, due := r.dueForRecheck(); !due {
		r.recheckLater(true)
	}
	w.watchdog.use(r.checkWatch(w))
}

// deleteUnread deletes an object whose last state is not known.
func (r *running) deleteUnread(e *event) error {
	if r.store.Delete(DeletedFinalStateUnknown{Key: e.key}) == nil {
		return nil
	}
	// Not every store knows tombstones, but those that do not look at names only.
	obj, ok := r.newObject().(metav1.Object)
	if !ok {
		return fmt.Errorf("cannot delete %q", e.key)
	}
	namespace, name, err := SplitMetaNamespaceKey(e.key)
	if err != nil {
		return err
	}
	obj.SetNamespace(namespace)
	obj.SetName(name)
	obj.SetUID(e.rev.uid)
	obj.SetResourceVersion(e.rev.version)
	return r.store.Delete(obj)
}

// leaveOut passes over an event that cannot be used. It says nothing about how far the server is.
func (r *running) leaveOut(e *event) {
	var unread *UndecodableError
	if errors.As(e.wrong, &unread) {
		r.cannotRead(unread)
		return
	}
	r.skip(e.wrong)
}
