package protoread

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Plan is how messages of a Go type are read. It does not change, and can be used by many at once.
type Plan struct {
	root   *message
	fields uint32 // how many there are
}

// unmarshaler is what all generated types are.
type unmarshaler interface{ Unmarshal([]byte) error }

var unmarshalerType = reflect.TypeFor[unmarshaler]()

// message is how a struct is read.
type message struct {
	typ reflect.Type
	// fields are by number, with holes.
	fields []*field
	checks []checked
	// all are the fields in the order of the struct, and bare the bytes of it that are in no field.
	all  []*field
	bare []span
	// own says that the type reads itself.
	own bool
}

// field is how a field is read.
type field struct {
	name   string // in Go
	json   string
	shape  shape
	offset uintptr
	size   uintptr      // of the field
	typ    reflect.Type // of the field
	elem   reflect.Type // of a list, a map or a pointer
	sub    *message     // of a message
	drop   bool
	arrays []reflect.Type // of so many elements of a list, up to a few
	id     uint32         // differs in each field of a plan
	order  int            // which field of its message it is
	part   part           // which part of the object it is, if it is a field of the outermost message
	raw    bool           // is FieldsV1.Raw, whose bytes are shared
}

// part is one of the two large parts of most objects.
type part uint8

const (
	partOther part = iota
	partSpec
	partStatus
)

// span is some bytes of a struct.
type span struct{ offset, size uintptr }

// shape is what a field is in Go. A pointer to a scalar comes behind the scalar.
type shape uint8

const (
	shapeString shape = iota
	shapeStringPtr
	shapeBytes
	shapeBool
	shapeBoolPtr
	shapeInt32
	shapeInt32Ptr
	shapeInt64
	shapeInt64Ptr
	shapeInt32s
	shapeInt64s
	shapeStrings
	shapeMessage
	shapeMessagePtr
	shapeMessages
	shapeStringMap   // to strings
	shapeBytesMap    // to bytes
	shapeQuantityMap // to quantities
)

// isList reports whether a field may come several times in a row.
func (s shape) isList() bool {
	switch s {
	case shapeStrings, shapeMessages, shapeStringMap, shapeBytesMap, shapeQuantityMap:
		return true
	}
	return false
}

// compiler collects messages, of which some contain each other.
type compiler struct {
	messages map[reflect.Type]*message
	fields   uint32
}

// Compile makes a plan for what example points to. The fields at the dropped paths, in their JSON names such as
// metadata.managedFields, are left out.
func Compile(example any, drop ...string) (*Plan, error) {
	t := reflect.TypeOf(example)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || !t.Implements(unmarshalerType) {
		return nil, fmt.Errorf("protoread: a %T has no protobuf form", example)
	}
	c := &compiler{messages: map[reflect.Type]*message{}}
	p := &Plan{root: c.message(t.Elem())}
	p.fields = c.fields
	if p.root.own {
		return nil, fmt.Errorf("protoread: a %T has a form of its own", example)
	}
	for _, path := range drop {
		if err := p.drop(path); err != nil {
			return nil, err
		}
	}
	for _, f := range p.root.all {
		switch f.json {
		case "spec":
			f.part = partSpec
		case "status":
			f.part = partStatus
		}
	}
	for _, m := range c.messages {
		m.prepareChecks()
	}
	return p, nil
}

// drop marks a field. It is marked for the type that has it, wherever that stands; those at the top and the metadata stand
// in one place.
func (p *Plan) drop(path string) error {
	m := p.root
	names := strings.Split(path, ".")
	for i, name := range names {
		f := m.find(name)
		switch {
		case f == nil:
			return fmt.Errorf("protoread: a %s has no field %q", m.typ, name)
		case i == len(names)-1:
			f.drop = true
		case f.shape == shapeMessage:
			m = f.sub
		default:
			return fmt.Errorf("protoread: %q in %q is not a message that is always there", name, path)
		}
	}
	return nil
}

func (m *message) find(json string) *field {
	for _, f := range m.fields {
		if f != nil && f.json == json {
			return f
		}
	}
	return nil
}

// message compiles a struct. One with a field that the package does not know is left to itself.
func (c *compiler) message(t reflect.Type) *message {
	if m := c.messages[t]; m != nil {
		return m
	}
	m := &message{typ: t}
	c.messages[t] = m
	if t.Kind() != reflect.Struct {
		m.own = true // a list with a name is a message with the items in field 1
		return m
	}
	for i := range t.NumField() {
		if !c.add(m, t.Field(i)) {
			m.own, m.fields, m.all = true, nil, nil
			return m
		}
	}
	m.own = len(m.fields) == 0 && t.NumField() > 0
	return m
}

// mostFields is the highest number of a field that has a place in a plan.
const mostFields = 512

// add compiles a field, and reports whether it could.
func (c *compiler) add(m *message, sf reflect.StructField) bool {
	tag, tagged := sf.Tag.Lookup("protobuf")
	if !tagged {
		m.bare = append(m.bare, span{sf.Offset, sf.Type.Size()})
		return sf.Type.Name() == "TypeMeta" // which is not in the message
	}
	parts := strings.Split(tag, ",") // the first is the type on the wire, which is wrong in some; the type in Go tells
	if len(parts) < 2 {
		return false
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil || number <= 0 || number > mostFields {
		return false
	}
	f := &field{name: sf.Name, offset: sf.Offset, size: sf.Type.Size(), typ: sf.Type, id: c.fields}
	f.json, _, _ = strings.Cut(sf.Tag.Get("json"), ",")
	c.fields++
	if !c.shape(f, sf.Type) {
		return false
	}
	for len(m.fields) <= number {
		m.fields = append(m.fields, nil)
	}
	if m.fields[number] != nil {
		return false
	}
	m.fields[number] = f
	f.order = len(m.all)
	f.raw = m.typ == fieldsType && f.shape == shapeBytes
	m.all = append(m.all, f)
	return true
}

func (s shape) isVarint() bool {
	switch s {
	case shapeBool, shapeBoolPtr, shapeInt32, shapeInt32Ptr, shapeInt64, shapeInt64Ptr, shapeInt32s, shapeInt64s:
		return true
	}
	return false
}

// scalars are the shapes of what is neither a message nor several things. That of a pointer to one comes next to it.
var scalars = map[reflect.Kind]shape{
	reflect.String: shapeString, reflect.Bool: shapeBool, reflect.Int32: shapeInt32, reflect.Int64: shapeInt64,
}

// shape finds out what a field is.
func (c *compiler) shape(f *field, t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		f.shape, f.sub = shapeMessage, c.message(t)
		return true
	case reflect.Pointer:
		return c.pointer(f, t.Elem())
	case reflect.Slice:
		return c.list(f, t)
	case reflect.Map:
		return c.mapping(f, t)
	}
	var ok bool
	f.shape, ok = scalars[t.Kind()]
	return ok
}

func (c *compiler) pointer(f *field, elem reflect.Type) bool {
	f.elem = elem
	if elem.Kind() == reflect.Struct {
		f.shape, f.sub = shapeMessagePtr, c.message(elem)
		return true
	}
	scalar, ok := scalars[elem.Kind()]
	f.shape = scalar + 1
	return ok
}

func (c *compiler) list(f *field, t reflect.Type) bool {
	f.elem = t.Elem()
	named := t.Name() != "" && reflect.PointerTo(t).Implements(unmarshalerType)
	switch {
	case named: // a message, such as metav1.Verbs
		f.shape, f.sub = shapeMessage, c.message(t)
	case f.elem.Kind() == reflect.Uint8:
		f.shape = shapeBytes
	case f.elem.Kind() == reflect.Int32:
		f.shape = shapeInt32s
	case f.elem.Kind() == reflect.Int64:
		f.shape = shapeInt64s
	case f.elem.Kind() == reflect.String:
		f.shape = shapeStrings
	case f.elem.Kind() == reflect.Struct:
		f.shape, f.sub = shapeMessages, c.message(f.elem)
		for n := range fewElements {
			f.arrays = append(f.arrays, reflect.ArrayOf(n, f.elem))
		}
	default:
		return false
	}
	return true
}

// fewElements is the length of a list from which on it is made in the general way, which takes longer.
const fewElements = 9

func (c *compiler) mapping(f *field, t reflect.Type) bool {
	f.elem = t.Elem()
	switch {
	case t.Key().Kind() != reflect.String:
		return false
	case f.elem.Kind() == reflect.String:
		f.shape = shapeStringMap
	case f.elem == quantityType:
		f.shape = shapeQuantityMap
	case f.elem == reflect.TypeFor[[]byte]():
		f.shape = shapeBytesMap
	default:
		return false
	}
	return true
}

// at is where a field is in a struct.
func (f *field) at(base unsafe.Pointer) unsafe.Pointer { return unsafe.Add(base, f.offset) }

// in is at, and nil in a struct that is not there.
func (f *field) in(base unsafe.Pointer) unsafe.Pointer {
	if base == nil {
		return nil
	}
	return f.at(base)
}

// unmarshal has a value read itself.
func unmarshal(t reflect.Type, at unsafe.Pointer, data []byte) error {
	u, ok := reflect.NewAt(t, at).Interface().(unmarshaler)
	if !ok {
		return fmt.Errorf("a %s does not read itself", t)
	}
	return u.Unmarshal(data)
}

var (
	timeType      = reflect.TypeFor[metav1.Time]()
	microTimeType = reflect.TypeFor[metav1.MicroTime]()
	quantityType  = reflect.TypeFor[resource.Quantity]()
	fieldsType    = reflect.TypeFor[metav1.FieldsV1]()
)

func newOf(t reflect.Type) unsafe.Pointer { return reflect.New(t).UnsafePointer() }
