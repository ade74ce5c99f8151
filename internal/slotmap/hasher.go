package slotmap

import (
	"fmt"
	"hash/maphash"
	"reflect"
	"slices"
)

// Hasher computes the hashes that a Map is asked with. It is safe for concurrent use.
type Hasher[K comparable] struct {
	seed maphash.Seed
	// wary is set where a key may turn out to be no key: an interface may hold a slice, a float may be NaN.
	wary bool
	what string
	hash func(maphash.Seed, K) uint64
}

// NewHasher returns a Hasher with a seed of its own. What names the kind of key in panics, for example
// "workqueue: item".
func NewHasher[K comparable](what string) Hasher[K] {
	h := Hasher[K]{
		seed: maphash.MakeSeed(),
		wary: mayFail(reflect.TypeFor[K]()),
		what: what,
		hash: maphash.Comparable[K],
	}
	// Strings, which most keys are, have a quicker way to the same end.
	if quick, ok := any(maphash.String).(func(maphash.Seed, K) uint64); ok {
		h.hash = quick
	}
	return h
}

// Hash returns the hash of a key. It panics with a sentence where the key is not hashable, or not equal to itself: it
// could be put into a map, but never found again.
func (h *Hasher[K]) Hash(key K) uint64 {
	if h.wary {
		h.check(key)
	}
	return h.hash(h.seed, key)
}

func (h *Hasher[K]) check(key K) {
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

// mayFail tells whether some value of the type is unhashable or not equal to itself.
func mayFail(t reflect.Type) bool {
	return hasPart(t, reflect.Interface, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128)
}

// hasPart tells whether a type, or a part of it, is of one of the kinds.
func hasPart(t reflect.Type, kinds ...reflect.Kind) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPart(t.Elem(), kinds...)
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPart(t.Field(i).Type, kinds...) {
				return true
			}
		}
	}
	return slices.Contains(kinds, t.Kind())
}
