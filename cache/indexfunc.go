package cache

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
)

// IndexFunc returns the index values of an object. It is called once for each object that is stored, without a lock,
// and possibly concurrently.
type IndexFunc func(obj interface{}) ([]string, error)

// Indexers maps the names of indexes to their functions.
type Indexers map[string]IndexFunc

// Index maps a value to the keys of the objects that have it.
type Index map[string]sets.Set[string]

// Indices maps the names of indexes to their contents.
type Indices map[string]Index

// NamespaceIndex is the name of the index by namespace that listers use. Its function is MetaNamespaceIndexFunc.
const NamespaceIndex string = "namespace"

// MetaNamespaceIndexFunc returns the namespace of an object.
func MetaNamespaceIndexFunc(obj interface{}) ([]string, error) {
	if r, ok := obj.(object.AtRest); ok {
		namespace, _ := object.Name(r.Key())
		return []string{namespace}, nil
	}
	m, err := object.Meta(obj)
	if err != nil {
		return []string{""}, fmt.Errorf("object has no meta: %w", err)
	}
	return []string{m.GetNamespace()}, nil
}

// IndexFuncToKeyFuncAdapter returns a KeyFunc for an IndexFunc that returns exactly one, unique value for each object.
func IndexFuncToKeyFuncAdapter(indexFunc IndexFunc) KeyFunc {
	return func(obj interface{}) (string, error) {
		values, err := indexFunc(obj)
		switch {
		case err != nil:
			return "", err
		case len(values) > 1:
			return "", fmt.Errorf("too many keys: %v", values)
		case len(values) == 0:
			return "", errors.New("unexpected empty indexKeys")
		}
		return values[0], nil
	}
}

// IndexError is a failure or panic of an index function. The object is stored, and is in every other index; in this one
// it has no values until it is stored again.
type IndexError struct {
	Key   string
	Index string
	Err   error
}

func (e IndexError) Error() string {
	return fmt.Sprintf("unable to calculate an index entry for key %q on index %q: %v", e.Key, e.Index, e.Err)
}

// Unwrap returns the error of the index function.
func (e IndexError) Unwrap() error { return e.Err }

// call calls f and returns a panic as an error.
func (f IndexFunc) call(obj any) ([]string, error) { return table.IndexFunc(f).Call(obj) }

// IndexByMeta returns an IndexFunc for a function that reads metadata only: name and namespace, labels, annotations,
// owners. With packed storage, objects need not be decoded for it.
//
//go:noinline
func IndexByMeta(f func(m metav1.Object) ([]string, error)) IndexFunc {
	return func(obj interface{}) ([]string, error) {
		m, err := object.Meta(obj)
		if err != nil {
			return nil, err
		}
		return f(m)
	}
}

// byMetaCode are the functions that read metadata only. All results of IndexByMeta have the same code.
var byMetaCode = [...]uintptr{codeOf(IndexFunc(MetaNamespaceIndexFunc)), codeOf(IndexByMeta(nil))}

// isByMeta reports whether a function is known to read metadata only.
func (f IndexFunc) isByMeta() bool {
	return f != nil && (codeOf(f) == byMetaCode[0] || codeOf(f) == byMetaCode[1])
}
