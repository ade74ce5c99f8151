package trim

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Same reports whether two objects are certainly equal. What is in interfaces, or in fields that are not exported, is not looked at,
// and neither are quantities that methods may write to at the same time: objects with one of these are never the same.
func (p *Plan) Same(a, b any) bool {
	if reflect.TypeOf(a) != p.typ || reflect.TypeOf(b) != p.typ {
		return false
	}
	return p.root.same(reflect.ValueOf(a).UnsafePointer(), reflect.ValueOf(b).UnsafePointer())
}

func (n *node) same(a, b unsafe.Pointer) bool {
	if a == b && n.kind != kindOpaque {
		return true
	}
	switch n.kind {
	case kindPlain:
		return reflect.NewAt(n.typ, a).Elem().Equal(reflect.NewAt(n.typ, b).Elem())
	case kindString:
		return *(*string)(a) == *(*string)(b)
	case kindBytes, kindManaged:
		x, y := *(*[]byte)(a), *(*[]byte)(b)
		return (x == nil) == (y == nil) && string(x) == string(y)
	case kindStruct:
		for i := range n.fields {
			if f := &n.fields[i]; !f.node.same(unsafe.Add(a, f.offset), unsafe.Add(b, f.offset)) {
				return false
			}
		}
		return true
	case kindPointer:
		x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if x == nil || y == nil {
			return x == y
		}
		return n.elem.same(x, y)
	case kindList:
		return n.sameLists((*list)(a), (*list)(b))
	case kindStrings:
		return sameStrings(*(*map[string]string)(a), *(*map[string]string)(b))
	case kindQuantities:
		return sameQuantities(*(*map[string]resource.Quantity)(a), *(*map[string]resource.Quantity)(b))
	case kindMap:
		return n.sameMaps(reflect.NewAt(n.typ, a).Elem(), reflect.NewAt(n.typ, b).Elem())
	}
	// It is not known how to compare it. Nothing is equal to nothing.
	if k := n.typ.Kind(); k == reflect.Interface || k == reflect.Map {
		return reflect.NewAt(n.typ, a).Elem().IsNil() && reflect.NewAt(n.typ, b).Elem().IsNil()
	}
	return false
}

func (n *node) sameLists(a, b *list) bool {
	if a.len != b.len || (a.array == nil) != (b.array == nil) {
		return false
	}
	size := n.typ.Elem().Size()
	for i := range a.len {
		if !n.elem.same(unsafe.Add(a.array, uintptr(i)*size), unsafe.Add(b.array, uintptr(i)*size)) {
			return false
		}
	}
	return true
}

func sameStrings(a, b map[string]string) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || value != other {
			return false
		}
	}
	return true
}

func (n *node) sameMaps(a, b reflect.Value) bool {
	if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
		return false
	}
	for it := a.MapRange(); it.Next(); {
		other := b.MapIndex(it.Key())
		if !other.IsValid() {
			return false
		}
		x, y := reflect.New(n.typ.Elem()), reflect.New(n.typ.Elem())
		x.Elem().Set(it.Value())
		y.Elem().Set(other)
		if !n.elem.same(x.UnsafePointer(), y.UnsafePointer()) {
			return false
		}
	}
	return true
}
