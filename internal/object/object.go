package object

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Revision is the UID and the resourceVersion of an object, as the server knows them.
type Revision struct {
	UID     types.UID
	Version string
}

// Same reports whether two revisions are certainly of the same state of the same object.
func (r Revision) Same(other Revision) bool { return r == other && r.UID != "" && r.Version != "" }

// Other reports whether two revisions are certainly of different objects.
func (r Revision) Other(than Revision) bool {
	return r.UID != than.UID && r.UID != "" && than.UID != ""
}

// Compare compares two resourceVersions, and reports whether they can be compared.
func Compare(a, b string) (order int, known bool) {
	if a == b {
		return 0, true
	}
	x, err := strconv.ParseUint(a, 10, 64)
	if err != nil {
		return 0, false
	}
	y, err := strconv.ParseUint(b, 10, 64)
	if err != nil {
		return 0, false
	}
	if x < y {
		return -1, true
	}
	return 1, true
}

// Use is what an object at rest is decoded for. All but the first are counted.
type Use uint8

const (
	// ForInformer is what the informer itself needs.
	ForInformer Use = iota
	// ForGet is one object, by its key.
	ForGet
	// ForList is a list of all objects.
	ForList
	// ForIndex is a list of the objects that have a value in an index, such as those of a namespace.
	ForIndex
	// ForSelector is a list of the objects that a selector matches.
	ForSelector
	// ForIterator is a loop over an iterator.
	ForIterator
	// ForHandler is the call of a handler.
	ForHandler
	// ForIndexFunc is the call of an index function.
	ForIndexFunc
	// Uses is the number of uses.
	Uses
)

func (u Use) String() string {
	return [Uses]string{"informer", "get", "list", "index", "selector", "iterator", "handler", "index_function"}[u]
}

// AtRest is an object that is kept as bytes. It is one pointer, so that two of them are equal if they are one in memory.
type AtRest interface {
	// Key returns namespace/name.
	Key() string
	Revision() Revision
	// Kind returns what the bytes are said to be.
	Kind() schema.GroupVersionKind
	// Metadata decodes the metadata alone.
	Metadata(use Use) (*metav1.PartialObjectMetadata, error)
	// Labels returns the labels, without decoding anything.
	Labels() labels.Labels
	// Copy returns a decoded object that belongs to the caller.
	Copy(use Use) (any, error)
	// CopyFields is Copy of the identity of the object and some fields. A path that the object does not have is an error.
	CopyFields(fields *Fields, use Use) (any, error)
	// Shared returns a decoded object that others may be given, too, and that must not be changed.
	Shared(use Use) (any, error)
	// IntoAny decodes the bytes into obj, which may be of any type, if their encoding allows that, and reports whether it does.
	IntoAny(obj any, use Use) (ok bool, err error)
}

// Fields are the fields that a reader needs, as paths of package wirefilter.
type Fields struct {
	Paths []string
	// ID is the same for the same paths.
	ID string
}

// NewFields returns the fields with these paths.
func NewFields(paths ...string) *Fields { return &Fields{Paths: paths, ID: strings.Join(paths, " ")} }

// IsAtRest reports whether an object is kept as bytes, so that no other goroutine can have written to it.
func IsAtRest(obj any) bool {
	_, ok := obj.(AtRest)
	return ok
}

// Shared returns a decoded object that is only read.
func Shared(obj any, use Use) (any, error) {
	if r, ok := obj.(AtRest); ok {
		return r.Shared(use)
	}
	return obj, nil
}

// Copy returns what the reader of a store of objects at rest is given.
func Copy(obj any, use Use) (any, error) {
	if r, ok := obj.(AtRest); ok {
		return r.Copy(use)
	}
	return obj, nil
}

// Tombstone stands for an object that was deleted and whose last state is not known. Obj is the last one that is, or nil.
type Tombstone struct {
	Key string
	Obj any
}

var errNilPointer = errors.New("it is a nil pointer")

// Meta returns the metadata of an object. It is meta.Accessor with an error for nil pointers, whose methods would panic.
func Meta(obj any) (metav1.Object, error) {
	if r, ok := obj.(AtRest); ok {
		return r.Metadata(ForInformer)
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(obj); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errNilPointer
	}
	return m, nil
}

// Of returns the revision of an object or a [Tombstone], the zero one if it has no metadata.
func Of(obj any) Revision {
	if d, ok := obj.(Tombstone); ok {
		obj = d.Obj
	}
	if r, ok := obj.(AtRest); ok {
		return r.Revision()
	}
	m, err := Meta(obj)
	if err != nil {
		return Revision{}
	}
	return Revision{UID: m.GetUID(), Version: m.GetResourceVersion()}
}

// Version returns the resourceVersion of an object, and reports whether it has metadata.
func Version(obj any) (version string, ok bool) {
	if obj == nil {
		return "", false
	}
	if r, ok := obj.(AtRest); ok {
		return r.Revision().Version, true
	}
	m, err := Meta(obj)
	if err != nil {
		return "", false
	}
	return m.GetResourceVersion(), true
}

// Key returns the key of an object.
func Key(obj any) (string, error) {
	if r, ok := obj.(AtRest); ok {
		return r.Key(), nil
	}
	m, err := Meta(obj)
	if err != nil {
		return "", err
	}
	return Join(m.GetNamespace(), m.GetName()), nil
}

// Join returns the key of an object by its namespace, which may be empty, and its name.
func Join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// Name returns the namespace, which may be empty, and the name in a key.
func Name(key string) (namespace, name string) {
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		return "", namespace
	}
	return namespace, name
}

// Identical reports whether two objects are one in memory.
func Identical(a, b any) bool {
	defer func() { _ = recover() }() // of types that cannot be compared
	return a == b
}
