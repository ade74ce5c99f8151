package cache

import (
	"errors"
	"fmt"
	"reflect"

	"vedette.dev/internal/wirefilter"
)

// Storage says how an informer keeps its objects. The zero value keeps them decoded, and what several of them have in common
// once: see docs/performance.md for what each of the ways costs.
type Storage struct {
	// Packed keeps objects as bytes, close to each other and compressed, which takes a tenth of the memory or less. Whoever reads
	// an object is given one of its own, which may be changed; to make it takes some microseconds. Handlers are given decoded
	// objects when they are called, and a LazyEventHandler nothing that it does not ask for. Index functions see
	// each object once, decoded, when it comes; those of IndexByMeta only its metadata, for which nothing is decoded.
	Packed bool
	// Keep is the fields that are kept, by their names in JSON, such as "metadata.labels", "spec.nodeName" or
	// "spec.containers.image". All others are dropped before the object is decoded. What it takes to know an object
	// (apiVersion, kind, namespace, name, UID, resource version, generation) is always kept. Empty means that all fields are.
	Keep []string
	// Drop is the fields that are not kept, such as "metadata.managedFields". It cannot be set together with Keep.
	Drop []string
	// Unshared keeps each object for itself. It is for programs that change what they read from a store, which they should
	// not, in any storage but a packed one.
	Unshared bool
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
	case !special:
		return nil
	}
	_, err := s.filter(reflect.New(t.Elem()).Interface())
	return err
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

// opener is what readers need to read the store.
func (s Storage) opener() opener {
	if s.Packed {
		return unpacked
	}
	return nil
}

// stored is a store as its informer sees it: packed objects stay packed.
type stored struct{ *cache }

// GetByKey implements KeyGetter.
func (s stored) GetByKey(key string) (item interface{}, exists bool, err error) {
	item, exists = s.table.get(key)
	return item, exists, nil
}
