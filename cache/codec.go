package cache

import (
	"fmt"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/jsoncheck"
	"vedette.dev/internal/jsonread"
	"vedette.dev/internal/protoread"
	"vedette.dev/internal/wirefilter"
	"vedette.dev/rest"
)

// codec is how an informer makes what it stores of what comes. All its reflectors have the same one.
type codec struct {
	newObject func() any
	// alter says that a transform sees decoded objects, and may change them.
	alter bool
	// unstructured says that objects have no Go type: any object in JSON can be decoded.
	unstructured bool

	filter   *wirefilter.Filter // nil if all fields are kept
	plan     *protoread.Plan    // nil if the type has none
	textPlan *jsoncheck.Plan    // how a text is checked, if objects are packed; nil if only decoding tells
	shares   *protoread.Shares
	traces   *traces          // nil if nothing may be shared
	texts    *jsonread.Shares // of what is unstructured
	packing  *packing         // nil if objects are not packed
	most     int              // objects that there were, of late
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
	if plan, err := protoread.Compile(c.newObject()); err == nil { // else the type is decoded in its own way
		c.plan = plan
		if !o.Storage.Unshared && !o.Storage.Packed {
			c.shares = plan.NewShares(!c.alter)
			if !c.alter {
				c.traces = newTraces()
			}
		}
	}
	if c.unstructured && !o.Storage.Unshared && !o.Storage.Packed {
		c.texts = jsonread.NewShares(!c.alter)
	}
	if o.Storage.Packed {
		c.packing = newPacking(c)
		c.textPlan, _ = jsoncheck.Compile(c.newObject()) // of a type that it does not know, each text is decoded
	}
	return c
}

// load makes what is stored of an object as it came, before the transform.
func (c *codec) load(raw *rest.Raw) (any, error) {
	if c.filter == nil {
		return c.loadFiltered(raw)
	}
	buffer := c.buffer()
	defer c.buffers.Put(buffer)
	filter := c.filter.JSON
	if raw.Encoding == rest.Protobuf {
		filter = c.filter.Protobuf
	}
	var err error
	if *buffer, err = filter((*buffer)[:0], raw.Bytes); err != nil {
		return nil, fmt.Errorf("cannot drop fields of %d bytes of %s: %w", len(raw.Bytes), raw.Encoding, err)
	}
	less := rest.Raw{Encoding: raw.Encoding, APIVersion: raw.APIVersion, Kind: raw.Kind, Bytes: *buffer}
	return c.loadFiltered(&less)
}

func (c *codec) loadFiltered(raw *rest.Raw) (any, error) {
	if c.packing == nil || c.alter {
		return c.decodeShared(raw)
	}
	return c.packing.take(raw)
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

// decodeShared reads an object that is kept as it is. What it has in common with others, and with what it was before, is shared.
func (c *codec) decodeShared(raw *rest.Raw) (any, error) {
	switch {
	case raw.Encoding == rest.JSON && c.texts != nil:
		return c.decodeUnstructured(raw)
	case raw.Encoding == rest.JSON || c.traces == nil:
		return c.decode(raw, c.shares)
	}
	m, err := raw.Meta()
	if err != nil || m.UID == "" {
		return c.decode(raw, c.shares)
	}
	hash := c.traces.hash(m.UID)
	trace := c.traces.get(hash)
	obj, err := c.plan.DecodeNext(raw.Bytes, c.shares, &trace)
	if err == nil {
		c.traces.put(hash, trace)
	}
	return c.decoded(raw, obj, err)
}

// decode reads an object. What it has in common with others is shared, unless shares is nil.
func (c *codec) decode(raw *rest.Raw, shares *protoread.Shares) (any, error) {
	if raw.Encoding == rest.JSON || c.plan == nil {
		return decodePlainly(raw, c.newObject)
	}
	obj, err := c.plan.Decode(raw.Bytes, shares)
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

func (c *codec) decodeUnstructured(raw *rest.Raw) (any, error) {
	content, err := jsonread.Decode(raw.Bytes, c.texts)
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

// noteSize notes how many objects there are. When most of them are gone, so should be what they had in common. It is called by
// one goroutine at a time.
func (c *codec) noteSize(objects int) {
	if c == nil {
		return
	}
	c.most = max(c.most, objects)
	if c.most > worthForgetting && objects < c.most/4 {
		c.most = objects
		c.shares.Forget()
		c.texts.Forget()
		c.traces.sweep()
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
