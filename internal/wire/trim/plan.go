package trim

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Plan is how objects of a Go type are gone through. It does not change, and can be used by many at once.
type Plan struct {
	typ  reflect.Type
	root *node
	// texts is how many places of strings there are.
	texts   uint32
	objects atomic.Uint32
}

// node is how a value of a type is gone through.
type node struct {
	kind   kind
	typ    reflect.Type
	fields []field
	elem   *node  // of a pointer, a list or a map
	key    uint32 // the place of the keys of a map
	text   uint32 // the place of a string
}

type field struct {
	offset uintptr
	node   *node
	part   part
}

// part is one of the two large parts of most objects.
type part uint8

const (
	partOther part = iota
	partSpec
	partStatus
)

// kind is what a type is, as far as it matters here.
type kind uint8

const (
	kindPlain      kind = iota // has no pointers, or strings only within a type that reads itself, and can be compared
	kindOpaque                 // is left as it is, and not compared
	kindString                 //
	kindBytes                  // is a list of bytes
	kindManaged                // is metav1.FieldsV1
	kindStruct                 //
	kindPointer                //
	kindList                   //
	kindStrings                // is a map from strings to strings
	kindQuantities             // is a map from strings to quantities
	kindMap                    // is any other map
)

var (
	fieldsType   = reflect.TypeFor[metav1.FieldsV1]()
	quantityType = reflect.TypeFor[resource.Quantity]()
	ownJSON      = reflect.TypeFor[json.Unmarshaler]()
	ownText      = reflect.TypeFor[encoding.TextUnmarshaler]()
)

type compiler struct {
	nodes map[reflect.Type]*node
	texts uint32
}

// Compile makes a plan for what a pointer of the type points to. It returns nil if the type is not that of a pointer to a struct.
func Compile(t reflect.Type) *Plan {
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	c := &compiler{nodes: map[reflect.Type]*node{}}
	root := &node{typ: t.Elem()}
	c.structure(root) // also if it reads itself
	for i := range root.fields {
		switch name, _, _ := strings.Cut(root.typ.Field(i).Tag.Get("json"), ","); name {
		case "spec":
			root.fields[i].part = partSpec
		case "status":
			root.fields[i].part = partStatus
		}
	}
	return &Plan{typ: t, root: root, texts: c.texts}
}

func (c *compiler) place() uint32 {
	c.texts++
	return c.texts - 1
}

// node returns how values of a type are gone through, the same for each struct so that types may contain themselves. A string has
// a place for each field that it is in.
func (c *compiler) node(t reflect.Type) *node {
	if t.Kind() == reflect.Struct && t != fieldsType {
		if n := c.nodes[t]; n != nil {
			return n
		}
	}
	n := &node{typ: t}
	switch {
	case t == fieldsType && t.NumField() == 1 && t.Field(0).Type == reflect.TypeFor[[]byte](): // it can be built otherwise
		n.kind = kindManaged
	case reflect.PointerTo(t).Implements(ownJSON), reflect.PointerTo(t).Implements(ownText):
		n.kind = own(t)
	default:
		c.compile(n)
	}
	return n
}

// own is the kind of a type that reads itself.
func own(t reflect.Type) kind {
	if t == quantityType || !t.Comparable() || mayPanic(t) {
		return kindOpaque // methods of a Quantity write to it
	}
	return kindPlain
}

// mayPanic reports whether a comparison of two values may panic.
func mayPanic(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return mayPanic(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if mayPanic(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

func (c *compiler) compile(n *node) {
	t := n.typ
	switch t.Kind() {
	case reflect.String:
		n.kind, n.text = kindString, c.place()
	case reflect.Struct:
		c.structure(n)
	case reflect.Pointer:
		n.kind, n.elem = kindPointer, c.node(t.Elem())
	case reflect.Slice:
		n.kind, n.elem = kindList, c.node(t.Elem())
		if t.Elem().Kind() == reflect.Uint8 {
			n.kind = kindBytes
		}
	case reflect.Map:
		c.mapping(n)
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Array:
		n.kind = kindOpaque
	}
}

func (c *compiler) structure(n *node) {
	c.nodes[n.typ] = n
	n.kind = kindStruct
	for i := range n.typ.NumField() {
		sf := n.typ.Field(i)
		if !sf.IsExported() && !sf.Anonymous { // only the type itself knows what is in there
			n.fields = append(n.fields, field{offset: sf.Offset, node: &node{kind: kindOpaque, typ: sf.Type}})
			continue
		}
		n.fields = append(n.fields, field{offset: sf.Offset, node: c.node(sf.Type)})
	}
}

func (c *compiler) mapping(n *node) {
	t := n.typ
	n.kind = kindOpaque
	if t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(ownText) {
		return
	}
	n.key = c.place()
	switch {
	case t.Elem() == quantityType:
		n.kind = kindQuantities
		return
	case t.Elem().Kind() == reflect.String && !reflect.PointerTo(t.Elem()).Implements(ownText) && !reflect.PointerTo(t.Elem()).Implements(ownJSON):
		n.kind, n.text = kindStrings, c.place()
		return
	}
	n.kind, n.elem = kindMap, c.node(t.Elem())
}

// list is a slice in memory.
type list struct {
	array    unsafe.Pointer
	len, cap int
}
