package wirefilter

import (
	"reflect"
	"strconv"
	"strings"
)

// compiler compiles trees to nodes. Only the types along a path are examined, so recursive types are not a problem.
type compiler struct{ wire bool } // whether there is a protobuf form

// step compiles a field of a type.
func (c compiler) step(typ reflect.Type, t *tree) step {
	if t.do != enter {
		return step{do: t.do}
	}
	in, what, _ := inside(typ)
	n := &node{rest: step{do: t.rest}, names: map[string]step{}}
	n.numbers = []wireField{{step: step{do: whole}}} // until it is known to be a message
	switch what {
	case object:
		c.object(n, in, t)
	case mapping:
		c.mapping(n, in, t)
	default:
		for name, sub := range t.names {
			n.names[name] = c.step(nil, sub)
		}
	}
	n.finish()
	return step{do: enter, into: n}
}

func (c compiler) mapping(n *node, in reflect.Type, t *tree) {
	if t.each != nil {
		n.rest = c.step(in.Elem(), t.each)
	}
	for key, sub := range t.keys {
		n.names[key] = c.step(in.Elem(), merged(sub, t.each))
	}
}

// assignment is a step for a field of a struct, perhaps through others that are inline.
type assignment struct {
	index []int
	step
}

func (c compiler) object(n *node, in reflect.Type, t *tree) {
	fields := fieldsOf(in)
	var all []assignment
	for name, sub := range t.names {
		f := fields[name]
		s := c.step(f.typ, sub)
		n.names[name] = s
		all = append(all, assignment{f.index, s})
	}
	c.fill(n, in, all)
}

// fill makes the views of a struct by numbers and by indexes.
func (c compiler) fill(n *node, in reflect.Type, all []assignment) {
	n.fields = make([]step, in.NumField())
	n.numbers = []wireField{{step: step{do: n.rest.do}}}
	for i := range in.NumField() {
		sf := in.Field(i)
		n.fields[i] = c.field(n, sf, i, all)
		if c.wire {
			n.number(sf, n.fields[i])
		}
	}
}

// field is the step for a field of a struct in Go.
func (c compiler) field(n *node, sf reflect.StructField, i int, all []assignment) step {
	var inner []assignment
	for _, a := range all {
		switch {
		case a.index[0] != i:
		case len(a.index) == 1:
			return a.step
		default:
			inner = append(inner, assignment{a.index[1:], a.step})
		}
	}
	in := sf.Type
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	// A struct that is embedded and not exported cannot be set as a whole, but its fields can.
	if locked := sf.Anonymous && !sf.IsExported() && sf.Type.Kind() == reflect.Struct; inner == nil && !locked {
		return step{do: n.rest.do}
	}
	inline := &node{rest: n.rest, inline: true}
	c.fill(inline, in, inner)
	return step{do: enter, into: inline}
}

// mostFields is the highest number of a field that is known. Larger ones are treated as unknown.
const mostFields = 4096

// number files a field under its number on the wire, if it has one.
func (n *node) number(sf reflect.StructField, s step) {
	parts := strings.Split(sf.Tag.Get("protobuf"), ",") // such as bytes,2,opt,name=spec
	if len(parts) < 2 {
		return
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil || number <= 0 || number > mostFields {
		return
	}
	for len(n.numbers) <= number {
		n.numbers = append(n.numbers, wireField{step: step{do: n.rest.do}})
	}
	types, entries := wireTypes(sf.Type)
	n.numbers[number] = wireField{step: s, types: types, entries: entries}
}

// wireTypes are the wire types that a field of a Go type may have. The tag says it as well, but is wrong in some types, and
// decoders go by the Go type.
func wireTypes(t reflect.Type) (types uint8, entries bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(wireReader) {
		return 1 << typeBytes, false
	}
	switch t.Kind() {
	case reflect.Map:
		return 1 << typeBytes, true
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return 1 << typeBytes, false
		}
		types, _ := wireTypes(t.Elem())
		return types | 1<<typeBytes, false // numbers may be packed
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return 1 << typeVarint, false
	case reflect.Float64:
		return 1 << typeFixed64, false
	case reflect.Float32:
		return 1 << typeFixed32, false
	}
	return 1 << typeBytes, false
}
