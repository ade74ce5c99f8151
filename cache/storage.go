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

// Storage says how an informer keeps its objects. The zero value keeps them decoded, each in memory of its own: objects have
// only what cannot be written to in common, strings and the text of managed fields. A program that writes to an object of the store,
// which it must not, changes that object and no other, until the next event or list brings it anew. See docs/performance.md for what each
// of the ways costs.
type Storage struct {
	// Packed keeps objects as bytes, close to each other and compressed, which takes a tenth of the memory or less. Each reader
	// of an object is given one of its own, which it may change; to make it takes some microseconds. Handlers are given decoded
	// objects when they are called, and a LazyEventHandler nothing that it does not ask for. Index functions see
	// each object once, decoded, when it comes; those of IndexByMeta only its metadata, for which nothing is decoded.
	Packed bool
	// Keep is the fields that are kept, by their names in JSON, such as "metadata.labels", "spec.nodeName" or
	// "spec.containers.image". All others are dropped before the object is decoded. What it takes to know an object
	// (apiVersion, kind, namespace, name, UID, resource version, generation) is always kept. Empty means that all fields are.
	Keep []string
	// Drop is the fields that are not kept, such as "metadata.managedFields". It cannot be set together with Keep.
	Drop []string
	// Shared keeps equal parts of several objects once: lists, maps and sub-messages. That takes 0.6 of the memory of
	// the zero value. It is for programs that never write to an object that they got from the store or in a handler: such a write
	// changes the part in all objects that have it, and each of these stays wrong until the next event or list that
	// brings it. Objects that come later do not get what was written. It cannot be set together with Packed, and
	// has no effect with a transform, which may change objects, or a MutationDetector.
	Shared bool
}

// DropManagedFields is for Storage.Drop: who has set which field is of no use to most programs, and takes a lot of room.
const DropManagedFields = "metadata.managedFields"

// Validate tells what is wrong with a storage for objects of a type, which is that of the pointer to one.
func (s Storage) Validate(t reflect.Type) error {
	special := s.Packed || len(s.Keep) > 0 || len(s.Drop) > 0
	switch {
	case special && (t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct):
		return fmt.Errorf("cache: Storage needs to know the type of the objects, but the example object is a %v", t)
	case len(s.Keep) > 0 && len(s.Drop) > 0:
		return errors.New("cache: Storage.Keep and Storage.Drop are both set; what is not kept is dropped anyway")
	case s.Shared && s.Packed:
		return errors.New("cache: Storage.Shared and Storage.Packed are both set; packed objects have no parts to share")
	case !special:
		return nil
	}
	_, err := s.filter(reflect.New(t.Elem()).Interface())
	return err
}

// Fit returns the storage for objects of a type, without the fields that the type does not have: for a storage that is meant for several
// kinds, or for several forms of one. If the type has no field of Keep, all fields are kept.
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

// filter is what drops fields, nil if all are kept.
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

// codec returns the codec for objects such as the example, nil if it has no Go type, so that anything may come.
func (o *SharedIndexInformerOptions) codec(example any, transform TransformFunc) *codec.Codec {
	filter, _ := o.Storage.filter(example) // the options are valid
	return codec.New(codec.Config{
		Example: example,
		Filter:  filter,
		Packed:  o.Storage.Packed,
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
