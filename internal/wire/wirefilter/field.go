package wirefilter

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field reads the values of one field from decoded objects of one kind. It does not change, and can be used by many at once.
type Field struct {
	parts []part
	steps []valueStep // of a Go type
	typ   reflect.Type
	// one says that the path is not known to lead through a list or a map.
	one bool
}

// valueStep is a part of a path in a Go type.
type valueStep struct {
	index []int  // of a field of a struct
	key   string // of a map, if index is nil
	each  bool   // all values of a map
}

// NewField returns a reader of the values of a field. example is a pointer to the Go type of the objects, or an *unstructured.Unstructured.
// A field that has other fields in it is an error.
func NewField(example any, path string) (*Field, error) {
	filter, err := Keep(example, path) // which checks the path
	if err != nil {
		return nil, err
	}
	f := &Field{typ: filter.typ}
	f.parts, _ = parse(path)
	f.one = !slices.ContainsFunc(f.parts, func(p part) bool { return p.key })
	at := f.typ
	for i := 0; i < len(f.parts) && at != nil; i++ {
		in, what, list := inside(at)
		p := f.parts[i]
		f.one = f.one && !list && what != mapping
		switch {
		case what == dynamic:
			return nil, fmt.Errorf("%s of %s leads through a field of any type", path, filter.describe())
		case what == object:
			field := fieldsOf(in)[p.name]
			f.steps, at = append(f.steps, valueStep{index: field.index}), field.typ
		case p.key:
			f.steps, at = append(f.steps, valueStep{key: p.name}), in.Elem()
		default:
			f.steps, at = append(f.steps, valueStep{each: true}), in.Elem()
			i-- // the part is of the values
		}
	}
	_, what, list := inside(at)
	f.one = f.one && !list
	if at != nil && what != scalar {
		return nil, fmt.Errorf("%s of %s has fields in it; name one of them", path, filter.describe())
	}
	return f, nil
}

// Values returns the values of the field: texts as they are, numbers and booleans as in JSON. An object without the field has the value "",
// unless the path leads through a list or a map, of which each element with the field has a value. Without a Go type, a list that is missing
// is not known to be one, so that the value is "", too.
func (f *Field) Values(obj any) (values []string, err error) {
	one := f.one
	v := reflect.ValueOf(obj)
	u, ok := obj.(interface{ UnstructuredContent() map[string]any })
	switch {
	case f.typ == nil && ok:
		values, one = dynamicValues(nil, u.UnstructuredContent(), f.parts, one)
	case f.typ == nil || !v.IsValid() || v.Type() != reflect.PointerTo(f.typ) || v.IsNil():
		return nil, fmt.Errorf("cannot read a field of a %T", obj)
	default:
		values = typedValues(nil, v, f.steps)
	}
	if one && len(values) == 0 {
		values = []string{""}
	}
	return values, nil
}

// dynamicValues appends the values in what a decoder makes of JSON without a type. The result has one set to false if there was a list.
func dynamicValues(out []string, v any, parts []part, one bool) ([]string, bool) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			out, _ = dynamicValues(out, element, parts, false)
		}
		return out, false
	case map[string]any:
		if len(parts) > 0 {
			return dynamicValues(out, v[parts[0].name], parts[1:], one)
		}
	case nil:
	default:
		if len(parts) == 0 {
			out = append(out, jsonText(v))
		}
	}
	return out, one
}

func typedValues(out []string, v reflect.Value, steps []valueStep) []string {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return out
		}
		v = v.Elem()
	}
	if len(steps) == 0 {
		if _, _, list := inside(v.Type()); !list {
			return append(out, scalarText(v))
		}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = typedValues(out, v.Index(i), steps)
		}
	case reflect.Map:
		if steps[0].each {
			for it := v.MapRange(); it.Next(); {
				out = typedValues(out, it.Value(), steps[1:])
			}
		} else if value := v.MapIndex(reflect.ValueOf(steps[0].key).Convert(v.Type().Key())); value.IsValid() {
			out = typedValues(out, value, steps[1:])
		}
	case reflect.Struct:
		for _, i := range steps[0].index {
			for v.Kind() == reflect.Pointer { // a struct that is inline
				if v.IsNil() {
					return out
				}
				v = v.Elem()
			}
			v = v.Field(i)
		}
		out = typedValues(out, v, steps[1:])
	}
	return out
}

func scalarText(v reflect.Value) string {
	if p := reflect.PointerTo(v.Type()); !p.Implements(jsonReader) && !p.Implements(textReader) {
		switch v.Kind() {
		case reflect.String:
			return v.String()
		case reflect.Bool:
			return strconv.FormatBool(v.Bool())
		case reflect.Int, reflect.Int32, reflect.Int64:
			return strconv.FormatInt(v.Int(), 10)
		}
	}
	return jsonText(v.Interface())
}

// jsonText returns a value as in JSON, a text without quotes.
func jsonText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	var text string
	if strings.HasPrefix(string(data), `"`) && json.Unmarshal(data, &text) == nil {
		return text
	}
	if string(data) == "null" {
		return ""
	}
	return string(data)
}
