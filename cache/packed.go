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

	"k8s.io/apimachinery/pkg/runtime"
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
	// hot is the objects that readers asked for last, decoded: readers are given copies. told is those that handlers were told of
	// last, which several handlers are given, so that no reader is given a copy of what one of them has written.
	hot, told [hotSlots]atomic.Pointer[hot]

	mu    sync.Mutex
	forms map[packedForm]*packedForm
	last  atomic.Pointer[packedForm]
}

// hot is an object that was asked for: decoded, if it was asked for twice or for a handler, and nil if not.
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

// name is the same in two parts.
func (p *packed) name() ObjectName {
	namespace, name, ok := strings.Cut(p.key(), "/")
	if !ok {
		namespace, name = "", namespace
	}
	return ObjectName{Namespace: namespace, Name: name}
}

// revision returns the UID and the resourceVersion of the object.
func (p *packed) revision() revision {
	rest := p.text[p.keyLong:]
	return revision{uid: types.UID(rest[:p.uidLong]), version: rest[p.uidLong:]}
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
