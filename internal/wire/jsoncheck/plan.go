package jsoncheck

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Plan is how texts for a Go type are checked. It does not change, and can be used by many at once.
type Plan struct{ root *node }

// shape is what a value must look like.
type shape uint8

const (
	shapeNever shape = iota // null
	shapeAny
	shapeString
	shapeBool
	shapeInteger
	shapeFloat32
	shapeFloat64
	shapeBytes
	shapeList
	shapeMap
	shapeStruct
	shapeTime
	shapeMicroTime
	shapeQuantity
	shapeIntOrString
	// To these null is not always good.
	shapeDuration
	shapeOwn // only the type itself, or the decoder, can tell
)

// node is how the values of a Go type are checked. A pointer is checked as what it points to.
type node struct {
	shape shape
	// stateful says that there may be something in a value that looks at what was there before.
	stateful    bool
	typ         reflect.Type
	most, least uint64 // of an integer
	elem        *node  // of a list or a map
	// heads and fields are those of a struct, in its order.
	heads  []head
	fields []field
}

// field is a field of a struct.
type field struct {
	node *node
	// once is a bit that differs from those of other fields if the field may come only once, and else zero.
	once uint64
}

// known is the shape of a type with a form of its own that is known here.
func known(t reflect.Type) (shape, bool) {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return shapeTime, true
	case reflect.TypeFor[metav1.MicroTime]():
		return shapeMicroTime, true
	case reflect.TypeFor[metav1.Duration]():
		return shapeDuration, true
	case reflect.TypeFor[resource.Quantity]():
		return shapeQuantity, true
	case reflect.TypeFor[intstr.IntOrString]():
		return shapeIntOrString, true
	case reflect.TypeFor[metav1.FieldsV1](), reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[json.RawMessage]():
		return shapeAny, true
	case reflect.TypeFor[json.Number]():
		return shapeOwn, true // a string, or a number
	}
	return shapeAny, isSchemaValue(t)
}

// isSchemaValue reports whether a type is the one for any value in the schemas of custom resources, in either of its versions. Its
// package is too large to be imported for that.
func isSchemaValue(t reflect.Type) bool {
	const apis = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/"
	return t.Name() == "JSON" && (t.PkgPath() == apis+"v1" || t.PkgPath() == apis+"v1beta1")
}

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// readsItself reports whether the decoder leaves values of t to a method of theirs.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonReader) || p.Implements(textReader)
}

// Compile makes a plan for the struct that example points to. There is none for a struct that reads itself, or whose fields hide
// each other in unusual ways: such a text is for the decoder.
func Compile(example any) (*Plan, error) {
	t := reflect.TypeOf(example)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("jsoncheck: a %T is not a pointer to a struct", example)
	}
	c := compiler{}
	root := c.node(t.Elem())
	if root.shape != shapeStruct {
		return nil, fmt.Errorf("jsoncheck: a text for a %T cannot be checked without decoding it", example)
	}
	c.finish()
	return &Plan{root: root}, nil
}

// compiler has a node for each type, of which some contain each other.
type compiler map[reflect.Type]*node

// mostPointers is how many pointers may lie between a field and its value. A type could point to itself.
const mostPointers = 4

func (c compiler) node(t reflect.Type) *node {
	for range mostPointers {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	n := c[t]
	if n == nil {
		n = &node{typ: t}
		c[t] = n
		c.compile(n, t)
	}
	return n
}

func (c compiler) compile(n *node, t reflect.Type) {
	if shape, ok := known(t); ok {
		n.shape = shape
		return
	}
	if readsItself(t) {
		// A struct without a name only reads itself if there is a pointer to it.
		if t.Name() != "" {
			n.shape = shapeOwn
		}
		return
	}
	switch t.Kind() {
	case reflect.String:
		n.shape = shapeString
	case reflect.Bool:
		n.shape = shapeBool
	case reflect.Float32:
		n.shape = shapeFloat32
	case reflect.Float64:
		n.shape = shapeFloat64
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.shape, n.most = shapeInteger, math.MaxUint64>>(65-t.Bits())
		n.least = n.most + 1
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.shape, n.most = shapeInteger, math.MaxUint64>>(64-t.Bits())
	case reflect.Interface:
		if t.NumMethod() == 0 {
			n.shape = shapeAny
		}
	case reflect.Slice:
		if n.shape = shapeList; t.Elem().Kind() == reflect.Uint8 {
			n.shape = shapeBytes
		}
		n.elem = c.node(t.Elem())
	case reflect.Array:
		n.shape = shapeOwn // what is in there beyond its length is passed over
	case reflect.Map:
		c.mapping(n, t)
	case reflect.Struct:
		c.object(n, t)
	}
}

func (c compiler) mapping(n *node, t reflect.Type) {
	if t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textReader) {
		n.shape = shapeOwn
		return
	}
	n.shape, n.elem = shapeMap, c.node(t.Elem())
}

func (c compiler) object(n *node, t reflect.Type) {
	fields, ok := fieldsOf(t)
	if !ok {
		n.shape = shapeOwn
		return
	}
	n.shape = shapeStruct
	for _, f := range fields {
		n.heads = append(n.heads, newHead(f.name))
		n.fields = append(n.fields, field{node: c.node(f.typ)})
	}
}

// finish finds out what is stateful, now that all nodes are there.
func (c compiler) finish() {
	for changed := true; changed; {
		changed = false
		for _, n := range c {
			if !n.stateful && n.holdsState() {
				n.stateful, changed = true, true
			}
		}
	}
	for _, n := range c {
		// From the 64th on, the fields that may come only once share a bit: only one of them may come at all.
		bit := uint64(1)
		for i := range n.fields {
			if n.fields[i].node.stateful {
				n.fields[i].once = bit
				bit = max(bit, bit<<1)
			}
		}
	}
}

func (n *node) holdsState() bool {
	if n.shape == shapeOwn || n.elem != nil && n.elem.stateful {
		return true
	}
	for _, f := range n.fields {
		if f.node.stateful {
			return true
		}
	}
	return false
}
