package cache

import "errors"

// DeltaType says what happened to an object.
type DeltaType string

const (
	Added   DeltaType = "Added"
	Updated DeltaType = "Updated"
	Deleted DeltaType = "Deleted"
	// Replaced is for an object in a list: it may be new, changed or as it was.
	Replaced DeltaType = "Replaced"
	// ReplacedAll carries a ReplacedAllInfo: a whole list in one delta.
	ReplacedAll DeltaType = "ReplacedAll"
	// Sync is for an object that is handed out again though nothing happened.
	Sync DeltaType = "Sync"
	// SyncAll carries a SyncAllInfo: everything known is to be handed out again.
	SyncAll DeltaType = "SyncAll"
	// Bookmark carries a BookmarkInfo: everything up to a version was queued before.
	Bookmark DeltaType = "Bookmark"
)

// Delta is something that happened to an object, with its state afterwards; after a deletion, the last one before.
type Delta struct {
	Type   DeltaType
	Object interface{}
}

// Deltas is what happened to one object, the oldest first.
type Deltas []Delta

// Oldest returns the first delta, or nil if there is none.
func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest returns the last delta, or nil if there is none.
func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

// DeletedFinalStateUnknown stands in for an object that was deleted while nobody was watching. Obj is the last state
// that is known, which may be old, or nil.
type DeletedFinalStateUnknown struct {
	Key string
	Obj interface{}
}

// ReplacedAllInfo is the object of a ReplacedAll: what Replace was given, transformed.
type ReplacedAllInfo struct {
	ResourceVersion string
	Objects         []interface{}
}

// SyncAllInfo is the object of a SyncAll.
type SyncAllInfo struct{}

// BookmarkInfo is the object of a Bookmark.
type BookmarkInfo struct {
	ResourceVersion string
}

// ErrZeroLengthDeltasObject is in the KeyError for Deltas without a delta.
var ErrZeroLengthDeltasObject = errors.New("0 length Deltas object; can't get key")

// deltaKey returns the key of an object, a tombstone, a Delta or Deltas.
func deltaKey(keyFunc KeyFunc, obj any) (string, error) {
	if d, ok := obj.(Deltas); ok {
		if len(d) == 0 {
			return "", KeyError{obj, ErrZeroLengthDeltasObject}
		}
		obj = d.Newest().Object
	}
	if d, ok := obj.(Delta); ok {
		obj = d.Object
	}
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return keyFunc(obj)
}
