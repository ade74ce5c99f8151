// Package mutate writes to objects at random places, for tests of what becomes of programs that do so.
//
//   - [Object] writes to an object.
//   - [Shared] tells what two objects have in common in memory.
package mutate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// place is something in an object that can be written to.
type place struct {
	path  string
	write func()
}

// Object writes to one place of an object, and returns which: somewhere in the struct or the map that it points to, or in what
// that has pointers to. The text of managed fields is left alone: programs replace it, but do not write to it.
func Object(r *rand.Rand, obj any) string {
	var places []place
	collect("", reflect.ValueOf(obj), func(p place) { places = append(places, p) })
	if len(places) == 0 {
		return ""
	}
	p := places[r.IntN(len(places))]
	p.write()
	return p.path
}

var (
	fieldsType   = reflect.TypeFor[metav1.FieldsV1]()
	quantityType = reflect.TypeFor[resource.Quantity]()
)

// managed is the name of the text of managed fields in an object without a Go type.
const managed = ".fieldsV1"

func collect(path string, v reflect.Value, add func(place)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			collect(path, v.Elem(), add)
		}
	case reflect.Interface:
		if !v.IsNil() {
			collect(path, v.Elem(), add)
		}
	case reflect.Struct:
		if v.Type() == fieldsType {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				collect(strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), v.Field(i), add)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			collect(fmt.Sprintf("%s[%d]", path, i), v.Index(i), add)
		}
	case reflect.Map:
		if strings.HasSuffix(path, managed) {
			return
		}
		collectMap(path, v, add)
	}
	if v.CanSet() {
		if w := other(v); w.IsValid() {
			add(place{path, func() { v.Set(w) }})
		}
	}
}

func collectMap(path string, v reflect.Value, add func(place)) {
	if v.IsNil() {
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		at := fmt.Sprintf("%s.%v", path, key)
		elem := v.MapIndex(key)
		collect(at, elem, add) // what it points to
		add(place{at, func() { v.SetMapIndex(key, reflect.Value{}) }})
	}
	if key := reflect.ValueOf("written").Convert(v.Type().Key()); !v.MapIndex(key).IsValid() {
		elem := reflect.Zero(v.Type().Elem())
		if elem.Kind() == reflect.Interface {
			elem = reflect.ValueOf("written")
		}
		add(place{path + ".written", func() { v.SetMapIndex(key, elem) }})
	}
}

// other is a value that differs, of the same type.
func other(v reflect.Value) reflect.Value {
	w := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		w.SetString(v.String() + " written")
	case reflect.Bool:
		w.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.SetInt(v.Int() + 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.SetUint(v.Uint() + 1)
	case reflect.Float64, reflect.Float32:
		w.SetFloat(v.Float() + 1)
	case reflect.Pointer:
		if v.IsNil() {
			w.Set(reflect.New(v.Type().Elem()))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			w.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
	case reflect.Map:
		if v.Len() == 0 {
			w.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Interface:
		if v.NumMethod() > 0 {
			return reflect.Value{}
		}
		w.Set(reflect.ValueOf("written"))
	case reflect.Struct:
		if v.Type() == quantityType {
			w.Set(reflect.ValueOf(resource.MustParse("77")))
			return w
		}
		return reflect.Value{}
	default:
		return reflect.Value{}
	}
	return w
}

// Shared returns the path of something that can be written to and that both objects have, or nothing. They are alike.
func Shared(a, b any) string {
	places := map[uintptr]string{}
	memory("", reflect.ValueOf(a), func(path string, at uintptr) bool { places[at] = path; return true })
	found := ""
	memory("", reflect.ValueOf(b), func(path string, at uintptr) bool {
		if places[at] != "" {
			found = path
		}
		return found == ""
	})
	return found
}

// memory visits what an object has pointers to, as long as visit returns true.
func memory(path string, v reflect.Value, visit func(path string, at uintptr) bool) bool {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().Size() == 0 {
			return true
		}
		return visit(path+".", v.Pointer()) && memory(path, v.Elem(), visit)
	case reflect.Interface:
		return v.IsNil() || memory(path, v.Elem(), visit)
	case reflect.Struct:
		if v.Type() == fieldsType || v.Type() == reflect.TypeFor[metav1.Time]() || v.Type() == reflect.TypeFor[metav1.MicroTime]() {
			return true // text, and a time zone
		}
		for i := range v.NumField() {
			if !memory(path+"."+v.Type().Field(i).Name, v.Field(i), visit) {
				return false
			}
		}
	case reflect.Slice:
		if v.Len() == 0 || v.Type().Elem().Size() == 0 {
			return true
		}
		if !visit(path, v.Pointer()) {
			return false
		}
		for i := range v.Len() {
			if !memory(fmt.Sprintf("%s[%d]", path, i), v.Index(i), visit) {
				return false
			}
		}
	case reflect.Map:
		if v.IsNil() || strings.HasSuffix(path, managed) {
			return true
		}
		if !visit(path, v.Pointer()) {
			return false
		}
		for it := v.MapRange(); it.Next(); {
			if !memory(fmt.Sprintf("%s.%v", path, it.Key()), it.Value(), visit) {
				return false
			}
		}
	}
	return true
}
