package ownwrites

import (
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// entry is the overlay's entry for one name: the newest state that an own write is known to have led to. It is
// immutable, and replaced by another one.
type entry struct {
	id  ident
	key string // id as a store key
	// obj is the object to show until the store has caught up; nil means none.
	obj any
	uid types.UID
	// version is the version of obj. If obj is nil, it is the last version that the object is known to have had.
	version uint64
	// dead are deleted objects. The store may show others under the name, but none of these.
	dead []dead
	// since is when the first entry under the name was made, number the sequence number of the entry.
	since  time.Time
	number uint64
	// observed is the newest version in an event of this name since the entry was made. It is used only if the version of
	// the store is unknown.
	observed uint64
	// filed caches the values of obj in the indexes that were read.
	filed atomic.Pointer[map[string][]string]
}

// dead is an object that was deleted.
type dead struct {
	uid types.UID
	// bound is a version from after the deletion, or one that the object has had, if none was known when it was
	// deleted; else 0.
	bound uint64
	// covers means that objects not newer than bound are hidden as well: they may have existed before.
	covers bool
	// until is when to stop waiting for bound; zero means never.
	until time.Time
}

// maxDead is the maximum number of deleted objects with unknown versions for one name. More than one is rare.
const maxDead = 8

// held is what the store has under a name.
type held struct {
	obj     any
	exists  bool
	uid     types.UID
	version uint64 // 0 if the object has no numeric version
}

// caughtUp reports whether the store, which holds everything up to a version, is at least as new as the entry.
func (e *entry) caughtUp(storeVersion uint64, h held) bool {
	if h.exists && h.version != 0 {
		if h.version >= e.version {
			return true
		}
		if h.uid == e.uid {
			return false // regardless of the store's version: it could not decode the newer state, and kept this one
		}
	}
	return storeVersion >= e.version
}

// seen is the visible state of a name.
type seen struct {
	obj    any
	exists bool
	own    bool // obj comes from the entry, not from the store
}

// choose returns the store's object, or the entry's if that is newer.
func (e *entry) choose(storeVersion uint64, h held) seen {
	s, uid := seen{obj: e.obj, exists: e.obj != nil, own: true}, e.uid
	if e.caughtUp(storeVersion, h) {
		s, uid = seen{obj: h.obj, exists: h.exists && !e.covered(storeVersion, h)}, h.uid
	}
	if !s.exists || e.isDead(uid) {
		return seen{}
	}
	return s
}

// covered reports whether the store's object may have existed before an object that was deleted.
func (e *entry) covered(storeVersion uint64, h held) bool {
	return h.uid != e.uid && slices.ContainsFunc(e.dead, func(d dead) bool {
		return d.covers && storeVersion < d.bound && h.version <= d.bound
	})
}

// settled reports whether the entry no longer adds anything to the store, and never will.
func (e *entry) settled(storeVersion uint64, h held, now time.Time) bool {
	if !e.caughtUp(storeVersion, h) || h.exists && e.isDead(h.uid) {
		return false
	}
	for _, d := range e.dead {
		if d.bound > storeVersion && (d.until.IsZero() || now.Before(d.until)) {
			return false
		}
	}
	return true
}

func (e *entry) isDead(uid types.UID) bool {
	return uid != "" && slices.ContainsFunc(e.dead, func(d dead) bool { return d.uid == uid })
}

// hides reports whether the entry hides foreign objects from before a deletion, until the store is past it.
func (e *entry) hides() bool {
	return slices.ContainsFunc(e.dead, func(d dead) bool { return d.covers })
}

// unbound reports whether the entry needs a version from after the deletion of an object.
func (e *entry) unbound(uid types.UID) bool {
	return slices.ContainsFunc(e.dead, func(d dead) bool { return d.uid == uid && d.bound == unknown })
}

// unknown is a bound that the store never reaches.
const unknown = ^uint64(0)

// bounded returns the entry with a bound for a deleted object that has none. The bound is a version from after the
// deletion, or one that the object has had: a store at either of them, without the object, knows of the deletion.
func (e *entry) bounded(uid types.UID, bound uint64) *entry {
	if bound == 0 || !e.unbound(uid) {
		return e
	}
	next := e.clone()
	for i, d := range next.dead {
		if d.uid == uid && d.bound == unknown {
			next.dead[i].bound = bound
		}
	}
	return next
}

// afterEvent returns the entry after an event of an object of its name with this version.
func (e *entry) afterEvent(uid types.UID, version uint64) *entry {
	next := e.bounded(uid, version)
	if version <= e.observed {
		return next
	}
	if next == e {
		next = e.clone()
	}
	next.observed = version
	return next
}

func (e *entry) clone() *entry {
	next := &entry{
		id: e.id, key: e.key, obj: e.obj, uid: e.uid, version: e.version,
		dead: slices.Clone(e.dead), since: e.since, number: e.number, observed: e.observed,
	}
	next.filed.Store(e.filed.Load())
	return next
}

// afterWrite returns the entry for a name after the server has answered a write with next.
func afterWrite(old, next *entry) *entry {
	if old == nil {
		return next
	}
	next.since = old.since
	if old.isDead(next.uid) {
		// The answer arrives after that of the deletion, and is older.
		if old.uid != next.uid || old.version >= next.version {
			return old
		}
		next.obj, next.dead = nil, old.dead
		return next
	}
	if next.version <= old.version {
		return old
	}
	next.dead = old.unbounded()
	return next
}

// unbounded returns the deleted objects with unknown versions. All versions of the others are less than that of the
// next entry, which hides them anyway.
func (e *entry) unbounded() []dead {
	var out []dead
	for _, d := range e.dead {
		if d.bound != 0 {
			out = append(out, d)
		}
	}
	return newest(out)
}

// newest returns a copy of the newest maxDead elements.
func newest(list []dead) []dead { return slices.Clone(list[max(0, len(list)-maxDead):]) }

// afterDeletion returns the entry for a name after the server has deleted an object: gone, unless the old entry is
// still needed. The version of gone is one that the object is known to have had, or 0. sent is the number of the last
// entry when the deletion was sent.
func afterDeletion(old, gone *entry, d dead, sent uint64) *entry {
	if gone.version != 0 {
		d.bound = 0
	}
	if old != nil {
		gone.since = old.since
		before := old.unbounded()
		switch {
		case old.uid == d.uid:
			gone.version = max(gone.version, old.version)
			d.bound = 0
		case gone.version == 0 && old.number <= sent:
			// It came after the object that was written, which is deleted, too: all its versions are greater.
			gone.version = old.version + 1
			before = append(newest(old.dead), dead{uid: old.uid})
		case gone.version == 0:
			// It may have existed before the object that was written, or after it.
			gone.obj, gone.uid, gone.version = old.obj, old.uid, old.version
			before = newest(old.dead)
		case gone.version <= old.version:
			return old
		}
		gone.dead = append(before, gone.dead...)
	}
	gone.dead = append(gone.dead, d)
	return gone
}
