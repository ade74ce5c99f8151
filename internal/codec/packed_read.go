package codec

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/object"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// open unpacks the bytes, which are good until use returns, and hands them over.
func (p *packed) open(use func(raw *rest.Raw) error) error {
	c, data := p.form.packing.codec, p.uncompressed
	if data == nil {
		data = c.buffer()
		defer c.buffers.Put(data)
		var err error
		if *data, err = p.bytes.AppendTo((*data)[:0]); err != nil {
			return fmt.Errorf("%q cannot be unpacked: %w", p.Key(), err)
		}
	}
	f := p.form
	return use(&rest.Raw{Encoding: f.encoding, APIVersion: f.apiVersion, Kind: f.kind, Bytes: *data})
}

// slot returns where an object is in a decodeCache.
func (p *packed) slot(in *decodeCache) *atomic.Pointer[decodedObject] {
	return &in[uintptr(unsafe.Pointer(p))>>6%decodeSlots]
}

// Copy returns an object that belongs to the caller. One that was asked for before is copied, which takes less time than to decode it.
func (p *packed) Copy(use object.Use) (any, error) {
	t := p.form.packing.uses.begin(use)
	obj, err := p.copy(&t)
	t.end()
	return obj, err
}

func (p *packed) copy(t *timing) (any, error) {
	slot := p.slot(&p.form.packing.forReaders)
	h := slot.Load()
	if h == nil || h.of != p {
		slot.Store(&decodedObject{of: p})
		return p.decodeInTurn(t)
	}
	if h.obj == nil {
		obj, err := p.decodeInTurn(t)
		if err != nil {
			return nil, err
		}
		h = &decodedObject{p, obj}
		slot.Store(h)
	}
	if o, ok := h.obj.(runtime.Object); ok {
		return o.DeepCopyObject(), nil
	}
	return p.decodeInTurn(t)
}

// CopyFields returns an object that belongs to the caller, with some fields and the identity. The others are not decoded.
func (p *packed) CopyFields(fields *object.Fields, use object.Use) (obj any, err error) {
	k := p.form.packing
	t := k.uses.begin(use)
	filter, err := k.filterOf(p.form.typ, fields)
	if err != nil {
		return nil, err
	}
	err = p.open(func(raw *rest.Raw) error {
		return k.codec.filteredBy(filter, raw, func(raw *rest.Raw) error {
			obj, err = p.form.decode(raw)
			return err
		})
	})
	t.end()
	return obj, err
}

// filterOf returns the filter for fields of a type, or of the type of the informer if it is nil.
func (k *packing) filterOf(t reflect.Type, fields *object.Fields) (*wirefilter.Filter, error) {
	id := fieldsOfType{t, fields.ID}
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.filters[id]; f != nil {
		return f, nil
	}
	example := k.codec.newObject()
	if t != nil {
		example = reflect.New(t.Elem()).Interface()
	}
	f, err := wirefilter.Keep(example, fields.Paths...)
	if err == nil && len(k.filters) < mostForms { // the others are made again each time
		k.filters[id] = f
	}
	return f, err
}

// decodeInTurn decodes the object for a reader. Only some readers do so at the same time.
func (p *packed) decodeInTurn(t *timing) (any, error) {
	k := p.form.packing
	k.slots <- struct{}{}
	defer func() { <-k.slots }()
	t.restart() // to wait takes no processor time
	return p.decode()
}

func (p *packed) decode() (obj any, err error) {
	err = p.open(func(raw *rest.Raw) error {
		obj, err = p.form.decode(raw)
		return err
	})
	return obj, err
}

func (f *packedForm) decode(raw *rest.Raw) (any, error) {
	c := f.packing.codec
	if f.typ == nil {
		return c.formats[raw.Encoding].decode(raw)
	}
	obj, err := Decode(raw, func() any { return reflect.New(f.typ.Elem()).Interface() })
	if o, ok := obj.(runtime.Object); ok && err == nil && f.kind != "" {
		o.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(f.apiVersion, f.kind))
	}
	return obj, err
}

// Shared returns the object for handlers and index functions. Several are given the same, which is counted once.
func (p *packed) Shared(use object.Use) (any, error) {
	slot := p.slot(&p.form.packing.forHandlers)
	if h := slot.Load(); h != nil && h.of == p && h.obj != nil {
		return h.obj, nil
	}
	t := p.form.packing.uses.begin(use)
	obj, err := p.decode() // at once: handlers do not wait for readers
	t.end()
	if err == nil {
		slot.Store(&decodedObject{p, obj})
	}
	return obj, err
}

// Metadata decodes the metadata alone.
func (p *packed) Metadata(use object.Use) (*metav1.PartialObjectMetadata, error) {
	t := p.form.packing.uses.begin(use)
	m := &metav1.PartialObjectMetadata{}
	err := p.open(func(raw *rest.Raw) error { return Into(raw, m) })
	t.end()
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Labels returns the labels, without unpacking the object.
func (p *packed) Labels() labels.Labels { return p.labels }

// IntoAny decodes the bytes into obj if they have the names of fields in them.
func (p *packed) IntoAny(obj any, use object.Use) (ok bool, err error) {
	if !p.form.encoding.Untyped() {
		return false, nil
	}
	t := p.form.packing.uses.begin(use)
	err = p.open(func(raw *rest.Raw) error { return raw.Into(obj) })
	t.end()
	return true, err
}
