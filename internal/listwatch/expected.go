package listwatch

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// CallSite returns the first place on the stack that is not of the packages of informers.
func CallSite() string {
	const module = "vedette.dev/"
	own := []string{module + "cache.", module + "internal/engine.", module + "internal/listwatch."}
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		isOwn := slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(f.Function, prefix) })
		if !isOwn || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", sourceFile(f.Function, f.File), f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}

// sourceFile returns the name of a file with its package, wherever it is on the disk.
func sourceFile(function, file string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name + "/" + filepath.Base(file)
}

// DescribeType returns the Go type of an object, or the kind of an unstructured one.
func DescribeType(expected any) string {
	if expected == nil {
		return "<unspecified>"
	}
	if gvk := kindOf(expected); gvk != nil {
		return gvk.String()
	}
	if m, ok := expected.(*metav1.PartialObjectMetadata); ok && m != nil && m.Kind != "" {
		return "metadata of " + m.GroupVersionKind().String()
	}
	return reflect.TypeOf(expected).String()
}

// kindOf returns the kind that unstructured objects must have, or nil.
func kindOf(expected any) *schema.GroupVersionKind {
	u, ok := expected.(*unstructured.Unstructured)
	if !ok || u == nil {
		return nil
	}
	gvk := u.GroupVersionKind()
	if gvk.Empty() {
		return nil
	}
	return &gvk
}

// initRaw determines whether objects can be decoded one by one, for which their type must be known.
func (r *Reflector) initRaw() {
	if !r.raw {
		return
	}
	switch {
	case r.expectedType != nil && r.expectedType.Kind() == reflect.Pointer:
		// The type that the reflector promises to its store takes precedence over that of the ListWatch.
		element := r.expectedType.Elem()
		r.newObject = func() any { return reflect.New(element).Interface() }
	case r.expectedType == nil:
		r.newObject = r.config.Source.NewObject
	}
	if r.newObject == nil {
		r.raw = false
		return
	}
	if _, ok := r.newObject().(metav1.Object); !ok {
		r.raw = false
		return
	}
	// A client that knows only the resource does not know that a type has no protobuf encoding.
	_, protobuf := r.newObject().(interface{ Unmarshal([]byte) error })
	r.notProtobuf = r.config.Source.AnyForm && !protobuf
	r.kind.name = reflect.TypeOf(r.newObject()).Elem().Name()
}

// Load returns what to store for the object of an event.
func (e *Event) Load() (any, error) {
	if e.Raw == nil {
		return e.from.Admit(e.Object)
	}
	return e.from.Decode(e.Key, e.Raw)
}

// Decode decodes the object of a key. It may be called by any goroutine.
func (r *Reflector) Decode(key string, raw *rest.Raw) (any, error) {
	var obj any
	var err error
	if r.config.Codec != nil {
		var last any
		if r.config.Stored != nil {
			last = r.config.Stored(key)
		}
		obj, err = r.config.Codec.Load(raw, last)
	} else {
		obj, err = codec.Decode(raw, r.newObject)
	}
	if err != nil {
		return nil, err
	}
	if err := r.unexpected(obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// Admit returns what to store for an object that arrived decoded.
func (r *Reflector) Admit(obj any) (any, error) {
	if r.config.Codec == nil {
		return obj, nil
	}
	return r.config.Codec.Admit(obj)
}

// unexpected returns an error for an unstructured object of another kind than expected.
func (r *Reflector) unexpected(obj any) error {
	if r.expectedGVK == nil {
		return nil
	}
	var kind schema.GroupVersionKind
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		kind = o.GroupVersionKind()
	case object.AtRest:
		kind = o.Kind()
	default:
		return nil
	}
	if kind != *r.expectedGVK {
		return &UnexpectedError{fmt.Sprintf("an object of kind %v, not %v", kind, *r.expectedGVK)}
	}
	return nil
}

// UnexpectedError is the error for an unexpected object.
type UnexpectedError struct{ what string }

func (e *UnexpectedError) Error() string { return e.what }

// kindCheck detects objects of another kind, which would be decoded wrongly. The name of a Go type need not be that of
// its kind, so frames are rejected only after one with that name was seen.
type kindCheck struct {
	name      string
	confirmed bool
}

// refuses checks the kind of a frame.
func (r *Reflector) refuses(raw *rest.Raw) error {
	if r.expectedGVK == nil {
		return r.kind.refuses(raw)
	}
	apiVersion, kind := r.expectedGVK.ToAPIVersionAndKind()
	if raw.Kind != kind || raw.APIVersion != apiVersion {
		return &UnexpectedError{fmt.Sprintf("an object of kind %s %s, not %s %s", raw.APIVersion, raw.Kind, apiVersion, kind)}
	}
	return nil
}

func (k *kindCheck) refuses(raw *rest.Raw) error {
	switch raw.Kind {
	case "":
		return nil
	case k.name:
		k.confirmed = true
		return nil
	case "Table", "Status":
	default:
		if !k.confirmed {
			return nil
		}
	}
	return &UnexpectedError{fmt.Sprintf("an object of kind %s %s, not %s", raw.APIVersion, raw.Kind, k.name)}
}
