package jsoncheck

import (
	"reflect"
	"slices"
	"strings"
)

// goField is a field as the decoder sees it.
type goField struct {
	name   string
	typ    reflect.Type
	tagged bool // it has its name from a tag
	depth  int  // how many structs it is embedded in
}

// fieldsOf finds the fields of a struct and of what is embedded in it, in the order in which they are written. It returns false
// if something about them is unusual: there is no need to know all rules about those that hide each other.
func fieldsOf(t reflect.Type) ([]goField, bool) {
	w := walk{seen: map[reflect.Type]bool{}}
	if !w.add(t, 0) {
		return nil, false
	}
	return w.visible()
}

type walk struct {
	seen   map[reflect.Type]bool
	fields []goField
}

func (w *walk) add(t reflect.Type, depth int) bool {
	if w.seen[t] {
		return false
	}
	w.seen[t] = true
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		if !sf.IsExported() && !sf.Anonymous || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		typ := sf.Type
		if typ.Kind() == reflect.Pointer && typ.Name() == "" {
			typ = typ.Elem()
		}
		if !sf.IsExported() {
			if typ.Kind() != reflect.Struct {
				continue
			}
			if name != "" || sf.Type.Kind() == reflect.Pointer {
				return false
			}
		}
		if name == "" && sf.Anonymous && typ.Kind() == reflect.Struct {
			if !w.add(typ, depth+1) {
				return false
			}
			continue
		}
		f := goField{name: name, typ: sf.Type, tagged: name != "", depth: depth}
		if name == "" {
			f.name = sf.Name
		}
		if !isPlainName(f.name) || slices.Contains(strings.Split(options, ","), "string") {
			return false
		}
		w.fields = append(w.fields, f)
	}
	return true
}

// isPlainName reports whether a name is one in a tag, and is written as it is.
func isPlainName(name string) bool {
	for _, c := range []byte(name) {
		if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'z') && !strings.ContainsRune("-_./$", rune(c)) {
			return false
		}
	}
	return true
}

// visible are the fields that are not hidden by one of the same name that is embedded less deep, or that alone has its name from
// a tag.
func (w *walk) visible() ([]goField, bool) {
	best := map[string]goField{}
	ties := map[string]bool{}
	for _, f := range w.fields {
		b, ok := best[f.name]
		switch {
		case !ok || f.depth < b.depth || f.depth == b.depth && f.tagged && !b.tagged:
			best[f.name] = f
			delete(ties, f.name)
		case f.depth == b.depth && f.tagged == b.tagged:
			ties[f.name] = true
		}
	}
	if len(ties) > 0 {
		return nil, false
	}
	return slices.DeleteFunc(w.fields, func(f goField) bool { return best[f.name] != f }), true
}
