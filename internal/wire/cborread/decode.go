package cborread

import (
	"encoding/binary"
	"maps"
	"math"
	"unicode/utf8"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"vedette.dev/internal/wire/cborscan"
)

// DecodeNext is Map for an object with an earlier state, which may be nil. Equal parts of that are taken over, so that both
// states share them; a part that was written to since it was decoded is not equal. Other shared values come from shares, which
// may be nil. It does not keep data, and the returned map is not shared, other than maps in it.
func DecodeNext(data []byte, shares *Shares, last map[string]any) (map[string]any, error) {
	d := decoder{data: cborscan.Bare(data), shares: shares, sampled: shares.sampled()}
	if m, ok := d.top(last); ok {
		return m, nil
	}
	var content map[string]any
	if err := direct.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	return content, nil
}

// deepest is how deep values may be nested. What is deeper is left to the serializer.
const deepest = 500

// decoder reads one object. Its methods return false where something is unusual or wrong.
type decoder struct {
	data  []byte
	pos   int
	depth int

	shares  *Shares
	sampled bool
	// known counts the trees around the current item that are compared with an equal one of another object.
	known int

	stack stack
	names [64]string // of the keys that came last, if nothing is shared
}

// entry is one of a map that has begun, or an element of an array.
type entry struct {
	name  string
	value any
}

// stack has the entries of the maps and arrays that have begun, the innermost last. So it is known how many there are when one is
// made. The first ones are on the stack of the goroutine, where they cost nothing.
type stack struct {
	n    int
	near [64]entry
	far  []entry
}

func (s *stack) push(e entry) {
	if s.n < len(s.near) {
		s.near[s.n] = e
	} else {
		s.far = append(s.far, e)
	}
	s.n++
}

func (s *stack) at(i int) *entry {
	if i < len(s.near) {
		return &s.near[i]
	}
	return &s.far[i-len(s.near)]
}

// cut forgets all but n of them.
func (s *stack) cut(n int) {
	s.n = n
	s.far = s.far[:max(0, n-len(s.near))]
}

// distinct reports whether the entries from begin on have different keys.
func (s *stack) distinct(begin int) bool {
	const few = 24
	if s.n-begin > few {
		seen := make(map[string]struct{}, s.n-begin)
		for i := begin; i < s.n; i++ {
			seen[s.at(i).name] = struct{}{}
		}
		return len(seen) == s.n-begin
	}
	for i := begin; i < s.n; i++ {
		for j := begin; j < i; j++ {
			if s.at(i).name == s.at(j).name {
				return false
			}
		}
	}
	return true
}

func (d *decoder) top(last map[string]any) (map[string]any, bool) {
	major, n, ok := d.head()
	if !ok || major != typeMap {
		return nil, false
	}
	v, same, ok := d.mapping(n, last, place{level: rootLevel})
	if !ok || d.pos != len(d.data) {
		return nil, false
	}
	if same {
		return maps.Clone(last), true
	}
	return v.(map[string]any), true
}

// The major types of items.
const (
	typePositive = iota
	typeNegative
	typeBytes
	typeText
	typeArray
	typeMap
	typeTag
	typeOther
)

// head reads the beginning of an item that has a length, and has no tag.
func (d *decoder) head() (major byte, n uint64, ok bool) {
	if d.pos >= len(d.data) {
		return 0, 0, false
	}
	b := d.data[d.pos]
	major, info := b>>5, b&31
	d.pos++
	if info < 24 {
		return major, uint64(info), true
	}
	if info > 27 {
		return 0, 0, false
	}
	size := 1 << (info - 24)
	if len(d.data)-d.pos < size {
		return 0, 0, false
	}
	arg := d.data[d.pos:]
	d.pos += size
	switch size {
	case 1:
		n = uint64(arg[0])
	case 2:
		n = uint64(binary.BigEndian.Uint16(arg))
	case 4:
		n = uint64(binary.BigEndian.Uint32(arg))
	case 8:
		n = binary.BigEndian.Uint64(arg)
	}
	return major, n, true
}

// bytes reads the bytes of a string.
func (d *decoder) bytes(major byte, n uint64) ([]byte, bool) {
	if n > uint64(len(d.data)-d.pos) {
		return nil, false
	}
	b := d.data[d.pos : d.pos+int(n)]
	d.pos += int(n)
	return b, major == typeBytes || utf8.Valid(b)
}

// absent is what the earlier state has where it has nothing.
var absent any = struct{}{}

// value reads an item. last is what the earlier state has there; same says that the value is that one.
func (d *decoder) value(last any, in place) (v any, same, ok bool) {
	begin := d.pos
	major, n, ok := d.head()
	if !ok {
		return nil, false, false
	}
	switch major {
	case typePositive, typeNegative:
		if n > math.MaxInt64 {
			return nil, false, false
		}
		i := int64(n)
		if major == typeNegative {
			i = -1 - i
		}
		if before, ok := last.(int64); ok && before == i {
			return last, true, true
		}
		return i, false, true
	case typeBytes, typeText:
		b, ok := d.bytes(major, n)
		if !ok {
			return nil, false, false
		}
		if before, ok := last.(string); ok && before == string(b) {
			return last, true, true
		}
		return d.shares.text(b, in, d.sampled), false, true
	case typeArray, typeMap:
		return d.tree(begin, major, n, last, in)
	case typeOther:
		v, ok = d.simple(begin, n)
	}
	if !ok || major == typeTag {
		return nil, false, false
	}
	if v == last { // v is none of the types that cannot be compared
		return last, true, true
	}
	return v, false, true
}

// simple is false, true, null or a floating-point number that is finite.
func (d *decoder) simple(begin int, n uint64) (any, bool) {
	var f float64
	switch d.data[begin] & 31 {
	case 20:
		return false, true
	case 21:
		return true, true
	case 22:
		return nil, true
	case 25:
		f = half(uint16(n))
	case 26:
		f = float64(math.Float32frombits(uint32(n)))
	case 27:
		f = math.Float64frombits(n)
	default:
		return nil, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// half is a floating-point number of 16 bits.
func half(bits uint16) float64 {
	exponent, mantissa := int(bits>>10&31), float64(bits&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(mantissa, -24)
	case 31:
		return math.NaN() // or infinite
	default:
		f = math.Ldexp(mantissa+1024, exponent-25)
	}
	if bits&(1<<15) != 0 {
		f = -f
	}
	return f
}

// tree reads a map or an array, unless it is known.
func (d *decoder) tree(begin int, major byte, n uint64, last any, in place) (v any, same, ok bool) {
	if n == 0 || d.known > 0 || !d.shares.sharesTrees(in) {
		return d.build(major, n, last, in)
	}
	inside := d.pos
	hash, ok := d.hash(begin)
	d.pos = inside
	if !ok {
		return nil, false, false
	}
	known, slots := d.shares.tree(hash)
	if known != nil {
		d.known++
		v, same, ok = d.build(major, n, known, in)
		d.known--
		if same && identical(known, last) || !same {
			return v, same, ok
		}
		return known, false, ok
	}
	if v, same, ok = d.build(major, n, last, in); ok {
		d.shares.keep(slots, hash, v)
	}
	return v, same, ok
}

// identical reports whether two values are one in memory.
func identical(a, b any) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

func (d *decoder) build(major byte, n uint64, last any, in place) (v any, same, ok bool) {
	if major == typeMap {
		before, _ := last.(map[string]any)
		v, same, ok = d.mapping(n, before, in)
	} else {
		before, _ := last.([]any)
		v, same, ok = d.array(n, before, in)
	}
	if same {
		v = last
	}
	return v, same, ok
}

// mapping reads the entries of a map. If it is equal to last, it only says so.
func (d *decoder) mapping(n uint64, last map[string]any, in place) (v any, same, ok bool) {
	// An entry has two bytes at least.
	if d.depth++; d.depth > deepest || n > uint64(len(d.data)-d.pos)/2 {
		return nil, false, false
	}
	begin := d.stack.n
	same = last != nil && uint64(len(last)) == n
	for range n {
		major, size, ok := d.head()
		if !ok || major != typeBytes && major != typeText {
			return nil, false, false
		}
		key, ok := d.bytes(major, size)
		if !ok {
			return nil, false, false
		}
		name, rate := d.name(key)
		before, had := last[name]
		if !had {
			before = absent
		}
		v, kept, ok := d.value(before, in.below(name, rate))
		if !ok {
			return nil, false, false
		}
		same = same && kept
		d.stack.push(entry{name, v})
	}
	d.depth--
	if same && d.stack.distinct(begin) {
		d.stack.cut(begin)
		return nil, true, true
	}
	m := newMap(int(n))
	for i := begin; i < d.stack.n; i++ {
		e := d.stack.at(i)
		m[e.name] = e.value
	}
	d.stack.cut(begin)
	return m, false, uint64(len(m)) == n // the same key twice is an error
}

// newMap makes a map with room for n entries. Those for a few are all alike, and made quicker without a number.
func newMap(n int) map[string]any {
	const few = 8
	if n <= few {
		return make(map[string]any)
	}
	return make(map[string]any, n)
}

// array reads the elements of an array. If it is equal to last, it only says so.
func (d *decoder) array(n uint64, last []any, in place) (v any, same, ok bool) {
	if d.depth++; d.depth > deepest || n > uint64(len(d.data)-d.pos) {
		return nil, false, false
	}
	begin := d.stack.n
	same = last != nil && uint64(len(last)) == n
	at := in.element()
	for i := range n {
		before := absent
		if i < uint64(len(last)) {
			before = last[i]
		}
		v, kept, ok := d.value(before, at)
		if !ok {
			return nil, false, false
		}
		same = same && kept
		d.stack.push(entry{value: v})
	}
	d.depth--
	if same {
		d.stack.cut(begin)
		return nil, true, true
	}
	list := make([]any, n)
	for i := range list {
		list[i] = d.stack.at(begin + i).value
	}
	d.stack.cut(begin)
	return list, false, true
}

// name returns a key as a string, and the number of its hit rate.
func (d *decoder) name(b []byte) (string, uint8) {
	if d.shares != nil {
		return d.shares.name(b)
	}
	h := uint(len(b))
	if len(b) > 0 {
		h = (h*31+uint(b[0]))*31 + uint(b[len(b)-1])
	}
	known := &d.names[h%uint(len(d.names))]
	if *known != string(b) {
		*known = string(b)
	}
	return *known, 0
}

// hash returns a hash of the item at pos, which is the same for maps with their entries in another order. It returns false where
// the decoder would.
func (d *decoder) hash(pos int) (uint64, bool) {
	d.pos = pos
	major, n, ok := d.head()
	if !ok {
		return 0, false
	}
	if d.depth++; d.depth > deepest {
		return 0, false
	}
	h := uint64(major)
	switch major {
	case typeBytes, typeText:
		b, ok := d.bytes(major, n)
		if !ok {
			return 0, false
		}
		h = d.shares.hashOf(b)
	case typeArray:
		for range n {
			e, ok := d.hash(d.pos)
			if !ok {
				return 0, false
			}
			h = mix(h, e)
		}
		h = mix(h, n)
	case typeMap:
		for range n {
			key, ok := d.hash(d.pos)
			if !ok {
				return 0, false
			}
			value, ok := d.hash(d.pos)
			if !ok {
				return 0, false
			}
			h += mix(key, value)
		}
		h = mix(h, n)
	case typeTag:
		return 0, false
	default:
		h = mix(h, d.shares.hashOf(d.data[pos:d.pos]))
	}
	d.depth--
	return h, true
}

func mix(h, with uint64) uint64 {
	h = (h ^ with ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return h ^ h>>32
}
