package rest

import (
	"fmt"
	"strings"
)

// maxObjectSize is the maximum size of an object in a stream. etcd rejects objects larger than about 1.5 MB; a larger
// length is an error or an attack.
const maxObjectSize = 64 << 20

// Raw is one object as sent by the server, not decoded. Meta decodes its identity, Into the whole.
//
// A Raw from Items or Frames is valid until the next call of Next: its bytes are reused. Clone it to keep it.
type Raw struct {
	// Encoding is the encoding of Bytes.
	Encoding Encoding
	// APIVersion and Kind are the type of the object. In a list of a built-in kind they are derived from the list,
	// since its items do not have them.
	APIVersion, Kind string
	// Bytes is the object: a JSON text, a CBOR map, or the bare message of the kind, without Kubernetes' envelope around it.
	Bytes []byte

	// wire is the object with its envelope, in a watch.
	wire []byte
	// meta is the metadata in Bytes, once it has been found.
	meta []byte
	// identity is the result of Meta, if identified is set, and text the same in one string.
	identity   Meta
	text       string
	identified bool
}

// Clone returns a copy with bytes of its own.
func (o *Raw) Clone() *Raw { return o.CloneInto(nil) }

// CloneInto is like Clone, and uses the given buffer if it is large enough.
func (o *Raw) CloneInto(buffer []byte) *Raw {
	return &Raw{Encoding: o.Encoding, APIVersion: o.APIVersion, Kind: o.Kind, Bytes: append(buffer[:0], o.Bytes...)}
}

// Into decodes the object. obj is a pointer to the Go type of the kind, or an *unstructured.Unstructured, which
// only JSON and CBOR can fill.
func (o *Raw) Into(obj any) error {
	err := o.Encoding.format().into(o, obj)
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot decode %s, %d bytes of %s, into a %T: %w", o.describe(), len(o.Bytes), o.Encoding, obj, err)
}

// describe returns a name of the object for errors, as far as known.
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

// itemKind returns the kind of the items of a list; it is empty for the generic kind "List".
func itemKind(listKind string) string { return strings.TrimSuffix(listKind, "List") }
