package protoread

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// decoder reads one object.
type decoder struct {
	shares  *Shares // nil if nothing is shared
	judging bool
	text    text

	// What follows is for a trace: the object as it was before, or nil, and what is decoded now, if it was by plan.
	tracing          bool
	last, decoded    unsafe.Pointer
	lastParts, parts [mostTraced]hashes
}

// Decode reads a message into a new value of the plan's type, and returns the pointer to it. What it has in common with others
// comes from shares, which may be nil. It keeps nothing of data.
func (p *Plan) Decode(data []byte, shares *Shares) (any, error) {
	d := decoder{shares: shares, judging: shares.judging()}
	return d.decode(p, data)
}

func (d *decoder) decode(p *Plan, data []byte) (any, error) {
	value := reflect.New(p.root.typ)
	if d.message(p.root, value.UnsafePointer(), data) == nil {
		d.decoded = value.UnsafePointer()
		return value.Interface(), nil
	}
	value.Elem().SetZero()
	obj := value.Interface()
	if err := obj.(unmarshaler).Unmarshal(data); err != nil {
		return nil, err
	}
	p.root.forget(value.Elem())
	return obj, nil
}

// forget clears the fields that were dropped, in a value that was read by other means.
func (m *message) forget(v reflect.Value) {
	for _, f := range m.fields {
		switch {
		case f == nil:
		case f.drop:
			v.FieldByName(f.name).SetZero()
		case f.shape == shapeMessage && !f.sub.own:
			f.sub.forget(v.FieldByName(f.name))
		}
	}
}

func (d *decoder) message(m *message, at unsafe.Pointer, b []byte) error {
	for len(b) > 0 {
		number, wire, rest, ok := tag(b)
		if !ok {
			return errUnusual
		}
		if number >= uint64(len(m.fields)) || m.fields[number] == nil {
			if b, ok = skip(rest, wire); !ok {
				return errUnusual
			}
			continue
		}
		f := m.fields[number]
		if f.shape.isVarint() {
			v, behind, ok := varint(rest)
			if !ok || wire != wireVarint {
				return errUnusual
			}
			b = behind
			if !f.drop {
				f.setNumber(at, v)
			}
			continue
		}
		data, behind, ok := chunk(rest)
		if !ok || wire != wireBytes {
			return errUnusual
		}
		n := 1
		if f.shape.isList() {
			if n, behind, ok = run(behind, number); !ok {
				return errUnusual
			}
		}
		whole := b[:len(b)-len(behind)]
		b = behind
		if f.drop {
			continue
		}
		var err error
		if f.traced > 0 && d.tracing {
			err = d.tracedField(f, f.at(at), data, whole, n)
		} else {
			err = d.field(f, f.at(at), data, whole, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *field) setNumber(base unsafe.Pointer, v uint64) {
	at := f.at(base)
	switch f.shape {
	case shapeBool:
		*(*bool)(at) = v != 0
	case shapeBoolPtr:
		b := v != 0
		*(**bool)(at) = &b
	case shapeInt32:
		*(*int32)(at) = int32(v)
	case shapeInt32Ptr:
		n := int32(v)
		*(**int32)(at) = &n
	case shapeInt64:
		*(*int64)(at) = int64(v)
	case shapeInt64Ptr:
		n := int64(v)
		*(**int64)(at) = &n
	case shapeInt32s: // each has a tag of its own
		*(*[]int32)(at) = append(*(*[]int32)(at), int32(v))
	case shapeInt64s:
		*(*[]int64)(at) = append(*(*[]int64)(at), int64(v))
	}
}

// field reads what has a length. data is the first chunk, and whole all n of them with their tags.
func (d *decoder) field(f *field, at unsafe.Pointer, data, whole []byte, n int) error {
	switch f.shape {
	case shapeString:
		*(*string)(at) = d.string(f, data)
		return nil
	case shapeStringPtr:
		s := d.string(f, data)
		*(**string)(at) = &s
		return nil
	case shapeBytes:
		*(*[]byte)(at) = append(make([]byte, 0, len(data)), data...)
		return nil
	case shapeMessage:
		if f.sub.own {
			return unmarshal(f.sub.typ, at, data)
		}
		return d.message(f.sub, at, data)
	}
	if *(*unsafe.Pointer)(at) != nil { // a pointer, a map, or the array of a list
		return errUnusual // it has come before
	}
	if !d.shares.worthLooking(f, whole, d.judging) {
		return d.build(f, at, data, whole, n)
	}
	known, slot := d.shares.find(f, whole, d.judging)
	if known != nil {
		f.set(at, known, n)
		return nil
	}
	if err := d.build(f, at, data, whole, n); err != nil {
		return err
	}
	slot.keep(*(*unsafe.Pointer)(at))
	return nil
}

// list is a slice in memory.
type list struct {
	array    unsafe.Pointer
	len, cap int
}

// set makes a field that is shared what another object has there.
func (f *field) set(at, p unsafe.Pointer, n int) {
	if f.shape == shapeStrings || f.shape == shapeMessages {
		*(*list)(at) = list{p, n, n}
		return
	}
	*(*unsafe.Pointer)(at) = p
}

func (d *decoder) build(f *field, at unsafe.Pointer, data, whole []byte, n int) error {
	switch f.shape {
	case shapeMessagePtr:
		p := reflect.New(f.elem).UnsafePointer()
		*(*unsafe.Pointer)(at) = p
		if f.sub.own {
			return unmarshal(f.elem, p, data)
		}
		return d.message(f.sub, p, data)
	case shapeStrings:
		out := make([]string, n)
		for i := range out {
			data, whole = next(whole)
			out[i] = d.string(f, data)
		}
		*(*[]string)(at) = out
	case shapeMessages:
		return d.messages(f, at, whole, n)
	case shapeStringMap:
		return buildMap(d, f, (*map[string]string)(at), whole, n, func(b []byte) (string, error) { return d.string(f, b), nil })
	case shapeBytesMap:
		return buildMap(d, f, (*map[string][]byte)(at), whole, n, func(b []byte) ([]byte, error) {
			return append(make([]byte, 0, len(b)), b...), nil
		})
	case shapeQuantityMap:
		return buildMap(d, f, (*map[string]resource.Quantity)(at), whole, n, readQuantity)
	}
	return nil
}

func readQuantity(b []byte) (q resource.Quantity, err error) {
	err = q.Unmarshal(b)
	return q, err
}

// next takes the first chunk off several that were seen to be right.
func next(whole []byte) (data, rest []byte) {
	_, _, rest, _ = tag(whole)
	data, rest, _ = chunk(rest)
	return data, rest
}

func (d *decoder) messages(f *field, at unsafe.Pointer, whole []byte, n int) error {
	array, size := f.array(n), f.elem.Size()
	*(*list)(at) = list{array, n, n}
	for i := range n {
		p := unsafe.Add(array, uintptr(i)*size)
		var data []byte
		data, whole = next(whole)
		var err error
		if f.sub.own {
			err = unmarshal(f.elem, p, data)
		} else {
			err = d.message(f.sub, p, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// array makes room for n elements of a list.
func (f *field) array(n int) unsafe.Pointer {
	if n < len(f.arrays) {
		return reflect.New(f.arrays[n]).UnsafePointer()
	}
	return reflect.MakeSlice(f.typ, n, n).UnsafePointer()
}

// buildMap reads entries, which are messages with the key in field 1 and the value in field 2.
func buildMap[V any](d *decoder, f *field, at *map[string]V, whole []byte, n int, read func([]byte) (V, error)) error {
	m := make(map[string]V, n)
	for range n {
		var entry []byte
		entry, whole = next(whole)
		key, value, ok := entryOf(entry)
		if !ok {
			return errUnusual
		}
		v, err := read(value)
		if err != nil {
			return err
		}
		m[d.string(f, key)] = v
	}
	*at = m
	return nil
}

// entryOf reads an entry that has a key and a value, in this order, and nothing else.
func entryOf(b []byte) (key, value []byte, ok bool) {
	if len(b) == 0 || b[0] != 1<<3|wireBytes {
		return nil, nil, false
	}
	key, b, ok = chunk(b[1:])
	if !ok || len(b) == 0 || b[0] != 2<<3|wireBytes {
		return nil, nil, false
	}
	value, b, ok = chunk(b[1:])
	return key, value, ok && len(b) == 0
}
