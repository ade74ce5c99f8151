package cache

import (
	"fmt"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/wire/jsoncheck"
	"vedette.dev/internal/wire/jsonread"
	"vedette.dev/internal/wire/protoread"
	"vedette.dev/internal/wire/trim"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// codec is how an informer makes what it stores of what comes. All its reflectors have the same one.
type codec struct {
	newObject func() any
	// alter says that a transform sees decoded objects, and may change them.
	alter bool
	// unstructured says that objects have no Go type: any object in JSON can be decoded.
	unstructured bool

	// follows says that a new state takes over parts of the one that is stored.
	follows bool

	filter   *wirefilter.Filter // nil if all fields are kept
	plan     *protoread.Plan    // nil if the type has none
	textPlan *jsoncheck.Plan    // how a text is checked, if objects are packed; nil if only decoding tells
	shares   *protoread.Shares
	texts    *jsonread.Shares // of what is unstructured
	trim     *trim.Plan       // of objects that come decoded, or in JSON
	trimmed  *trim.Shares
	packing  *packing // nil if objects are not packed
	most     int      // objects that there were, of late
	buffers  sync.Pool
}

// codec returns the codec for objects such as the example, nil if there is none and anything may come.
func (o *SharedIndexInformerOptions) codec(example any, transform TransformFunc) *codec {
	t := reflect.TypeOf(example)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	c := &codec{newObject: func() any { return reflect.New(t.Elem()).Interface() }, alter: transform != nil}
	c.filter, _ = o.Storage.filter(example) // the options were looked at
	_, c.unstructured = example.(*unstructured.Unstructured)
	c.plan, _ = protoread.Compile(c.newObject()) // else the type is decoded in its own way
	if o.Storage.Packed {
		c.packing = newPacking(c)
		c.textPlan, _ = jsoncheck.Compile(c.newObject()) // of a type that it does not know, each text is decoded
		return c
	}
	// With a detector, each state of each object is for itself: then what was written was written to one.
	c.follows = !c.alter && o.MutationDetector == nil
	parts := o.Storage.Shared && c.follows
	if c.plan != nil {
		c.shares = c.plan.NewShares(protoread.Sharing{Parts: parts, Loose: c.alter})
	}
	if c.unstructured {
		c.texts = jsonread.NewShares(jsonread.Sharing{Parts: parts, Loose: c.alter})
	}
	c.trim = trim.Compile(t)
	c.trimmed = c.trim.NewShares()
	return c
}

// load makes what is stored of an object as it came, before the transform. last is what is stored of it now, or nil.
func (c *codec) load(raw *rest.Raw, last any) (obj any, err error) {
	if !c.follows || last == nil || !isState(raw, last) {
		last = nil
	}
	err = c.filtered(raw, func(raw *rest.Raw) error {
		if c.packing == nil || c.alter {
			obj, err = c.decodeNext(raw, last)
		} else {
			obj, err = c.packing.take(raw)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// isState reports whether an object that is stored is a state of the one that came.
func isState(raw *rest.Raw, stored any) bool {
	m, err := raw.Meta()
	return err == nil && m.UID != "" && m.UID == revisionOf(stored).uid
}

// holds reports whether an object that is stored, in the version that came, is certainly what came: nothing has written to it.
func (c *codec) holds(raw *rest.Raw, stored any) (ok bool) {
	if isPacked(stored) {
		return true
	}
	if c.alter {
		return false
	}
	err := c.filtered(raw, func(raw *rest.Raw) error {
		switch {
		case raw.Encoding == rest.Protobuf && c.plan != nil:
			ok = c.plan.Same(stored, raw.Bytes) && c.named(raw, stored)
		case raw.Encoding == rest.JSON && c.texts != nil:
			next, err := c.decodeUnstructured(raw, stored)
			ok = err == nil && sameMembers(next, stored)
		}
		return nil
	})
	return ok && err == nil
}

// named reports whether an object has the apiVersion and kind that decoding gives it.
func (c *codec) named(raw *rest.Raw, obj any) bool {
	o, ok := obj.(runtime.Object)
	if !ok {
		return false
	}
	apiVersion, kind := o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if _, ok := obj.(*metav1.PartialObjectMetadata); ok {
		return apiVersion == raw.APIVersion && kind == raw.Kind
	}
	return apiVersion == "" && kind == ""
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
	return identical(v, w)
}

// equal reports whether two objects in the same version, of which one is stored, are certainly equal. codec may be nil.
func (c *codec) equal(stored, next any) bool {
	switch {
	case identical(stored, next):
		return true
	case c == nil || isPacked(stored):
		return isPacked(stored)
	case c.unstructured:
		return reflect.DeepEqual(stored, next)
	}
	return c.trim != nil && c.trim.Same(stored, next)
}

// filtered calls use with what is kept of an object.
func (c *codec) filtered(raw *rest.Raw, use func(raw *rest.Raw) error) error {
	if c.filter == nil {
		return use(raw)
	}
	buffer := c.buffer()
	defer c.buffers.Put(buffer)
	filter := c.filter.JSON
	if raw.Encoding == rest.Protobuf {
		filter = c.filter.Protobuf
	}
	var err error
	if *buffer, err = filter((*buffer)[:0], raw.Bytes); err != nil {
		return fmt.Errorf("cannot drop fields of %d bytes of %s: %w", len(raw.Bytes), raw.Encoding, err)
	}
	less := rest.Raw{Encoding: raw.Encoding, APIVersion: raw.APIVersion, Kind: raw.Kind, Bytes: *buffer}
	return use(&less)
}

// buffer is one for bytes that are looked at and forgotten.
func (c *codec) buffer() *[]byte {
	if b, ok := c.buffers.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// admit makes what is stored of an object that came decoded, before the transform. It may be changed.
func (c *codec) admit(obj any) (any, error) {
	if c.filter != nil {
		if err := c.filter.Object(obj); err != nil {
			return nil, err
		}
	}
	if c.packing == nil || c.alter {
		return obj, nil
	}
	return c.packing.packObject(obj)
}

// transformer is what is done to objects that load and admit have returned before they are stored, nil if that is nothing.
func (c *codec) transformer(transform TransformFunc) TransformFunc {
	if transform = contained(transform); transform == nil || c == nil || c.packing == nil {
		return transform
	}
	return func(obj any) (any, error) {
		changed, err := transform(obj)
		if err != nil {
			return nil, err
		}
		return c.packing.packObject(changed)
	}
}

// check tells what is wrong with an object that cannot be decoded.
func (c *codec) check(raw *rest.Raw) error {
	switch {
	case raw.Encoding == rest.Protobuf && c.plan != nil && c.plan.Check(raw.Bytes):
		return nil
	case raw.Encoding == rest.JSON && c.unstructured && jsoncheck.Valid(raw.Bytes):
		return nil
	case raw.Encoding == rest.JSON && c.textPlan != nil && c.textPlan.Check(raw.Bytes):
		return nil
	}
	_, err := decodePlainly(raw, c.newObject)
	return err
}

// decodeNext reads an object that is kept as it is. Of last, which is an earlier state of it or nil, it takes over what has not changed.
func (c *codec) decodeNext(raw *rest.Raw, last any) (any, error) {
	switch {
	case raw.Encoding == rest.JSON && c.texts != nil:
		return c.decodeUnstructured(raw, last)
	case raw.Encoding == rest.Protobuf && c.plan != nil:
		obj, err := c.plan.DecodeNext(raw.Bytes, c.shares, last)
		return c.decoded(raw, obj, err)
	}
	obj, err := decodePlainly(raw, c.newObject)
	if err == nil && !c.alter && c.trim != nil {
		c.trim.Trim(obj, c.trimmed)
	}
	return obj, err
}

// decode reads an object that has nothing in common with others.
func (c *codec) decode(raw *rest.Raw) (any, error) {
	if raw.Encoding == rest.JSON || c.plan == nil {
		return decodePlainly(raw, c.newObject)
	}
	obj, err := c.plan.Decode(raw.Bytes, nil)
	return c.decoded(raw, obj, err)
}

// decoded is what comes of an object that was read by plan.
func (c *codec) decoded(raw *rest.Raw, obj any, err error) (any, error) {
	if err != nil {
		return decodePlainly(raw, c.newObject) // whose error says more
	}
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok {
		o.APIVersion, o.Kind = raw.APIVersion, raw.Kind
	}
	return obj, nil
}

func (c *codec) decodeUnstructured(raw *rest.Raw, last any) (any, error) {
	var before map[string]any
	if u, ok := last.(runtime.Unstructured); ok {
		before = u.UnstructuredContent()
	}
	content, err := jsonread.DecodeNext(raw.Bytes, c.texts, before)
	if err != nil || content == nil {
		return decodePlainly(raw, c.newObject) // whose error says more
	}
	// The outermost map is that of this object alone. The items of a list do not say what they are.
	if content["apiVersion"] == nil && raw.APIVersion != "" {
		content["apiVersion"] = raw.APIVersion
	}
	if content["kind"] == nil && raw.Kind != "" {
		content["kind"] = raw.Kind
	}
	// A program without unstructured objects should not have their methods: so they are not named here.
	obj := c.newObject()
	obj.(runtime.Unstructured).SetUnstructuredContent(content)
	return obj, nil
}

// noteSize notes how many objects there are, and drops the intern caches when most of them have been deleted. It is called by one
// goroutine at a time.
func (c *codec) noteSize(objects int) {
	if c == nil {
		return
	}
	c.most = max(c.most, objects)
	if c.most > worthForgetting && objects < c.most/4 {
		c.most = objects
		c.shares.Forget()
		c.texts.Forget()
		c.trimmed.Forget()
	}
}

const worthForgetting = 1024

// decodePlainly reads an object that has nothing in common with others.
func decodePlainly(raw *rest.Raw, newObject func() any) (any, error) {
	obj := newObject()
	if err := readInto(raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}
