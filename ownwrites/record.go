package ownwrites

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
)

// Created records the server's answer to a creation. Reads see it when Created has returned, and its event is an own one.
func (t *Tracker) Created(obj runtime.Object) error { return t.record(obj, origin{created: true}) }

// Updated records the server's answer to an update of an object or of its status. base is the resource version that was sent,
// on which the server insisted: so nothing lies between the two, and the event is an own one. Empty means as Wrote.
func (t *Tracker) Updated(obj runtime.Object, base string) error {
	return t.record(obj, origin{base: base})
}

// Wrote records the server's answer to a write that sent no version: most patches and applies. Reads see it; but its event
// is taken for one of others, because nobody can tell. An answer may well be the work of somebody else, if the patch
// changed nothing.
func (t *Tracker) Wrote(obj runtime.Object) error { return t.record(obj, origin{}) }

func (t *Tracker) record(obj runtime.Object, from origin) error {
	if t.closed.Load() {
		return ErrClosed
	}
	err := t.put(obj, from)
	return t.recorded(err)
}

func (t *Tracker) put(obj runtime.Object, from origin) error {
	m := metaOf(obj)
	if m == nil {
		return fmt.Errorf("ownwrites: a %T has no metadata, and cannot be recorded", obj)
	}
	name := cache.MetaObjectToName(m)
	version := m.GetResourceVersion()
	switch {
	case name.Name == "":
		return fmt.Errorf("ownwrites: a %T without a name was written: record what the server answered", obj)
	case version == "":
		return fmt.Errorf("ownwrites: %s has no resource version: record what the server answered, not what was sent", name)
	}
	gone := isGone(obj, m)
	t.memory.wrote(m.GetUID(), version, from)
	if gone {
		t.memory.deleted(m.GetUID())
	}
	id := t.ident(name)
	if !t.within()(id) {
		return nil
	}
	next := &entry{id: id, key: id.String(), uid: m.GetUID(), version: numeric(version), since: time.Now()}
	switch {
	case next.version == 0:
		return fmt.Errorf("%w: %s has version %q", ErrIncomparable, name, version)
	case gone:
		t.insert(id, func(old *entry) *entry { return afterDeletion(old, next, dead{uid: next.uid}, 0) })
		return nil
	case t.config.Scope == nil || t.config.Scope(m):
		shown, err := t.shown(obj)
		if err != nil {
			return err
		}
		next.obj = shown
	}
	t.insert(id, func(old *entry) *entry { return afterWrite(old, next) })
	return nil
}

// shown is an object as the store would have it. It shares nothing with the caller's.
func (t *core) shown(obj runtime.Object) (shown any, err error) {
	own, err := t.form.copyOf(obj)
	if err != nil || t.config.Transform == nil {
		return own, err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("ownwrites: the transform panicked: %v", cause)
		}
	}()
	if shown, err = t.config.Transform(own); err == nil && shown == nil {
		err = errors.New("ownwrites: the transform returned nil")
	}
	return shown, err
}

// insert makes an entry, unless the store has caught up with it already.
func (t *core) insert(id ident, next func(old *entry) *entry) {
	// No lock of the informer is taken under one of the overlay.
	version := t.coverage(&entry{id: id, key: id.String()})
	before, after := t.overlay.change(id, func(old *entry) *entry {
		e := next(old)
		if e == old {
			return old
		}
		e.number = t.entries.Add(1)
		if t.isSettledAt(e, version) {
			return nil
		}
		return e
	})
	if before != nil && after == nil {
		t.counts.settled.Add(1)
	}
	if after == nil {
		return
	}
	if t.closed.Load() {
		t.overlay.clear()
		return
	}
	t.settle(id) // its event may have come meanwhile
	if !t.overlay.empty() {
		t.arm()
	}
}

// Deletion is an object that the server says is gone.
type Deletion struct {
	Namespace, Name string
	// UID is that in the server's answer.
	UID types.UID
	// Version is any resource version that the object had, if one is known.
	Version string
	// After is a resource version from after the deletion, such as that of a list of the same resource. It is needed if nobody
	// knows a version of the object: neither the caller nor the tracker, which knows those of its own writes and of the
	// store.
	After string

	// sent is the number of the last entry that there was when the deletion was sent, and before what the store had then. If
	// that is another object, it is gone, too.
	sent   uint64
	before types.UID
}

// Deleted records that the server has deleted an object. If it answered with an object that lives on, because of finalizers or a
// grace period, that is a write: see Wrote. (Wrote, in turn, sees when the removal of a finalizer was the end.)
//
// Writes to the same name that were recorded before are taken to have been made before. Two workers that write to one name at
// the same time should use the clients of this package, which know when each was sent.
func (t *Tracker) Deleted(d Deletion) error {
	if d.sent == 0 {
		d.sent = t.entries.Load()
	}
	return t.delete(d)
}

func (t *Tracker) delete(d Deletion) error {
	if t.closed.Load() {
		return ErrClosed
	}
	err := t.addTombstone(d, time.Time{})
	if errors.Is(err, ErrUnbounded) {
		return err // the caller may know more
	}
	return t.recorded(err)
}

func (t *Tracker) addTombstone(d Deletion, until time.Time) error {
	id := t.ident(cache.ObjectName{Namespace: d.Namespace, Name: d.Name})
	if d.Name == "" || d.UID == "" {
		return fmt.Errorf("ownwrites: the deletion of %q has UID %q: name and UID are needed, as the server answered them", id, d.UID)
	}
	gone := &entry{id: id, key: id.String(), uid: d.UID, version: numeric(d.Version), since: time.Now()}
	if h := t.held(gone.key); h.uid == d.UID {
		gone.version = max(gone.version, h.version)
	}
	if d.before != "" && d.before != d.UID {
		gone.dead = []dead{{uid: d.before}}
	}
	tombstone := dead{uid: d.UID, bound: numeric(d.After), until: until}
	old := t.overlay.get(id)
	ours := old != nil && old.uid == d.UID
	switch {
	case gone.version != 0, ours, tombstone.bound != 0:
	case until.IsZero():
		return fmt.Errorf("%w: %s, UID %s", ErrUnbounded, id, d.UID)
	default:
		tombstone.bound = unknown
	}
	tombstone.covers = tombstone.bound != 0 && !t.isUnversioned()
	t.memory.deleted(d.UID)
	if !t.within()(id) {
		return nil
	}
	t.insert(id, func(old *entry) *entry { return afterDeletion(old, gone, tombstone, d.sent) })
	return nil
}

// recorded counts a record, and tells of what is wrong with it.
func (t *core) recorded(err error) error {
	switch {
	case err == nil:
		t.counts.recorded.Add(1)
	case errors.Is(err, ErrIncomparable):
		if t.counts.incomparable.Add(1) == 1 {
			t.config.Logger.Warn("Own writes cannot be compared with the cache, reads may be older", "err", err)
		}
	default:
		if t.counts.refused.Add(1) == 1 {
			t.config.Logger.Warn("An own write is not recorded, reads may be older", "err", err)
		}
	}
	return err
}

// isGone tells whether the answer to a write is the last state of an object: the write removed the last finalizer.
func isGone(obj runtime.Object, m metav1.Object) bool {
	if m.GetDeletionTimestamp() == nil || len(m.GetFinalizers()) > 0 {
		return false
	}
	if grace := m.GetDeletionGracePeriodSeconds(); grace != nil {
		return *grace == 0
	}
	return !hasOwnFinalizers(obj)
}

// hasOwnFinalizers tells whether an object has finalizers in its spec, as namespaces do.
func hasOwnFinalizers(obj runtime.Object) bool {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return true
	}
	spec, _ := content["spec"].(map[string]any)
	finalizers, _ := spec["finalizers"].([]any)
	return len(finalizers) > 0
}

func isUnbounded(err error) bool { return errors.Is(err, ErrUnbounded) }
