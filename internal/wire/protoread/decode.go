package protoread

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// decoder reads one object.
type decoder struct {
	shares  *Shares // nil if nothing is shared
	sampled bool
	text    text
	root    *message
	part    part // which part of the object is read
	// maps are the first few maps of quantities of the spec, if the status may have them as well.
	maps    [mostMaps]quantities
	mapping int // how many there are
	// apart counts the parts that no other object may have.
	apart int
}

// Decode reads a message into a new value of the plan's type, and returns the pointer to it. What it has in common with others
// comes from shares, which may be nil. It keeps nothing of data.
func (p *Plan) Decode(data []byte, shares *Shares) (any, error) {
	return p.DecodeNext(data, shares, nil)
}

// DecodeNext is Decode for an object of which an earlier state is there: last points to a value of the plan's type, or is nil. Parts
// of the earlier state that are what data says are taken over, so that both states have them. A part that was written to since it
// was decoded is not what data says, and is decoded anew.
func (p *Plan) DecodeNext(data []byte, shares *Shares, last any) (any, error) {
	d := decoder{shares: shares, sampled: shares.sampled(), root: p.root}
	value := reflect.New(p.root.typ)
	if d.message(p.root, value.UnsafePointer(), p.pointer(last), data) == nil {
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

// pointer is that of an object of the plan's type, and nil for any other.
func (p *Plan) pointer(obj any) unsafe.Pointer {
	v := reflect.ValueOf(obj)
	if v.Kind() != reflect.Pointer || v.Type().Elem() != p.root.typ {
		return nil
	}
	return v.UnsafePointer()
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

// message reads a message. last is the same message of the earlier state, or nil.
func (d *decoder) message(m *message, at, last unsafe.Pointer, b []byte) error {
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
		if m == d.root {
			d.part = f.part
		}
		if f.shape.isVarint() {
			v, behind, ok := varint(rest)
			if !ok || wire != wireVarint {
				return errUnusual
			}
			b = behind
			if !f.drop {
				f.setNumber(at, last, v)
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
		if err := d.field(f, f.at(at), f.in(last), data, whole, n); err != nil {
			return err
		}
	}
	return nil
}

// setNumber sets what is a number, or a pointer to one, which is that of the earlier state if it is equal.
func (f *field) setNumber(base, last unsafe.Pointer, v uint64) {
	at := f.at(base)
	switch f.shape {
	case shapeBool:
		*(*bool)(at) = v != 0
	case shapeBoolPtr:
		setPointer(at, f.in(last), v != 0)
	case shapeInt32:
		*(*int32)(at) = int32(v)
	case shapeInt32Ptr:
		setPointer(at, f.in(last), int32(v))
	case shapeInt64:
		*(*int64)(at) = int64(v)
	case shapeInt64Ptr:
		setPointer(at, f.in(last), int64(v))
	case shapeInt32s: // each has a tag of its own
		*(*[]int32)(at) = append(*(*[]int32)(at), int32(v))
	case shapeInt64s:
		*(*[]int64)(at) = append(*(*[]int64)(at), int64(v))
	}
}

func setPointer[T comparable](at, last unsafe.Pointer, v T) {
	if last != nil {
		if p := *(**T)(last); p != nil && *p == v {
			*(**T)(at) = p
			return
		}
	}
	p := new(T) // and not &v, for which there would be room made above as well
	*p = v
	*(**T)(at) = p
}

// field reads what has a length. data is the first chunk, and whole all n of them with their tags. last is the field of the
// earlier state, or nil.
func (d *decoder) field(f *field, at, last unsafe.Pointer, data, whole []byte, n int) error {
	switch f.shape {
	case shapeString:
		*(*string)(at) = d.string(f, (*string)(last), data)
		return nil
	case shapeStringPtr:
		if last != nil && f.same(last, data, whole, n) {
			*(**string)(at) = *(**string)(last)
			return nil
		}
		s := d.string(f, nil, data)
		*(**string)(at) = &s
		return nil
	case shapeBytes:
		*(*[]byte)(at) = d.bytes(f, (*[]byte)(last), data)
		return nil
	case shapeMessage:
		if f.sub.own {
			d.note(f.sub)
			return unmarshal(f.sub.typ, at, data)
		}
		return d.message(f.sub, at, last, data)
	}
	if *(*unsafe.Pointer)(at) != nil { // a pointer, a map, or the array of a list
		return errUnusual // it has come before
	}
	if last != nil && f.same(last, data, whole, n) {
		f.set(at, *(*unsafe.Pointer)(last), n)
		if f.shape == shapeQuantityMap {
			d.rememberQuantities(f, at, whole)
		}
		return nil
	}
	if !d.shares.shouldLookUp(f, whole, d.sampled) {
		return d.build(f, at, last, data, whole, n)
	}
	known, slot := d.shares.find(f, data, whole, n, d.sampled)
	if known != nil {
		f.set(at, known, n)
		return nil
	}
	apart := d.apart
	if err := d.build(f, at, last, data, whole, n); err != nil {
		return err
	}
	if d.apart == apart {
		slot.keep(*(*unsafe.Pointer)(at))
	}
	return nil
}

// note notes that the object has a part of a type that reads itself. A Quantity writes to itself when it is read (AsDec, Cmp), so no
// other object may have it; of types that are not known the same is assumed.
func (d *decoder) note(m *message) {
	if m.typ != timeType && m.typ != microTimeType {
		d.apart++
	}
}

// list is a slice in memory.
type list struct {
	array    unsafe.Pointer
	len, cap int
}

// set makes a field point to what is there already.
func (f *field) set(at, p unsafe.Pointer, n int) {
	if f.shape == shapeStrings || f.shape == shapeMessages {
		*(*list)(at) = list{p, n, n}
		return
	}
	*(*unsafe.Pointer)(at) = p
}

func (d *decoder) build(f *field, at, last unsafe.Pointer, data, whole []byte, n int) error {
	switch f.shape {
	case shapeMessagePtr:
		p := reflect.New(f.elem).UnsafePointer()
		*(*unsafe.Pointer)(at) = p
		if f.sub.own {
			d.note(f.sub)
			return unmarshal(f.elem, p, data)
		}
		if last != nil {
			last = *(*unsafe.Pointer)(last)
		}
		return d.message(f.sub, p, last, data)
	case shapeStrings:
		out := make([]string, n)
		for i := range out {
			data, whole = next(whole)
			out[i] = d.string(f, nil, data)
		}
		*(*[]string)(at) = out
	case shapeMessages:
		return d.messages(f, at, last, whole, n)
	case shapeStringMap:
		return buildMap(d, f, (*map[string]string)(at), whole, n, func(b []byte) (string, error) { return d.string(f, nil, b), nil })
	case shapeBytesMap:
		return buildMap(d, f, (*map[string][]byte)(at), whole, n, func(b []byte) ([]byte, error) {
			return append(make([]byte, 0, len(b)), b...), nil
		})
	case shapeQuantityMap:
		return d.quantityMap(f, at, whole, n)
	}
	return nil
}

// quantities is a map of quantities, and the entries that it was read from.
type quantities struct {
	field *field
	whole []byte
	m     unsafe.Pointer
}

const mostMaps = 8

// quantityMap reads a map of quantities. One in the status that is equal to one in the spec is that one, unless the object may be
// changed: what a container of a pod requests is in its status twice more, and a map of two quantities takes 690 bytes. A program
// that writes to a map of the spec and then sends the object does not send the change in the status, and the other way round: the
// server takes only one of them from a request. Two maps of the spec are not one.
func (d *decoder) quantityMap(f *field, at unsafe.Pointer, whole []byte, n int) error {
	for _, q := range d.maps[:d.mapping] {
		if d.part == partStatus && q.field.typ == f.typ && sameEntries(q.whole, whole) {
			*(*unsafe.Pointer)(at) = q.m
			return nil
		}
	}
	err := buildMap(d, f, (*map[string]resource.Quantity)(at), whole, n, func(b []byte) (q resource.Quantity, err error) {
		if q, ok := readQuantity(b); ok {
			return q, nil
		}
		d.apart++ // it may be one with a pointer to a number, to which Add of a copy would write
		err = q.Unmarshal(b)
		return q, err
	})
	if err == nil {
		d.rememberQuantities(f, at, whole)
	}
	return err
}

func (d *decoder) rememberQuantities(f *field, at unsafe.Pointer, whole []byte) {
	if d.part == partSpec && d.shares != nil && !d.shares.mutable && d.mapping < mostMaps {
		d.maps[d.mapping] = quantities{f, whole, *(*unsafe.Pointer)(at)}
		d.mapping++
	}
}

// sameEntries reports whether two fields that were seen to be right have equal chunks.
func sameEntries(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		var x, y []byte
		x, a = next(a)
		y, b = next(b)
		if string(x) != string(y) {
			return false
		}
	}
	return len(a) == len(b)
}

// next takes the first chunk off several that were seen to be right.
func next(whole []byte) (data, rest []byte) {
	_, _, rest, _ = tag(whole)
	data, rest, _ = chunk(rest)
	return data, rest
}

func (d *decoder) messages(f *field, at, last unsafe.Pointer, whole []byte, n int) error {
	array, size := f.array(n), f.elem.Size()
	*(*list)(at) = list{array, n, n}
	for i := range n {
		p := unsafe.Add(array, uintptr(i)*size)
		var data []byte
		data, whole = next(whole)
		if f.sub.own {
			d.note(f.sub)
			if err := unmarshal(f.elem, p, data); err != nil {
				return err
			}
			continue
		}
		var before unsafe.Pointer
		if last != nil {
			if was := (*list)(last); i < was.len {
				before = unsafe.Add(was.array, uintptr(i)*size)
			}
		}
		if err := d.message(f.sub, p, before, data); err != nil {
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
		m[d.string(f, nil, key)] = v
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
