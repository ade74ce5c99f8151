package cache

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
	"vedette.dev/internal/wire/wirefilter"
)

// IndexFunc returns the index values of an object. It is called once for each object that is stored, without a lock,
// and possibly concurrently.
type IndexFunc func(obj interface{}) ([]string, error)

// Indexers maps the names of indexes to their functions.
type Indexers map[string]IndexFunc

// index maps a value to the keys of the objects that have it.
type index map[string]sets.Set[string]

// Indices maps the names of indexes to their contents.
type Indices map[string]index

// NamespaceIndex is the name of the index by namespace that listers use. Its function is [MetaNamespaceIndexFunc].
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

// IndexFuncToKeyFuncAdapter returns a [KeyFunc] for an [IndexFunc] that returns exactly one, unique value for each object.
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

// IndexByMeta returns an [IndexFunc] for a function that reads metadata only: name and namespace, labels, annotations,
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

// IndexByField returns an [IndexFunc] for the values of a field, by the names in JSON, such as "spec.nodeName", "status.phase",
// "spec.containers.image" or "metadata.labels[app]". With packed storage, only this field is decoded. Numbers and booleans are indexed as
// in JSON. An object without the field has the value "", unless the path leads through a list or a map: then each element that has the field
// has a value. A path that objects do not have is an error for each of them.
//
//go:noinline
func IndexByField(path string) IndexFunc {
	r := &fieldReader{fields: object.NewFields(path)}
	return func(obj interface{}) ([]string, error) { return r.values(obj) }
}

// fieldReader reads the values of a field from objects of any type.
type fieldReader struct {
	fields *object.Fields
	last   atomic.Pointer[typedField]
}

// typedField is the field in objects of one type.
type typedField struct {
	typ   reflect.Type
	field *wirefilter.Field
}

func (r *fieldReader) values(obj any) ([]string, error) {
	if at, ok := obj.(object.AtRest); ok {
		var err error
		if obj, err = at.CopyFields(r.fields, object.ForIndexFunc); err != nil {
			return nil, err
		}
	}
	t := reflect.TypeOf(obj)
	f := r.last.Load()
	if f == nil || f.typ != t {
		field, err := wirefilter.NewField(obj, r.fields.Paths[0])
		if err != nil {
			return nil, err
		}
		f = &typedField{t, field}
		r.last.Store(f)
	}
	return f.field.Values(obj)
}

// ownDecoding are the functions that decode what they need of objects at rest. All results of IndexByMeta have the same code, and so have
// those of IndexByField.
var ownDecoding = [...]uintptr{codeOf(IndexFunc(MetaNamespaceIndexFunc)), codeOf(IndexByMeta(nil)), codeOf(IndexByField(""))}

// decodesItself reports whether a function is known to take objects as they are stored.
func (f IndexFunc) decodesItself() bool {
	return f != nil && slices.Contains(ownDecoding[:], codeOf(f))
}
