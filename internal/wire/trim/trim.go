package trim

import (
	"hash/maphash"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"

	"vedette.dev/internal/wire/intern"
)

// Shares is what objects have in common that were trimmed with the same plan: strings, and the text of managed fields. It holds
// a bounded number of those that came last, and can be used by many at once.
type Shares struct {
	seed        maphash.Seed
	texts, raws intern.Cache[string]
	hitRates    []intern.HitRate
}

const (
	mostTexts, longestText = 1 << 13, 96
	mostRaws, longestRaw   = 1 << 12, 4 << 10
	// One look-up in so many must be a hit.
	textHits                     = 4
	sampledFirst, sampleInterval = 256, 64
)

// NewShares returns shares for objects of a plan.
func (p *Plan) NewShares() *Shares {
	s := &Shares{seed: maphash.MakeSeed(), hitRates: make([]intern.HitRate, p.texts)}
	s.texts.MaxSets, s.raws.MaxSets = mostTexts, mostRaws
	return s
}

// Forget lets go of everything. Shares may be nil.
func (s *Shares) Forget() {
	if s != nil {
		s.texts.Clear()
		s.raws.Clear()
	}
}

// find returns the string of an intern cache that is equal to text, which is put there if there is none.
func (s *Shares) find(on *intern.Cache[string], text string) (string, bool) {
	slots := on.At(maphash.String(s.seed, text))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == text {
			return *known, true
		}
	}
	kept := text // or there would be memory for it in any case
	on.Put(slots, &kept)
	return text, false
}

// trimmer goes through one object.
type trimmer struct {
	shares  *Shares
	sampled bool
	root    *node
	part    part // which part of the object is gone through
	// maps are the maps of quantities of the spec.
	maps []unsafe.Pointer
}

// Trim reduces the memory of the object that obj points to. It must be the only reference to it.
func (p *Plan) Trim(obj any, shares *Shares) {
	if reflect.TypeOf(obj) != p.typ {
		return
	}
	n := p.objects.Add(1)
	t := trimmer{shares: shares, sampled: n < sampledFirst || n%sampleInterval == 0, root: p.root}
	t.trim(p.root, reflect.ValueOf(obj).UnsafePointer())
}

func (t *trimmer) trim(n *node, at unsafe.Pointer) {
	switch n.kind {
	case kindString:
		s := (*string)(at)
		*s = t.text(n.text, *s)
	case kindBytes:
		fit((*[]byte)(at))
	case kindManaged:
		t.raw((*[]byte)(at)) // its only field
	case kindStruct:
		for i := range n.fields {
			f := &n.fields[i]
			if n == t.root {
				t.part = f.part
			}
			if f.node.kind > kindOpaque {
				t.trim(f.node, unsafe.Add(at, f.offset))
			}
		}
	case kindPointer:
		if p := *(*unsafe.Pointer)(at); p != nil && n.elem.kind > kindOpaque {
			t.trim(n.elem, p)
		}
	case kindList:
		t.list(n, at)
	case kindStrings:
		for key, value := range *(*map[string]string)(at) {
			// An assignment replaces the key in the map by the one that is given.
			(*(*map[string]string)(at))[t.text(n.key, key)] = t.text(n.text, value)
		}
	case kindQuantities:
		t.quantities(n, (*map[string]resource.Quantity)(at))
	case kindMap:
		t.mapping(n, at)
	}
}

func fit(b *[]byte) {
	if cap(*b) > len(*b) {
		*b = append(make([]byte, 0, len(*b)), *b...)
	}
}

// text returns the string that others have as well.
func (t *trimmer) text(place uint32, s string) string {
	if s == "" || len(s) > longestText {
		return s
	}
	rate := &t.shares.hitRates[place]
	if !rate.ShouldLookUp(textHits, t.sampled) {
		return s
	}
	known, ok := t.shares.find(&t.shares.texts, s)
	if ok {
		rate.Hit(t.sampled)
	}
	return known
}

// raw makes a text of managed fields the one that others have as well.
func (t *trimmer) raw(b *[]byte) {
	if len(*b) == 0 || len(*b) > longestRaw {
		fit(b)
		return
	}
	on := &t.shares.raws
	slots := on.At(maphash.Bytes(t.shares.seed, *b))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == string(*b) {
			*b = unsafe.Slice(unsafe.StringData(*known), len(*known))
			return
		}
	}
	text := string(*b)
	on.Put(slots, &text)
	*b = unsafe.Slice(unsafe.StringData(text), len(text))
}

func (t *trimmer) list(n *node, at unsafe.Pointer) {
	l := (*list)(at)
	if l.len == 0 {
		return
	}
	if l.cap > l.len {
		fitted := reflect.MakeSlice(n.typ, l.len, l.len)
		reflect.Copy(fitted, reflect.NewAt(n.typ, at).Elem())
		*l = list{fitted.UnsafePointer(), l.len, l.len}
	}
	if n.elem.kind <= kindOpaque {
		return
	}
	size := n.typ.Elem().Size()
	for i := range l.len {
		t.trim(n.elem, unsafe.Add(l.array, uintptr(i)*size))
	}
}

// quantities has a map of the status that is equal to one of the spec be that one, as protoread does.
func (t *trimmer) quantities(n *node, at *map[string]resource.Quantity) {
	if len(*at) == 0 {
		return
	}
	for _, p := range t.maps {
		if t.part != partStatus {
			break
		}
		if known := *(*map[string]resource.Quantity)(unsafe.Pointer(&p)); sameQuantities(known, *at) {
			*at = known
			return
		}
	}
	for key, q := range *at {
		(*at)[t.text(n.key, key)] = q
	}
	if t.part == partSpec {
		t.maps = append(t.maps, *(*unsafe.Pointer)(unsafe.Pointer(at)))
	}
}

func sameQuantities(a, b map[string]resource.Quantity) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for key, q := range a {
		if other, ok := b[key]; !ok || q != other {
			return false
		}
	}
	return true
}

// mapping goes through a map whose values have to be taken out for that.
func (t *trimmer) mapping(n *node, at unsafe.Pointer) {
	if n.elem.kind <= kindOpaque {
		return
	}
	m := reflect.NewAt(n.typ, at).Elem()
	for it := m.MapRange(); it.Next(); {
		value := reflect.New(n.typ.Elem())
		value.Elem().Set(it.Value())
		t.trim(n.elem, value.UnsafePointer())
		m.SetMapIndex(reflect.ValueOf(t.text(n.key, it.Key().String())).Convert(n.typ.Key()), value.Elem())
	}
}
