package protoread

import (
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Same reports whether obj is certainly what Decode makes of data. It looks at every field of obj but its TypeMeta, and allocates
// nothing. If it says no, only decoding tells. Quantities that methods may write to at the same time are not looked at: an
// object with one of these is never the same.
func (p *Plan) Same(obj any, data []byte) bool {
	at := p.pointer(obj)
	return at != nil && p.root.same(at, data, true)
}

// mostOrdered is how many fields a message may have to be compared.
const mostOrdered = 128

// same reports whether a message in memory is what b says. root leaves out what is in no field, which of the outermost message is
// set by others.
func (m *message) same(at unsafe.Pointer, b []byte, root bool) bool {
	if m.own || len(m.all) > mostOrdered {
		return false
	}
	var seen [mostOrdered / 64]uint64
	for len(b) > 0 {
		number, wire, rest, ok := tag(b)
		if !ok {
			return false
		}
		if number >= uint64(len(m.fields)) || m.fields[number] == nil || m.fields[number].drop {
			if b, ok = skip(rest, wire); !ok {
				return false
			}
			continue
		}
		f := m.fields[number]
		bit := uint64(1) << (f.order % 64)
		if seen[f.order/64]&bit != 0 {
			return false
		}
		seen[f.order/64] |= bit
		if f.shape.isVarint() {
			if b, ok = f.sameNumbers(f.at(at), rest, number, wire); !ok {
				return false
			}
			continue
		}
		data, behind, ok := chunk(rest)
		if !ok || wire != wireBytes {
			return false
		}
		n := 1
		if f.shape.isList() {
			if n, behind, ok = run(behind, number); !ok {
				return false
			}
		}
		whole := b[:len(b)-len(behind)]
		b = behind
		if !f.same(f.at(at), data, whole, n) {
			return false
		}
	}
	for i, f := range m.all {
		if seen[i/64]&(1<<(i%64)) == 0 && !isZero(f.at(at), f.size) {
			return false
		}
	}
	for _, s := range m.bare {
		if !root && !isZero(unsafe.Add(at, s.offset), s.size) {
			return false
		}
	}
	return true
}

// isZero reports whether memory is zero.
func isZero(at unsafe.Pointer, size uintptr) bool {
	i := uintptr(0)
	for ; i+8 <= size; i += 8 {
		if *(*uint64)(unsafe.Add(at, i)) != 0 {
			return false
		}
	}
	for ; i < size; i++ {
		if *(*byte)(unsafe.Add(at, i)) != 0 {
			return false
		}
	}
	return true
}

// sameNumbers is same for numbers, of which b begins with the first. It returns what is behind them.
func (f *field) sameNumbers(at unsafe.Pointer, b []byte, number uint64, wire byte) (rest []byte, ok bool) {
	v, b, ok := varint(b)
	if !ok || wire != wireVarint {
		return nil, false
	}
	switch f.shape {
	case shapeBool:
		return b, *(*bool)(at) == (v != 0)
	case shapeBoolPtr:
		return b, pointsTo(at, v != 0)
	case shapeInt32:
		return b, *(*int32)(at) == int32(v)
	case shapeInt32Ptr:
		return b, pointsTo(at, int32(v))
	case shapeInt64:
		return b, *(*int64)(at) == int64(v)
	case shapeInt64Ptr:
		return b, pointsTo(at, int64(v))
	}
	for i := 0; ; i++ {
		if !f.sameElement(at, i, v) {
			return nil, false
		}
		next, wire, behind, ok := tag(b)
		if !ok || next != number {
			return b, i+1 == (*list)(at).len
		}
		if v, b, ok = varint(behind); !ok || wire != wireVarint {
			return nil, false
		}
	}
}

func (f *field) sameElement(at unsafe.Pointer, i int, v uint64) bool {
	if i >= (*list)(at).len {
		return false
	}
	if f.shape == shapeInt32s {
		return (*(*[]int32)(at))[i] == int32(v)
	}
	return (*(*[]int64)(at))[i] == int64(v)
}

func pointsTo[T comparable](at unsafe.Pointer, v T) bool {
	p := *(**T)(at)
	return p != nil && *p == v
}

// same reports whether a field that has a length is what its bytes say.
func (f *field) same(at unsafe.Pointer, data, whole []byte, n int) bool {
	switch f.shape {
	case shapeString:
		return *(*string)(at) == string(data)
	case shapeStringPtr:
		p := *(**string)(at)
		return p != nil && *p == string(data)
	case shapeBytes:
		b := *(*[]byte)(at)
		return b != nil && string(b) == string(data)
	case shapeMessage:
		return f.sub.sameMessage(at, data)
	case shapeMessagePtr:
		p := *(*unsafe.Pointer)(at)
		return p != nil && f.sub.sameMessage(p, data)
	case shapeStrings:
		return sameStrings(*(*[]string)(at), whole, n)
	case shapeMessages:
		return f.sameMessages((*list)(at), whole, n)
	case shapeStringMap:
		return sameMap(*(*map[string]string)(at), whole, n, func(have string, b []byte) bool { return have == string(b) })
	case shapeBytesMap:
		return sameMap(*(*map[string][]byte)(at), whole, n, func(have, b []byte) bool { return have != nil && string(have) == string(b) })
	case shapeQuantityMap:
		// What is in a map has no address, so nothing writes to it but who changes the map.
		return sameMap(*(*map[string]resource.Quantity)(at), whole, n, func(have resource.Quantity, b []byte) bool {
			q, ok := readQuantity(b)
			return ok && have == q
		})
	}
	return false
}

// sameMessage is same for types that read themselves as well. Of these only times are compared.
func (m *message) sameMessage(at unsafe.Pointer, data []byte) bool {
	switch m.typ {
	case timeType:
		var t metav1.Time
		return t.Unmarshal(data) == nil && *(*metav1.Time)(at) == t
	case microTimeType:
		var t metav1.MicroTime
		return t.Unmarshal(data) == nil && *(*metav1.MicroTime)(at) == t
	}
	return m.same(at, data, false)
}

func sameStrings(have []string, whole []byte, n int) bool {
	if len(have) != n {
		return false
	}
	for _, s := range have {
		var data []byte
		if data, whole = next(whole); s != string(data) {
			return false
		}
	}
	return true
}

func (f *field) sameMessages(have *list, whole []byte, n int) bool {
	if have.len != n {
		return false
	}
	size := f.elem.Size()
	for i := range n {
		var data []byte
		data, whole = next(whole)
		if !f.sub.sameMessage(unsafe.Add(have.array, uintptr(i)*size), data) {
			return false
		}
	}
	return true
}

func sameMap[V any](have map[string]V, whole []byte, n int, same func(have V, b []byte) bool) bool {
	if have == nil || len(have) != n {
		return false
	}
	for range n {
		var entry []byte
		entry, whole = next(whole)
		key, value, ok := entryOf(entry)
		if !ok {
			return false
		}
		v, ok := have[string(key)]
		if !ok || !same(v, value) {
			return false
		}
	}
	return true
}
