package cache

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/object"
	"vedette.dev/internal/wire/wirefilter"
)

// Storage configures how an informer stores its objects. With the zero value they are stored decoded, each in memory of
// its own: objects share only what is immutable, strings and the text of managed fields. A write to an object of the
// store, which is a bug, changes that object and no other, until the next event or list replaces it. See
// docs/performance.md for the cost of each option.
type Storage struct {
	// Packed stores objects as compressed bytes, which takes a tenth of the memory or less. Each reader gets a copy of
	// its own, which it may modify; decoding it takes some microseconds. Handlers are called with decoded objects, and
	// a LazyEventHandler decodes only on request. Index functions are called once for each object, decoded, when it
	// arrives; those of IndexByMeta only with its metadata, without decoding.
	Packed bool
	// Keep lists the fields to keep, by their names in JSON, such as "metadata.labels", "spec.nodeName" or
	// "spec.containers.image". All others are dropped before the object is decoded. The identity of an object
	// (apiVersion, kind, namespace, name, UID, resource version, generation) is always kept. Empty means all fields.
	Keep []string
	// Drop lists the fields to drop, such as "metadata.managedFields". It cannot be combined with Keep.
	Drop []string
	// Shared stores equal parts of several objects once: lists, maps and sub-messages. That takes 0.6 of the memory of
	// the zero value. It is for programs that never write to an object from the store or in a handler: such a write
	// changes the part in all objects that share it, and each of these stays wrong until the next event or list
	// replaces it. Objects that arrive later are not affected. It cannot be combined with Packed, and has no effect
	// with a transform, which may modify objects, or a MutationDetector.
	Shared bool
}

// DropManagedFields is for Storage.Drop: managed fields are of no use to most programs, and take a lot of memory.
const DropManagedFields = "metadata.managedFields"

// Validate returns what is wrong with a storage for objects of a pointer type.
func (s Storage) Validate(t reflect.Type) error {
	special := s.Packed || len(s.Keep) > 0 || len(s.Drop) > 0
	switch {
	case special && (t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct):
		return fmt.Errorf("cache: Storage needs to know the type of the objects, but the example object is a %v", t)
	case len(s.Keep) > 0 && len(s.Drop) > 0:
		return errors.New("cache: Storage.Keep and Storage.Drop cannot be combined")
	case s.Shared && s.Packed:
		return errors.New("cache: Storage.Shared and Storage.Packed cannot be combined")
	case !special:
		return nil
	}
	_, err := s.filter(reflect.New(t.Elem()).Interface())
	return err
}

// Fit returns the storage for objects of a type, without the fields that the type does not have: for a storage that is
// used for several kinds, or for several forms of one. If the type has no field of Keep, all fields are kept.
func (s Storage) Fit(t reflect.Type) Storage {
	if !codec.IsStruct(reflect.Zero(t).Interface()) {
		return s
	}
	example := reflect.New(t.Elem()).Interface()
	s.Keep = fitting(s.Keep, func(path string) error { _, err := wirefilter.Keep(example, path); return err })
	s.Drop = fitting(s.Drop, func(path string) error { _, err := wirefilter.Drop(example, path); return err })
	return s
}

func fitting(paths []string, check func(path string) error) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return check(path) != nil })
}

// filter returns the filter that drops fields, nil if all are kept.
func (s Storage) filter(example any) (f *wirefilter.Filter, err error) {
	switch {
	case len(s.Keep) > 0:
		f, err = wirefilter.Keep(example, s.Keep...)
	case len(s.Drop) > 0:
		f, err = wirefilter.Drop(example, s.Drop...)
	}
	if err != nil {
		return nil, fmt.Errorf("cache: Storage: %w", err)
	}
	return f, nil
}

// codec returns the codec for objects such as the example, nil if it has no Go type, so that any type may occur.
func (o *SharedIndexInformerOptions) codec(example any, transform TransformFunc) *codec.Codec {
	filter, _ := o.Storage.filter(example) // the options are valid
	return codec.New(codec.Config{
		Example: example,
		Filter:  filter,
		Packed:  o.Storage.Packed,
		Keep:    o.Storage.Keep,
		Drop:    o.Storage.Drop,
		Shared:  o.Storage.Shared,
		Alters:  transform != nil, AltersMetadata: transform.isMeta(),
		Apart: o.MutationDetector != nil,
	})
}

// decoder returns the decoder for readers of the store.
func (o *SharedIndexInformerOptions) decoder() decoder {
	if o.Storage.Packed {
		return object.Copy
	}
	if d, ok := o.MutationDetector.(*detector); ok {
		return d.read
	}
	return nil
}
