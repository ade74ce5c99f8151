package cache

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/pack"
	"vedette.dev/rest"
)

// packed is an object at rest: its bytes, and what it takes to know it. It stands for the object everywhere between the reflector
// and those who read the store or are told of changes; they are given decoded objects.
type packed struct {
	form *packedForm
	// text is the key, the UID and the version, one behind the other, of which the first two have these lengths.
	text             string
	keyLong, uidLong uint32
	bytes            pack.Packed
	// loose is the bytes as they came, until they are packed; nil then. It only changes before others see the object.
	loose *[]byte
}

// packedForm is what all objects have in common that came in the same form.
type packedForm struct {
	packing          *packing
	encoding         rest.Encoding
	apiVersion, kind string
	typ              reflect.Type // what it is decoded into; nil means the type of the informer
}

// packing packs and unpacks the objects of an informer.
type packing struct {
	codec  *codec
	packer *pack.Packer
	seed   maphash.Seed
	// slots has room for as many as may decode at the same time on behalf of readers.
	slots chan struct{}
	// hot is the objects that were asked for last, decoded, of which none is given away to be changed.
	hot [hotSlots]atomic.Pointer[hot]

	mu    sync.Mutex
	forms map[packedForm]*packedForm
	last  atomic.Pointer[packedForm]
}

// hot is an object that was asked for: decoded, if it was asked for twice or by those who only read it, and nil if not.
type hot struct {
	of  *packed
	obj any
}

const (
	hotSlots  = 256
	mostForms = 64
)

func newPacking(c *codec) *packing {
	return &packing{
		codec:  c,
		packer: pack.New(pack.Config{}),
		seed:   maphash.MakeSeed(),
		slots:  make(chan struct{}, 2*goruntime.GOMAXPROCS(0)),
		forms:  map[packedForm]*packedForm{},
	}
}

// form returns the one that describes objects, always the same for the same.
func (k *packing) form(f packedForm) *packedForm {
	f.packing = k
	if last := k.last.Load(); last != nil && *last == f {
		return last
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	form := k.forms[f]
	if form == nil {
		f.apiVersion, f.kind = strings.Clone(f.apiVersion), strings.Clone(f.kind)
		form = &f
		if len(k.forms) < mostForms { // what else comes is nothing that was asked for
			k.forms[f] = form
		}
	}
	k.last.Store(form)
	return form
}

// take takes an object as it came, to be packed if it is stored. One that nobody could decode is an error.
func (k *packing) take(raw *rest.Raw) (any, error) {
	m, err := raw.Meta()
	if err != nil {
		return nil, err
	}
	if err := k.codec.check(raw); err != nil {
		return nil, err
	}
	text, _ := raw.IdentityText()
	loose := k.codec.buffer()
	if cap(*loose) > 4*len(raw.Bytes)+1024 { // it may be kept for a while, if a handler is slow
		k.codec.buffers.Put(loose)
		loose = new([]byte)
	}
	*loose = append((*loose)[:0], raw.Bytes...)
	return &packed{
		form: k.form(packedForm{encoding: raw.Encoding, apiVersion: raw.APIVersion, kind: raw.Kind}),
		text: text, keyLong: uint32(len(text) - len(m.UID) - len(m.ResourceVersion)), uidLong: uint32(len(m.UID)), loose: loose,
	}, nil
}

// key is namespace/name.
func (p *packed) key() string { return p.text[:p.keyLong] }

// id is which state of which object it is.
func (p *packed) id() stamp {
	rest := p.text[p.keyLong:]
	return stamp{uid: types.UID(rest[:p.uidLong]), version: rest[p.uidLong:]}
}

// packAway packs an object that is about to be stored. Nobody else may have seen it yet.
func packAway(obj any) {
	p, ok := obj.(*packed)
	if !ok || p.loose == nil {
		return
	}
	k, loose := p.form.packing, p.loose
	p.bytes, p.loose = k.packer.Pack(*loose, k.family(p.key())), nil
	k.codec.buffers.Put(loose)
}

// packObject packs an object that came decoded, or was changed by a transform.
func (k *packing) packObject(obj any) (any, error) {
	m, err := metaOf(obj)
	if err != nil {
		return obj, nil // there is nothing to know it by: it stays as it is
	}
	// Protobuf would be smaller. But whoever calls Marshal of some type has that of all types linked into his program.
	form := packedForm{typ: reflect.TypeOf(obj), encoding: rest.JSON}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot pack %s: %w", MetaObjectToName(m), err)
	}
	if o, ok := obj.(runtime.Object); ok {
		form.apiVersion, form.kind = o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	}
	key, uid := MetaObjectToName(m).String(), string(m.GetUID())
	return &packed{
		form: k.form(form), text: key + uid + m.GetResourceVersion(), keyLong: uint32(len(key)), uidLong: uint32(len(uid)), loose: &data,
	}, nil
}

// family is the same for objects that are likely to be alike: those whose names differ only behind the last dash, as those of
// the pods of a ReplicaSet do.
func (k *packing) family(key string) uint64 {
	if i := strings.LastIndexByte(key, '-'); i > 0 {
		key = key[:i]
	}
	return maphash.String(k.seed, key)
}

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

// slot is where an object is if it is hot.
func (p *packed) slot() *atomic.Pointer[hot] {
	return &p.form.packing.hot[uintptr(unsafe.Pointer(p))>>6%hotSlots]
}

// fresh returns an object for someone who may do with it what he likes. One that was asked for before is copied, which takes
// less time than to decode it.
func (p *packed) fresh() (any, error) {
	slot := p.slot()
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
		return c.decode(raw, nil)
	}
	obj, err := decodePlainly(raw, func() any { return reflect.New(f.typ.Elem()).Interface() })
	if o, ok := obj.(runtime.Object); ok && err == nil && f.kind != "" {
		o.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(f.apiVersion, f.kind))
	}
	return obj, err
}

// shown is the object for those who only read it. Several are given the same.
func (p *packed) shown() (any, error) {
	slot := p.slot()
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

func (p *packed) name() ObjectName {
	namespace, name, ok := strings.Cut(p.key(), "/")
	if !ok {
		namespace, name = "", namespace
	}
	return ObjectName{Namespace: namespace, Name: name}
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

// show is what a handler or an index function is given. An object that cannot be decoded is a panic that names it: it
// could be decoded when it came.
func show(obj any) any {
	switch o := obj.(type) {
	case *packed:
		shown, err := o.shown()
		if err != nil {
			panic(err)
		}
		return shown
	case DeletedFinalStateUnknown:
		if _, ok := o.Obj.(*packed); ok {
			o.Obj = show(o.Obj)
		}
		return o
	}
	return obj
}
