package cache

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

// open unpacks the bytes, which are good until use returns, and hands them over.
func (p *packed) open(use func(raw *rest.Raw) error) error {
	c, data := p.form.packing.codec, p.loose
	if data == nil {
		data = c.buffer()
		defer c.buffers.Put(data)
		var err error
		if *data, err = p.bytes.AppendTo((*data)[:0]); err != nil {
			return fmt.Errorf("%q cannot be unpacked: %w", p.key(), err)
		}
	}
	f := p.form
	return use(&rest.Raw{Encoding: f.encoding, APIVersion: f.apiVersion, Kind: f.kind, Bytes: *data})
}

// slot is where an object is in a table if it is hot.
func (p *packed) slot(table *[hotSlots]atomic.Pointer[hot]) *atomic.Pointer[hot] {
	return &table[uintptr(unsafe.Pointer(p))>>6%hotSlots]
}

// fresh returns an object of the reader's own. One that was asked for before is copied, which takes
// less time than to decode it.
func (p *packed) fresh() (any, error) {
	slot := p.slot(&p.form.packing.hot)
	h := slot.Load()
	if h == nil || h.of != p {
		slot.Store(&hot{of: p})
		return p.decoded()
	}
	if h.obj == nil {
		obj, err := p.decoded()
		if err != nil {
			return nil, err
		}
		h = &hot{p, obj}
		slot.Store(h)
	}
	if o, ok := h.obj.(runtime.Object); ok {
		return o.DeepCopyObject(), nil
	}
	return p.decoded()
}

// decoded decodes the object for a reader, of whom only some do so at the same time.
func (p *packed) decoded() (any, error) {
	k := p.form.packing
	k.slots <- struct{}{}
	defer func() { <-k.slots }()
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
		return c.decode(raw)
	}
	obj, err := decodePlainly(raw, func() any { return reflect.New(f.typ.Elem()).Interface() })
	if o, ok := obj.(runtime.Object); ok && err == nil && f.kind != "" {
		o.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(f.apiVersion, f.kind))
	}
	return obj, err
}

// shown is the object for handlers and index functions. Several are given the same.
func (p *packed) shown() (any, error) {
	slot := p.slot(&p.form.packing.told)
	if h := slot.Load(); h != nil && h.of == p && h.obj != nil {
		return h.obj, nil
	}
	obj, err := p.decode() // at once: handlers do not wait for readers
	if err == nil {
		slot.Store(&hot{p, obj})
	}
	return obj, err
}

// meta decodes the metadata alone.
func (p *packed) meta() (*metav1.PartialObjectMetadata, error) {
	m := &metav1.PartialObjectMetadata{}
	err := p.open(func(raw *rest.Raw) error { return readInto(raw, m) })
	if err != nil {
		return nil, err
	}
	return m, nil
}

// isPacked tells whether an object is packed, so that nobody else has it.
func isPacked(obj any) bool {
	_, ok := obj.(*packed)
	return ok
}

// unpacked is the opener of a store of packed objects.
func unpacked(obj any) (any, error) {
	if p, ok := obj.(*packed); ok {
		return p.fresh()
	}
	return obj, nil
}

// shownOf is an object that is only read.
func shownOf(stored any) (any, error) {
	if p, ok := stored.(*packed); ok {
		return p.shown()
	}
	return stored, nil
}

// show is what a handler or an index function is given. An object that cannot be decoded is a panic that names it: it
// could be decoded when it came.
func show(obj any) any {
	if gone, ok := obj.(DeletedFinalStateUnknown); ok {
		if isPacked(gone.Obj) {
			gone.Obj = show(gone.Obj)
		}
		return gone
	}
	shown, err := shownOf(obj)
	if err != nil {
		panic(err)
	}
	return shown
}

// matches tells whether a selector matches the labels.
func (p *packed) matches(selector labels.Selector) (ok bool, err error) {
	err = p.open(func(raw *rest.Raw) error {
		set, err := raw.Labels()
		ok = err == nil && selector.Matches(labels.Set(set))
		return err
	})
	return ok, err
}
