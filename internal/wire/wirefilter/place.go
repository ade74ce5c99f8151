package wirefilter

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// place is where a path has come to in a type.
type place struct {
	kind string // the plural of the kind, for errors
	root reflect.Type
	typ  reflect.Type // nil if the type is not known, so that everything is allowed
	path string       // how one came here
}

// sort is what a type is for a path.
type sort uint8

const (
	scalar  sort = iota // nothing is in it that a path could name
	object              // a struct
	mapping             // a map with text as keys
	dynamic             // anything
)

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
	wireReader = reflect.TypeFor[interface{ Unmarshal([]byte) error }]()
)

// inside takes pointers and lists off a type, and says what is left.
func inside(t reflect.Type) (in reflect.Type, what sort, list bool) {
	for t != nil {
		p := reflect.PointerTo(t)
		if p.Implements(jsonReader) || p.Implements(textReader) || p.Implements(wireReader) && t.Kind() != reflect.Struct {
			return t, scalar, list // only it knows what is in it: a Time, a Quantity, a list that is a message on the wire
		}
		switch t.Kind() {
		case reflect.Pointer:
		case reflect.Slice, reflect.Array:
			if t.Elem().Kind() == reflect.Uint8 {
				return t, scalar, list
			}
			list = true
		case reflect.Struct:
			return t, object, list
		case reflect.Map:
			if t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textReader) {
				return t, scalar, list
			}
			return t, mapping, list
		case reflect.Interface:
			return nil, dynamic, list
		default:
			return t, scalar, list
		}
		t = t.Elem()
	}
	return nil, dynamic, list
}

// step goes on by a part of a path, in the type and in the tree alike.
func (p *place) step(t *tree, next part, path string, rest deed) (*tree, *place, error) {
	typ, what, list := inside(p.typ)
	to := &place{kind: p.kind, root: p.root, path: path[:next.end]}
	switch {
	case what == dynamic:
		return child(&t.names, next.name, rest), to, nil
	case next.key && what == mapping:
		to.typ = typ.Elem()
		return child(&t.keys, next.name, rest), to, nil
	case next.key:
		return nil, nil, p.notMap(next.name, what, list)
	case what == object:
		f, ok := fieldsOf(typ)[next.name]
		if !ok {
			return nil, nil, p.unknown(typ, next.name, path[next.end:])
		}
		to.typ = f.typ
		return child(&t.names, next.name, rest), to, nil
	case what == mapping:
		if _, inner, _ := inside(typ.Elem()); inner == scalar {
			return nil, nil, fmt.Errorf("%s of %s is a map; to name one of its keys write %s[%s]", p.path, p.kind, p.path, path[next.end-len(next.name):])
		}
		if t.each == nil {
			t.each = &tree{do: enter, rest: rest}
		}
		each := &place{kind: p.kind, root: p.root, typ: typ.Elem(), path: p.path}
		return each.step(t.each, next, path, rest)
	}
	return nil, nil, fmt.Errorf("%s of %s has no fields, so there is no %s", p.path, p.kind, path)
}

func (p *place) notMap(key string, what sort, list bool) error {
	where := p.path
	if where == "" {
		return fmt.Errorf("%s are not a map, so there is no key [%s]", p.kind, key)
	}
	if list {
		hint := ""
		if what == object {
			hint = fmt.Sprintf("; a path goes through all its elements, as in %s.name", where)
		}
		return fmt.Errorf("%s of %s is a list and not a map, so there is no [%s]%s", where, p.kind, key, hint)
	}
	return fmt.Errorf("%s of %s is not a map, so there is no key [%s]", where, p.kind, key)
}

// field is a member that a struct has in JSON.
type field struct {
	index []int // in Go, through the structs that are inline
	typ   reflect.Type
}

// fieldsOf finds the members of a struct by their names in JSON, as a decoder does: those of embedded structs belong to the
// struct around them, and of two with one name that is seen which is less deep.
func fieldsOf(t reflect.Type) map[string]field {
	out := map[string]field{}
	type level struct {
		typ   reflect.Type
		index []int
	}
	seen := map[reflect.Type]bool{}
	for todo := []level{{typ: t}}; len(todo) > 0; {
		var deeper []level
		found := map[string][]field{}
		for _, l := range todo {
			if seen[l.typ] {
				continue
			}
			seen[l.typ] = true
			for i := range l.typ.NumField() {
				sf := l.typ.Field(i)
				index := append(append([]int(nil), l.index...), i)
				switch name, in := jsonName(sf); {
				case in != nil:
					deeper = append(deeper, level{in, index})
				case name != "":
					found[name] = append(found[name], field{index, sf.Type})
				}
			}
		}
		for name, fields := range found {
			if _, ok := out[name]; !ok {
				out[name] = fields[0]
				if len(fields) > 1 {
					out[name] = field{} // a decoder cannot decide, and takes none
				}
			}
		}
		todo = deeper
	}
	for name, f := range out {
		if f.index == nil {
			delete(out, name)
		}
	}
	return out
}

// jsonName is the name of a field, or the struct whose fields are inline, or neither for what JSON does not show.
func jsonName(sf reflect.StructField) (name string, inline reflect.Type) {
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return "", nil
	}
	name, _, _ = strings.Cut(tag, ",")
	if sf.Anonymous && name == "" {
		in := sf.Type
		if in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
		if in.Kind() == reflect.Struct {
			return "", in
		}
	}
	if !sf.IsExported() {
		return "", nil
	}
	if name == "" {
		name = sf.Name
	}
	return name, nil
}
