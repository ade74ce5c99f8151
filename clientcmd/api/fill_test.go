package api

import (
	"fmt"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// fill sets every field of v to something that is not zero, each string to another one that begins with mark.
func fill(t *testing.T, v reflect.Value, mark string, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint(mark, *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(mark[*n%len(mark)]))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), mark, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			fill(t, v.Index(i), mark, n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, mark, n)
		fill(t, value, mark, n)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field, mark, n)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(&runtime.Unknown{Raw: fmt.Appendf(nil, "%q", mark), ContentType: runtime.ContentTypeJSON}))
	default:
		t.Fatalf("fill does not know %v: teach it", v.Type())
	}
}

func filled[T any](t *testing.T, mark string) *T {
	v, n := new(T), 0
	fill(t, reflect.ValueOf(v).Elem(), mark, &n)
	return v
}
