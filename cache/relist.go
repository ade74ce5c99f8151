package cache

import "vedette.dev/rest"

// relister is a ReflectorStore that takes a list object by object, so that what it has need not be decoded again. Informers are.
type relister interface {
	relist() storeRelist
}

// listItem is an object of a list on its way into a store.
type listItem struct {
	key string
	rev revision
	// raw is what load decodes, valid until add returns; nil if obj is there already. decode does the same with a copy, at any time and
	// in any goroutine.
	raw    *rest.Raw
	obj    any
	load   func() (any, error)
	decode func(raw *rest.Raw) (any, error)
	// holds reports whether an object that is stored in the same version is certainly what came; nil if only loading tells.
	holds func(stored any) bool
}

// isHeld reports whether an object that is stored in the same version is certainly what came.
func (a *listItem) isHeld(stored any) bool {
	return isPacked(stored) || a.holds != nil && a.holds(stored)
}

// storeRelist is a list on its way into a store. If it is not committed, nothing has happened.
type storeRelist interface {
	// add takes an object. If the store has it in the same version, and nothing has written to it since, it is not loaded. An error of loading is returned, by add or by failed, and the
	// object is then taken to be listed but unreadable: what the store has under the key stays.
	add(a *listItem) error
	// remove takes back what was added under a key.
	remove(key string)
	// commit puts what was added in the place of all there is, which is then as of the version.
	commit(version string) error
	// failed returns, after commit, what could not be loaded and was not returned by add as an error.
	failed() []UndecodableError
}
