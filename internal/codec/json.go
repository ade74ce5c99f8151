package codec

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/object"
	"vedette.dev/internal/wire/jsoncheck"
	"vedette.dev/internal/wire/jsonread"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// jsonFormat is the format of JSON.
type jsonFormat struct {
	codec *Codec
	plan  *jsoncheck.Plan  // how a text is checked, if objects are packed; nil if only decoding tells
	texts *jsonread.Shares // of what is unstructured; nil if objects are packed
}

func newJSONFormat(c *Codec, parts bool) *jsonFormat {
	f := &jsonFormat{codec: c}
	if c.packing != nil {
		f.plan, _ = jsoncheck.Compile(c.newObject()) // of a type that it does not know, each text is decoded
		return f
	}
	if c.unstructured {
		f.texts = jsonread.NewShares(jsonread.Sharing{Parts: parts, Mutable: c.mutable()})
	}
	return f
}

func (f *jsonFormat) filter(by *wirefilter.Filter, dst, src []byte) ([]byte, error) {
	return by.JSON(dst, src)
}

func (f *jsonFormat) next(raw *rest.Raw, last any) (any, error) {
	if f.texts != nil {
		return f.nextUnstructured(raw, last)
	}
	return f.codec.plain(raw)
}

func (f *jsonFormat) nextUnstructured(raw *rest.Raw, last any) (any, error) {
	content, err := jsonread.DecodeNext(raw.Bytes, f.texts, contentOf(last))
	if err != nil || content == nil {
		return f.codec.decode(raw) // whose error says more
	}
	return f.codec.unstructuredOf(raw, content), nil
}

// contentOf returns the content of an unstructured object, nil if it is none.
func contentOf(obj any) map[string]any {
	if u, ok := obj.(runtime.Unstructured); ok {
		return u.UnstructuredContent()
	}
	return nil
}

// unstructuredOf returns an unstructured object. The outermost map of its content is that of this object alone.
func (c *Codec) unstructuredOf(raw *rest.Raw, content map[string]any) any {
	// The items of a list do not say what they are.
	if content["apiVersion"] == nil && raw.APIVersion != "" {
		content["apiVersion"] = raw.APIVersion
	}
	if content["kind"] == nil && raw.Kind != "" {
		content["kind"] = raw.Kind
	}
	// A program without unstructured objects should not have their methods: so they are not named here.
	obj := c.newObject()
	obj.(runtime.Unstructured).SetUnstructuredContent(content)
	return obj
}

func (f *jsonFormat) decode(raw *rest.Raw) (any, error) { return f.codec.decode(raw) }

func (f *jsonFormat) atRest(dst, data []byte) ([]byte, bool) {
	return append(dst, data...), f.check(data)
}

func (f *jsonFormat) check(data []byte) bool {
	if f.codec.unstructured { // any object can be decoded
		return jsoncheck.Valid(data)
	}
	return f.plan != nil && f.plan.Check(data)
}

func (f *jsonFormat) holds(raw *rest.Raw, stored any) bool {
	if f.texts == nil {
		return false
	}
	next, err := f.nextUnstructured(raw, stored)
	return err == nil && sameMembers(next, stored)
}

// sameMembers reports whether two unstructured objects, of which one is the next state of the other, have the same members.
func sameMembers(a, b any) bool {
	x, y := a.(runtime.Unstructured).UnstructuredContent(), b.(runtime.Unstructured).UnstructuredContent()
	if len(x) != len(y) {
		return false
	}
	for name, v := range x {
		if w, ok := y[name]; !ok || !sameMember(v, w) {
			return false
		}
	}
	return true
}

// sameMember reports whether two values are equal, or one in memory.
func sameMember(v, w any) bool {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Map, reflect.Slice:
		return reflect.TypeOf(v) == reflect.TypeOf(w) && reflect.ValueOf(v).UnsafePointer() == reflect.ValueOf(w).UnsafePointer()
	}
	return object.Identical(v, w)
}

func (f *jsonFormat) forget() { f.texts.Forget() }
