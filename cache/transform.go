package cache

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/object"
)

// TransformFunc transforms an object before it is stored, for example to drop fields that the program does not read. It
// owns its argument and may modify it in place. It should be fast and idempotent.
//
// A queue calls it once per object, in the goroutine that adds the object, and without a lock. It is not called with
// tombstones, nor with objects that are queued again by a resync: these are transformed already.
//
// An informer shares nothing between objects that a transform may modify. With [StripManagedFields] and with the result
// of [TransformMeta] it knows which part that is, and stores the rest as it does without a transform.
type TransformFunc func(interface{}) (interface{}, error)

// StripManagedFields is a [TransformFunc] that removes metadata.managedFields. An informer does not call it, but drops
// the field before an object is decoded, as with [DropManagedFields] in Storage.Drop.
func StripManagedFields(obj interface{}) (interface{}, error) {
	if m, err := object.Meta(obj); err == nil && m.GetManagedFields() != nil {
		m.SetManagedFields(nil)
	}
	return obj, nil
}

// TransformMeta returns a [TransformFunc] that changes nothing but metadata: f gets the metadata of each object, and may change it in
// place.
//
//go:noinline
func TransformMeta(f func(m metav1.Object) error) TransformFunc {
	return func(obj interface{}) (interface{}, error) {
		m, err := object.Meta(obj)
		if err != nil {
			return nil, err
		}
		if err := f(m); err != nil {
			return nil, err
		}
		return obj, nil
	}
}

// All results of TransformMeta have the same code.
var (
	stripCode = codeOf(StripManagedFields)
	metaCode  = codeOf(TransformMeta(nil))
)

// stripsManagedFields reports whether a transform is known to remove managed fields and to do nothing else.
func (f TransformFunc) stripsManagedFields() bool { return f != nil && codeOf(f) == stripCode }

// isMeta reports whether a transform is known to change metadata only.
func (f TransformFunc) isMeta() bool { return f != nil && codeOf(f) == metaCode }

// withoutManagedFields returns the storage with managed fields added to Drop.
func (s Storage) withoutManagedFields() Storage {
	if slices.Contains(s.Drop, DropManagedFields) || slices.Contains(s.Drop, "metadata") {
		return s
	}
	s.Drop = append(slices.Clone(s.Drop), DropManagedFields)
	return s
}
