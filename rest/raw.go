package rest

import (
	"fmt"
	"strings"
)

// maxObjectSize is the largest object that is read from a stream. etcd refuses what is larger than 1.5 MB or so; a
// length above this limit is a mistake or an attack.
const maxObjectSize = 64 << 20

// Raw is one object as the server sent it, not yet decoded. Meta reads its envelope, Into the whole.
//
// A Raw from Items or Frames is valid until the next call of Next: its bytes are used again. Clone it to keep it.
type Raw struct {
	// Encoding is the form of Bytes.
	Encoding Encoding
	// APIVersion and Kind say what the object is. In a list of a built-in kind they are those of the list, since its items do
	// not say it themselves.
	APIVersion, Kind string
	// Bytes is the object: a JSON text, or the bare message of the kind, without Kubernetes' envelope around it.
	Bytes []byte

	// wire is the object with its envelope, in a watch.
	wire []byte
	// meta is where the metadata is in Bytes, once it has been looked for.
	meta []byte
	// identity is what Meta has found, if identified is set, and text the same in one string.
	identity   Meta
	text       string
	identified bool
}

// Clone returns a copy with bytes of its own.
func (o *Raw) Clone() *Raw { return o.CloneInto(nil) }

// CloneInto is Clone with bytes that take the room of a buffer, as far as that is enough.
func (o *Raw) CloneInto(buffer []byte) *Raw {
	return &Raw{Encoding: o.Encoding, APIVersion: o.APIVersion, Kind: o.Kind, Bytes: append(buffer[:0], o.Bytes...)}
}

// Into decodes the object. obj is a pointer to the Go type of the kind, or an *unstructured.Unstructured, which only
// JSON can fill.
func (o *Raw) Into(obj any) error {
	err := o.Encoding.format().into(o, obj)
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot decode %s, %d bytes of %s, into a %T: %w", o.describe(), len(o.Bytes), o.Encoding, obj, err)
}

// describe names the object in an error, as far as it can be told.
func (o *Raw) describe() string {
	kind := o.Kind
	if kind == "" {
		kind = "object"
	}
	if m, err := o.Meta(); err == nil && m.Name != "" {
		return fmt.Sprintf("%s %q", kind, m.Key())
	}
	return "a " + kind
}

// itemKind is the kind of the items of a list. A list of mixed kinds, "List", says nothing.
func itemKind(listKind string) string { return strings.TrimSuffix(listKind, "List") }
