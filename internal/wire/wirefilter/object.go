package wirefilter

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object filters an object that is decoded, in place: it is left as if its bytes had been filtered first. obj is a pointer to
// the type of the filter, or an *unstructured.Unstructured. The caller must not share any part of it.
func (f *Filter) Object(obj any) error {
	if u, ok := obj.(*unstructured.Unstructured); ok && u != nil {
		f.root.dynamic(u.Object)
		return nil
	}
	v := reflect.ValueOf(obj)
	if f.typ == nil || !v.IsValid() || v.Type() != reflect.PointerTo(f.typ) {
		return fmt.Errorf("a filter for %s cannot filter a %T", f.describe(), obj)
	}
	if v.IsNil() {
		return fmt.Errorf("a filter for %s cannot filter a nil pointer", f.describe())
	}
	f.root.value(v.Elem())
	return nil
}

// dynamic filters what a decoder makes of JSON without a type.
func (n *node) dynamic(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			switch s := n.member([]byte(name)); s.do {
			case omit:
				delete(v, name)
			case enter:
				s.into.dynamic(member)
			}
		}
	case []any:
		for _, element := range v {
			n.dynamic(element)
		}
	}
}

func (n *node) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			n.dynamic(v.Interface())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			n.value(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			n.value(v.Index(i))
		}
	case reflect.Map:
		n.mapping(v)
	case reflect.Struct:
		n.object(v)
	}
}

func (n *node) mapping(v reflect.Value) {
	for it := v.MapRange(); it.Next(); {
		switch s := n.member([]byte(it.Key().String())); s.do {
		case omit:
			v.SetMapIndex(it.Key(), reflect.Value{})
		case enter:
			value := reflect.New(it.Value().Type()).Elem() // what is in a map cannot be changed there
			value.Set(it.Value())
			s.into.value(value)
			v.SetMapIndex(it.Key(), value)
		}
	}
}

func (n *node) object(v reflect.Value) {
	for i, s := range n.fields {
		f := v.Field(i)
		switch {
		case s.do == enter:
			s.into.value(f)
			// Decoders of JSON make a struct that is inline only when one of its fields comes.
			if s.into.inline && f.Kind() == reflect.Pointer && f.CanSet() && !f.IsNil() && f.Elem().IsZero() {
				f.SetZero()
			}
		case s.do == omit && f.CanSet():
			f.SetZero()
		}
	}
}
