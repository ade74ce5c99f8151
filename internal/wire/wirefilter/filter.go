package wirefilter

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Filter takes fields out of objects of one kind. It does not change, and can be used by many at once.
type Filter struct {
	root *node
	typ  reflect.Type // nil if the type is not known
	wire bool         // whether there is a protobuf form
}

// Keep makes a filter that keeps the named fields and the identity, and drops all else. example is a pointer to the Go type of
// the objects, or an *unstructured.Unstructured. Without fields only the identity is kept.
func Keep(example any, fields ...string) (*Filter, error) { return build(example, fields, keeping) }

// Drop makes a filter that drops the named fields and keeps all else. The identity cannot be dropped: of metadata it stays.
func Drop(example any, fields ...string) (*Filter, error) { return build(example, fields, dropping) }

func build(example any, paths []string, m mode) (*Filter, error) {
	f := &Filter{}
	at := &place{kind: "unstructured objects"}
	if _, ok := example.(*unstructured.Unstructured); !ok {
		t := reflect.TypeOf(example)
		if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			return nil, fmt.Errorf("the example is a %T; it must be a pointer to a struct, such as a *Pod, or an *unstructured.Unstructured", example)
		}
		f.typ, f.wire = t.Elem(), t.Implements(wireReader)
		at.typ, at.kind = f.typ, plural(f.typ)
		if _, what, _ := inside(f.typ); what != object {
			return nil, fmt.Errorf("the example is a %T, which decodes itself: its fields cannot be told apart", example)
		}
	}
	at.root = f.typ
	t := &tree{do: enter, rest: m.rest}
	for _, path := range paths {
		if err := t.add(at, path, m); err != nil {
			return nil, err
		}
	}
	if err := t.identify(at, m); err != nil {
		return nil, err
	}
	f.root = compiler{wire: f.wire}.step(f.typ, t).into
	return f, nil
}

// plural is what many objects of a type are called.
func plural(t reflect.Type) string {
	name, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: t.Name()})
	return name.Resource
}

// Protobuf appends what is left of an object to dst. src is the bare message of the kind, without Kubernetes' envelope. dst may be
// src[:0]: then nothing else is needed, and src is lost. With an error dst is returned as it was.
func (f *Filter) Protobuf(dst, src []byte) ([]byte, error) {
	if !f.wire {
		return dst, fmt.Errorf("%s have no protobuf form; ask for JSON", f.describe())
	}
	out, err := f.root.protobuf(dst, src)
	if err != nil {
		return dst, fmt.Errorf("cannot filter %d bytes of protobuf for %s: %w", len(src), f.describe(), err)
	}
	return out, nil
}

// JSON appends what is left of an object to dst. dst may be src[:0], as in Protobuf. Space around what has gone may go too; nothing
// else in what stays changes.
func (f *Filter) JSON(dst, src []byte) ([]byte, error) {
	w := jsonFilter{dst: dst, src: src}
	if err := w.document(f.root); err != nil {
		return dst, fmt.Errorf("cannot filter %d bytes of JSON for %s: %w", len(src), f.describe(), err)
	}
	return w.dst, nil
}

// CBOR appends what is left of an object to dst. dst may be src[:0], as in Protobuf. Nothing in what stays changes.
func (f *Filter) CBOR(dst, src []byte) ([]byte, error) {
	w := cborFilter{dst: dst, src: src}
	if err := w.document(f.root); err != nil {
		return dst, fmt.Errorf("cannot filter %d bytes of CBOR for %s: %w", len(src), f.describe(), err)
	}
	return w.dst, nil
}

func (f *Filter) describe() string {
	if f.typ == nil {
		return "unstructured objects"
	}
	return plural(f.typ)
}
