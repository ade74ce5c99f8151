// Package keyhash computes hashes of keys of any comparable type, and panics with a readable message for values that
// cannot be keys.
package keyhash

import (
	"fmt"
	"hash/maphash"
	"reflect"
)

// Hasher computes hashes of keys. It is safe for concurrent use.
type Hasher[K comparable] struct {
	seed maphash.Seed
	// check is set if a value of the type may not be a valid key: an interface may hold a slice, a float may be NaN.
	check bool
	what  string
	hash  func(maphash.Seed, K) uint64
}

// New returns a Hasher with a seed of its own. What names the kind of key in panics, for example "workqueue: item".
func New[K comparable](what string) Hasher[K] {
	h := Hasher[K]{
		seed:  maphash.MakeSeed(),
		check: mayBeInvalid(reflect.TypeFor[K]()),
		what:  what,
		hash:  maphash.Comparable[K],
	}
	// Most keys are strings, for which there is a faster function.
	if quick, ok := any(maphash.String).(func(maphash.Seed, K) uint64); ok {
		h.hash = quick
	}
	return h
}

// Hash returns the hash of a key. It panics if the key is not hashable, or not equal to itself: it could be put into a
// map, but never found again.
func (h *Hasher[K]) Hash(key K) uint64 {
	if h.check {
		h.mustBeValid(key)
	}
	return h.hash(h.seed, key)
}

func (h *Hasher[K]) mustBeValid(key K) {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprintf("%s of type %T cannot be a key: %v", h.what, key, r))
		}
	}()
	// Comparing an interface that holds an unhashable value panics just as hashing it does.
	if key != key { // NaN is the one value that is not equal to itself
		panic("it is not equal to itself (NaN), so it would never be found again")
	}
}

// mayBeInvalid reports whether some value of the type is unhashable or not equal to itself.
func mayBeInvalid(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return mayBeInvalid(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if mayBeInvalid(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
