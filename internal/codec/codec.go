package codec

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/object"
	"vedette.dev/internal/wire/trim"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// Config says how objects are stored.
type Config struct {
	// Example is an object of the type that comes: a pointer to a struct.
	Example any
	// Filter drops fields; nil if all are kept.
	Filter *wirefilter.Filter
	// Packed keeps objects as compressed bytes.
	Packed bool
	// Shared keeps equal parts of several objects once.
	Shared bool
	// Keep and Drop are the fields that Filter was made of, for Stats.
	Keep, Drop []string
	// Alters says that a transform sees decoded objects, and may change them; AltersMetadata that it changes metadata only.
	Alters, AltersMetadata bool
	// Apart keeps each state of each object in memory of its own, so that what a program has written is in one state of one object.
	Apart bool
}

// Codec is how an informer makes what it stores of what comes. All its reflectors have the same one.
type Codec struct {
	newObject func() any
	alters    bool
	// altersMetadata says that the transform changes metadata only, and objects are not packed.
	altersMetadata bool
	// metadataOf is the apiVersion and kind of metadata alone. It is empty if that is not known: then it is as it came.
	metadataOf metav1.TypeMeta
	// follows says that a new state takes over parts of the one that is stored.
	follows bool
	// unstructured says that objects have no Go type.
	unstructured bool

	filter  *wirefilter.Filter // nil if all fields are kept
	formats []format           // by rest.Encoding
	trim    *trim.Plan         // of objects that come decoded, or are not decoded by plan; nil if they are packed
	trimmed *trim.Shares
	packing *packing // nil if objects are not packed
	most    int      // objects that there were, of late
	buffers sync.Pool

	// config is for Stats, which also has when the codec was made, and the sizes of what it has loaded.
	config Config
	since  time.Time
	loaded loaded
}

// format reads the objects of one Go type from one encoding.
type format interface {
	// filter appends what a filter keeps of src to dst.
	filter(f *wirefilter.Filter, dst, src []byte) ([]byte, error)
	// next decodes an object that is stored as it is. Of last, which is an earlier state of it or nil, it takes over what has not
	// changed.
	next(raw *rest.Raw, last any) (any, error)
	// decode decodes an object that has nothing in common with others.
	decode(raw *rest.Raw) (any, error)
	// atRest appends what is stored of an object that is packed, and reports whether it can certainly be decoded.
	atRest(dst, data []byte) (stored []byte, ok bool)
	// holds reports whether an object that is stored is certainly what came.
	holds(raw *rest.Raw, stored any) bool
	// forget drops what was kept to find equal parts.
	forget()
}

// New returns the codec for objects such as the example, nil if its type is not known, so that anything may come.
func New(config Config) *Codec {
	if !IsStruct(config.Example) {
		return nil
	}
	t := reflect.TypeOf(config.Example)
	c := &Codec{
		newObject: func() any { return reflect.New(t.Elem()).Interface() },
		alters:    config.Alters,
		filter:    config.Filter,
		config:    config, since: time.Now(),
	}
	if m, ok := config.Example.(*metav1.PartialObjectMetadata); ok && m.Kind != "" {
		c.metadataOf = m.TypeMeta
	}
	_, c.unstructured = config.Example.(*unstructured.Unstructured)
	if config.Packed {
		c.packing = newPacking(c)
	} else {
		c.altersMetadata = config.AltersMetadata
		c.follows = !c.mutable() && !config.Apart
		c.trim = trim.Compile(t)
		c.trimmed = c.trim.NewShares()
	}
	parts := config.Shared && c.follows
	c.config.Shared = parts
	c.formats = []format{
		rest.JSON:     newJSONFormat(c, parts),
		rest.Protobuf: newProtobufFormat(c, parts),
		rest.CBOR:     newCBORFormat(c, parts),
	}
	return c
}

// IsStruct reports whether an example is a pointer to a struct, so that the type of objects is known.
func IsStruct(example any) bool {
	t := reflect.TypeOf(example)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// mutable reports whether any part of an object may be changed by a transform, so that no part is shared.
func (c *Codec) mutable() bool { return c.alters && !c.altersMetadata }

// Load makes what is stored of an object as it came, before the transform. last is what is stored of it now, or nil.
func (c *Codec) Load(raw *rest.Raw, last any) (obj any, err error) {
	if !c.follows || last == nil || !isState(raw, last) {
		last = nil
	}
	err = c.filtered(raw, func(raw *rest.Raw) error {
		c.loaded.add(raw)
		if c.packing == nil || c.alters {
			if obj, err = c.formats[raw.Encoding].next(raw, last); err == nil && c.altersMetadata {
				ownMetadata(obj)
			}
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

// ownMetadata gives an object metadata that it has in common with no other object.
func ownMetadata(obj any) {
	switch o := obj.(type) {
	case runtime.Unstructured:
		content := o.UnstructuredContent()
		if m, ok := content["metadata"]; ok {
			content["metadata"] = runtime.DeepCopyJSONValue(m)
		}
	case metav1.ObjectMetaAccessor:
		if m, ok := o.GetObjectMeta().(*metav1.ObjectMeta); ok {
			*m = *m.DeepCopy()
		}
	}
}

// isState reports whether an object that is stored is a state of the one that came.
func isState(raw *rest.Raw, stored any) bool {
	m, err := raw.Meta()
	return err == nil && m.UID != "" && m.UID == object.Of(stored).UID
}

// Holds reports whether an object that is stored, in the version that came, is certainly what came: nothing has written to it.
func (c *Codec) Holds(raw *rest.Raw, stored any) (ok bool) {
	if object.IsAtRest(stored) {
		return true
	}
	if c.alters {
		return false
	}
	err := c.filtered(raw, func(raw *rest.Raw) error {
		ok = c.formats[raw.Encoding].holds(raw, stored)
		return nil
	})
	return ok && err == nil
}

// Equal reports whether two objects in the same version, of which one is stored, are certainly equal. c may be nil.
func (c *Codec) Equal(stored, next any) bool {
	switch {
	case object.Identical(stored, next):
		return true
	case c == nil || object.IsAtRest(stored):
		return object.IsAtRest(stored)
	case c.unstructured:
		return reflect.DeepEqual(stored, next)
	}
	return c.trim != nil && c.trim.Same(stored, next)
}

// filtered calls use with what is kept of an object.
func (c *Codec) filtered(raw *rest.Raw, use func(raw *rest.Raw) error) error {
	if c.filter == nil {
		return use(raw)
	}
	return c.filteredBy(c.filter, raw, use)
}

// filteredBy calls use with what a filter keeps of an object.
func (c *Codec) filteredBy(filter *wirefilter.Filter, raw *rest.Raw, use func(raw *rest.Raw) error) error {
	buffer := c.buffer()
	defer c.buffers.Put(buffer)
	var err error
	if *buffer, err = c.formats[raw.Encoding].filter(filter, (*buffer)[:0], raw.Bytes); err != nil {
		return fmt.Errorf("cannot drop fields of %d bytes of %s: %w", len(raw.Bytes), raw.Encoding, err)
	}
	less := rest.Raw{Encoding: raw.Encoding, APIVersion: raw.APIVersion, Kind: raw.Kind, Bytes: *buffer}
	return use(&less)
}

// buffer returns a buffer for bytes that are read and forgotten.
func (c *Codec) buffer() *[]byte {
	if b, ok := c.buffers.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// Admit makes what is stored of an object that came decoded, before the transform. It may be changed.
func (c *Codec) Admit(obj any) (any, error) {
	if c.filter != nil {
		if err := c.filter.Object(obj); err != nil {
			return nil, err
		}
	}
	if c.packing == nil || c.alters {
		return obj, nil
	}
	return c.packing.packObject(obj)
}

// Transformer returns what is done to objects that Load and Admit have returned before they are stored, nil if transform is nil. A panic
// of the transform, or a nil result, is the error of one object. c may be nil.
func (c *Codec) Transformer(transform func(any) (any, error)) func(any) (any, error) {
	if transform == nil {
		return nil
	}
	return func(obj any) (result any, err error) {
		result, err = call(transform, obj)
		if err != nil || c == nil || c.packing == nil {
			return result, err
		}
		return c.packing.packObject(result)
	}
}

// call calls a transform.
func call(transform func(any) (any, error), obj any) (result any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the transform panicked: %v", cause)
		}
	}()
	if result, err = transform(obj); err == nil && result == nil {
		err = errors.New("the transform returned nil")
	}
	return result, err
}

// plain decodes an object for which a format has no plan, and makes it smaller.
func (c *Codec) plain(raw *rest.Raw) (any, error) {
	obj, err := c.decode(raw)
	if err == nil && !c.alters && c.trim != nil {
		c.trim.Trim(obj, c.trimmed)
	}
	return obj, err
}

// atRest appends what is stored of an object that is packed. One that cannot be decoded is an error.
func (c *Codec) atRest(dst []byte, raw *rest.Raw) ([]byte, error) {
	dst, ok := c.formats[raw.Encoding].atRest(dst, raw.Bytes)
	if ok {
		return dst, nil
	}
	_, err := c.decode(raw)
	return dst, err
}

// decode decodes an object that has nothing in common with others.
func (c *Codec) decode(raw *rest.Raw) (any, error) {
	obj, err := Decode(raw, c.newObject)
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok && err == nil && c.metadataOf.Kind != "" {
		o.TypeMeta = c.metadataOf
	}
	return obj, err
}

// metadataType returns the apiVersion and kind of metadata that came alone: of what it is, if that is known.
func (c *Codec) metadataType(raw *rest.Raw) metav1.TypeMeta {
	if c.metadataOf.Kind != "" {
		return c.metadataOf
	}
	return metav1.TypeMeta{APIVersion: raw.APIVersion, Kind: raw.Kind}
}

// NoteSize notes how many objects there are, and drops the intern caches when most of them have been deleted. It is called by one
// goroutine at a time. c may be nil.
func (c *Codec) NoteSize(objects int) {
	if c == nil {
		return
	}
	c.most = max(c.most, objects)
	if c.most > minForget && objects < c.most/4 {
		c.most = objects
		c.trimmed.Forget()
		c.packing.forget()
		for _, f := range c.formats {
			f.forget()
		}
	}
}

// minForget is the number of objects from which on the intern caches are dropped when most objects have been deleted.
const minForget = 1024

// Decode decodes an object that has nothing in common with others.
func Decode(raw *rest.Raw, newObject func() any) (any, error) {
	obj := newObject()
	if err := Into(raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// Into decodes an object. As with every typed client, its Go type says what it is, and apiVersion and kind are set only where the type
// serves for many kinds.
func Into(raw *rest.Raw, obj any) error {
	if err := raw.Into(obj); err != nil {
		return err
	}
	switch o := obj.(type) {
	case *unstructured.Unstructured:
	case *metav1.PartialObjectMetadata:
		if o.Kind == "" {
			o.APIVersion, o.Kind = raw.APIVersion, raw.Kind
		}
	case interface{ GetObjectKind() schema.ObjectKind }:
		o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return nil
}
