package codec

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/object"
	"vedette.dev/internal/pack"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// packed is an object at rest: its bytes and its identity. It stands for the object everywhere between the reflector and the readers of the
// store and handlers, which are given decoded objects.
type packed struct {
	form *packedForm
	// text is the key, the UID and the version, one behind the other, of which the first two have these lengths.
	text             string
	keyLong, uidLong uint32
	bytes            pack.Packed
	labels           *labelText
	// uncompressed is the bytes as they came, until they are compressed; nil then. It only changes before others see the object.
	uncompressed *[]byte
}

var _ object.AtRest = (*packed)(nil)

// packedForm is what all objects have in common that came in the same form.
type packedForm struct {
	packing          *packing
	encoding         rest.Encoding
	apiVersion, kind string
	typ              reflect.Type // what it is decoded into; nil means the type of the informer
}

// packing packs and unpacks the objects of an informer.
type packing struct {
	codec  *Codec
	packer *pack.Packer
	labels *labelTexts
	seed   maphash.Seed
	// slots has room for as many as may decode at the same time on behalf of readers.
	slots chan struct{}
	// forReaders are the objects that readers asked for last, decoded: readers are given copies. forHandlers are those that handlers
	// were notified of last, which several handlers are given, so that no reader is given a copy of what one of them has written.
	forReaders, forHandlers decodeCache
	// uses counts what objects are decoded for. texts is the length of the texts of the objects that were compressed.
	uses  uses
	texts atomic.Int64

	mu      sync.Mutex
	forms   map[packedForm]*packedForm
	filters map[fieldsOfType]*wirefilter.Filter // for readers of some fields
	last    atomic.Pointer[packedForm]
}

// fieldsOfType are fields of a Go type, nil for that of the informer, by their ID.
type fieldsOfType struct {
	typ reflect.Type
	id  string
}

// decodeCache is the objects that were decoded last.
type decodeCache [decodeSlots]atomic.Pointer[decodedObject]

// decodedObject is an object that was asked for: decoded, if it was asked for twice or for a handler, and nil if not.
type decodedObject struct {
	of  *packed
	obj any
}

const (
	decodeSlots = 256
	mostForms   = 64
)

func newPacking(c *Codec) *packing {
	return &packing{
		codec:  c,
		packer: pack.New(pack.Config{}),
		labels: newLabelTexts(),
		seed:   maphash.MakeSeed(),
		slots:  make(chan struct{}, 2*goruntime.GOMAXPROCS(0)),
		forms:  map[packedForm]*packedForm{}, filters: map[fieldsOfType]*wirefilter.Filter{},
	}
}

// Decoded returns the number of packed objects that readers or handlers have asked for of late.
func (c *Codec) Decoded() (n int) {
	for i := range decodeSlots {
		if c.packing.forReaders[i].Load() != nil || c.packing.forHandlers[i].Load() != nil {
			n++
		}
	}
	return n
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

// take takes an object as it came, to be compressed if it is stored. One that cannot be decoded is an error.
func (k *packing) take(raw *rest.Raw) (any, error) {
	m, err := raw.Meta()
	if err != nil {
		return nil, err
	}
	text, _ := raw.IdentityText()
	uncompressed := k.codec.buffer()
	if cap(*uncompressed) > 4*len(raw.Bytes)+1024 { // it may be kept for a while, if a handler is slow
		k.codec.buffers.Put(uncompressed)
		uncompressed = new([]byte)
	}
	if *uncompressed, err = k.codec.atRest((*uncompressed)[:0], raw); err != nil {
		k.codec.buffers.Put(uncompressed)
		return nil, err
	}
	return &packed{
		form: k.form(packedForm{encoding: raw.Encoding, apiVersion: raw.APIVersion, kind: raw.Kind}),
		text: text, keyLong: uint32(len(text) - len(m.UID) - len(m.ResourceVersion)), uidLong: uint32(len(m.UID)), uncompressed: uncompressed,
		labels: k.labelsOf(raw, *uncompressed),
	}, nil
}

// forget drops what was kept to find equal labels. k may be nil.
func (k *packing) forget() {
	if k != nil {
		k.labels.cache.Clear()
	}
}

// labelsOf returns the labels of an object as it came, of which stored is to be stored. It can be decoded.
func (k *packing) labelsOf(raw *rest.Raw, stored []byte) *labelText {
	if raw.Encoding == rest.CBOR {
		// Its keys are in order in what is stored, so that equal labels are equal texts.
		raw = &rest.Raw{Encoding: raw.Encoding, Bytes: stored}
	}
	set, err := k.labels.of(raw)
	if err == nil {
		return set
	}
	var m metav1.PartialObjectMetadata
	if err := Into(raw, &m); err != nil {
		return nil // as Unstructured.GetLabels, of labels that are not texts
	}
	return k.labels.ofMap(m.Labels)
}

// Key returns namespace/name.
func (p *packed) Key() string { return p.text[:p.keyLong] }

// Revision returns the UID and the resourceVersion of the object.
func (p *packed) Revision() object.Revision {
	rest := p.text[p.keyLong:]
	return object.Revision{UID: types.UID(rest[:p.uidLong]), Version: rest[p.uidLong:]}
}

// Kind returns what the bytes are said to be.
func (p *packed) Kind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(p.form.apiVersion, p.form.kind)
}

// Compress compresses an object that is about to be stored, if it is one that Load or a Transformer has packed. No other goroutine may have
// the object yet.
func Compress(obj any) {
	p, ok := obj.(*packed)
	if !ok || p.uncompressed == nil {
		return
	}
	k, uncompressed := p.form.packing, p.uncompressed
	k.texts.Add(int64(len(p.text)))
	p.bytes, p.uncompressed = k.packer.Pack(*uncompressed, k.group(p.Key())), nil
	k.codec.buffers.Put(uncompressed)
}

// packObject packs an object that came decoded, or was changed by a transform.
func (k *packing) packObject(obj any) (any, error) {
	m, err := object.Meta(obj)
	if err != nil {
		return obj, nil // there is nothing to know it by: it stays as it is
	}
	// Protobuf would be smaller, but a program that calls Marshal of one type has that of all types linked into it.
	form := packedForm{typ: reflect.TypeOf(obj), encoding: rest.JSON}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot pack %s: %w", object.Join(m.GetNamespace(), m.GetName()), err)
	}
	if o, ok := obj.(runtime.Object); ok {
		form.apiVersion, form.kind = o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	}
	key, uid := object.Join(m.GetNamespace(), m.GetName()), string(m.GetUID())
	return &packed{
		form: k.form(form), text: key + uid + m.GetResourceVersion(), keyLong: uint32(len(key)), uidLong: uint32(len(uid)), uncompressed: &data,
		labels: k.labels.ofMap(m.GetLabels()),
	}, nil
}

// group returns the template group of an object, by its key: objects are likely to be similar if their names differ only
// after the last dash, like the pods of a ReplicaSet.
func (k *packing) group(key string) uint64 {
	if i := strings.LastIndexByte(key, '-'); i > 0 {
		key = key[:i]
	}
	return maphash.String(k.seed, key)
}
