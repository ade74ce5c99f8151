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

// Created records the server's answer to a creation. When Created has returned, reads return it, and its event is own.
func (t *Tracker) Created(obj runtime.Object) error { return t.record(obj, origin{created: true}) }

// Updated records the server's answer to an update of an object or of its status. base is the resource version that was
// sent: since the server checked it, nothing lies between the two, and the event is own. If base is empty, it is like
// Wrote.
func (t *Tracker) Updated(obj runtime.Object, base string) error {
	return t.record(obj, origin{base: base})
}

// Wrote records the server's answer to a write without a resource version: most patches and applies. Reads return it,
// but its event is treated as foreign: if the patch changed nothing, the answer is the result of a foreign write.
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
		return fmt.Errorf("ownwrites: cannot record %T: no metadata", obj)
	}
	name := cache.MetaObjectToName(m)
	version := m.GetResourceVersion()
	switch {
	case name.Name == "":
		return fmt.Errorf("ownwrites: cannot record %T without a name; record the server's answer", obj)
	case version == "":
		return fmt.Errorf("ownwrites: cannot record %s without a resource version; record the server's answer", name)
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

// shown returns an object as the store would have it. It shares nothing with the caller's object.
func (t *core) shown(obj runtime.Object) (shown any, err error) {
	own, err := t.form.copyOf(obj)
	if err != nil || t.config.Transform == nil {
		return own, err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("ownwrites: transform panicked: %v", cause)
		}
	}()
	if shown, err = t.config.Transform(own); err == nil && shown == nil {
		err = errors.New("ownwrites: transform returned nil")
	}
	return shown, err
}

// insert adds an entry, unless the store has caught up with it already.
func (t *core) insert(id ident, next func(old *entry) *entry) {
	// Lock order: no lock of the informer is taken while a lock of the overlay is held.
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
	t.settle(id) // its event may have arrived meanwhile
	if !t.overlay.empty() {
		t.arm()
	}
}

// Deletion is a completed deletion of an object.
type Deletion struct {
	Namespace, Name string
	// UID is the UID in the server's answer.
	UID types.UID
	// Version is any resource version that the object had, if one is known.
	Version string
	// After is a resource version from after the deletion, such as that of a list of the same resource. It is required
	// if no version of the object is known, neither to the caller nor to the tracker, which knows those of own writes
	// and of the store.
	After string

	// sent is the number of the last entry when the deletion was sent, before the store's object at that time. If that
	// is another object, it is deleted, too.
	sent   uint64
	before types.UID
}

// Deleted records that the server has deleted an object. If it answered with an object that still exists, because of
// finalizers or a grace period, that is a write: see Wrote. (Wrote detects the removal of the last finalizer as a
// deletion.)
//
// Writes to the same name that were recorded before are assumed to have been made before. Workers that write the same
// name concurrently should use the clients of this package, which know when each write was sent.
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
		return err // the caller may know a version
	}
	return t.recorded(err)
}

func (t *Tracker) addTombstone(d Deletion, until time.Time) error {
	id := t.ident(cache.ObjectName{Namespace: d.Namespace, Name: d.Name})
	if d.Name == "" || d.UID == "" {
		return fmt.Errorf("ownwrites: deletion of %q with UID %q: name and UID are required", id, d.UID)
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

// recorded counts a record, and logs its error.
func (t *core) recorded(err error) error {
	switch {
	case err == nil:
		t.counts.recorded.Add(1)
	case errors.Is(err, ErrIncomparable):
		if t.counts.incomparable.Add(1) == 1 {
			t.config.Logger.Warn("Own writes cannot be compared with the cache, reads may be stale", "err", err)
		}
	default:
		if t.counts.refused.Add(1) == 1 {
			t.config.Logger.Warn("Own write not recorded, reads may be stale", "err", err)
		}
	}
	return err
}

// isGone reports whether the answer to a write is the last state of an object: the write removed the last finalizer.
func isGone(obj runtime.Object, m metav1.Object) bool {
	if m.GetDeletionTimestamp() == nil || len(m.GetFinalizers()) > 0 {
		return false
	}
	if grace := m.GetDeletionGracePeriodSeconds(); grace != nil {
		return *grace == 0
	}
	return !hasOwnFinalizers(obj)
}

// hasOwnFinalizers reports whether an object has finalizers in its spec, as namespaces do.
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
