package cache

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

// callSite is the first place on the stack that is not of this package.
func callSite() string {
	own := reflect.TypeFor[Reflector]().PkgPath() + "."
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, own) || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", sourceFile(f.Function, f.File), f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}

// sourceFile names a file by the package it is in, wherever that may lie on the disk.
func sourceFile(function, file string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name + "/" + filepath.Base(file)
}

func describeType(expected any) string {
	if expected == nil {
		return "<unspecified>"
	}
	if gvk := kindOf(expected); gvk != nil {
		return gvk.String()
	}
	return reflect.TypeOf(expected).String()
}

// kindOf is the kind that unstructured objects must have, or nil.
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

// initRaw finds out whether objects can be decoded one by one, which takes knowing what they are.
func (r *Reflector) initRaw() {
	if r.raw == nil {
		return
	}
	switch {
	case r.expectedType != nil && r.expectedType.Kind() == reflect.Pointer:
		// What the reflector promises to its store counts, whatever the ListWatch says.
		element := r.expectedType.Elem()
		r.newObject = func() any { return reflect.New(element).Interface() }
	case r.expectedType == nil && r.raw.newObject != nil:
		r.newObject = func() any { return r.raw.newObject() }
	}
	if r.newObject == nil {
		r.raw = nil
		return
	}
	if _, ok := r.newObject().(metav1.Object); !ok {
		r.raw = nil
		return
	}
	// A client that is only given a resource does not know that a type has no other form.
	_, general := r.raw.requests.Requester.(getter)
	_, protobuf := r.newObject().(interface{ Unmarshal([]byte) error })
	r.onlyJSON = general && !protobuf
	r.kind.name = reflect.TypeOf(r.newObject()).Elem().Name()
}

// decode reads the object of a key.
func (r *Reflector) decode(key string, raw *rest.Raw) (any, error) {
	var obj any
	var err error
	if r.codec != nil {
		var last any
		if r.stored != nil {
			last = r.stored(key)
		}
		obj, err = r.codec.load(raw, last)
	} else {
		obj, err = decodePlainly(raw, r.newObject)
	}
	if err != nil {
		return nil, err
	}
	if err := r.unexpected(obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// admitted is what is stored of an object that came decoded.
func (r *Reflector) admitted(obj any) (any, error) {
	if r.codec == nil {
		return obj, nil
	}
	return r.codec.admit(obj)
}

// unexpected tells of an unstructured object that is of another kind than was asked for.
func (r *Reflector) unexpected(obj any) error {
	if r.expectedGVK == nil {
		return nil
	}
	var kind schema.GroupVersionKind
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		kind = o.GroupVersionKind()
	case *packed:
		kind = schema.FromAPIVersionAndKind(o.form.apiVersion, o.form.kind)
	default:
		return nil
	}
	if kind != *r.expectedGVK {
		return &unexpectedError{fmt.Sprintf("an object of kind %v, not %v", kind, *r.expectedGVK)}
	}
	return nil
}

// unexpectedError says that something is not what was asked for.
type unexpectedError struct{ what string }

func (e *unexpectedError) Error() string { return e.what }

// kindCheck tells objects of another kind, which would be decoded into nonsense. The name of a Go type need not be that
// of its kind, so nothing is held against a frame before one was seen for which it is.
type kindCheck struct {
	name      string
	confirmed bool
}

// refuses looks at what a frame says of itself.
func (r *Reflector) refuses(raw *rest.Raw) error {
	if r.expectedGVK == nil {
		return r.kind.refuses(raw)
	}
	apiVersion, kind := r.expectedGVK.ToAPIVersionAndKind()
	if raw.Kind != kind || raw.APIVersion != apiVersion {
		return &unexpectedError{fmt.Sprintf("an object of kind %s %s, not %s %s", raw.APIVersion, raw.Kind, apiVersion, kind)}
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
	return &unexpectedError{fmt.Sprintf("an object of kind %s %s, not %s", raw.APIVersion, raw.Kind, k.name)}
}
