package rest

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/wire/jsonread"
	"vedette.dev/internal/wire/protoscan"
)

// maxObjectSize is the largest object that is read from a stream. etcd refuses what is larger than 1.5 MB or so; a
// length above this limit is a mistake or an attack.
const maxObjectSize = 64 << 20

// Encoding is the form of an object on the wire.
type Encoding int

const (
	// JSON is the form that every server can do.
	JSON Encoding = iota
	// Protobuf is the smaller and quicker form, for built-in kinds.
	Protobuf
)

func (e Encoding) String() string {
	if e == Protobuf {
		return "protobuf"
	}
	return "JSON"
}

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
	err := o.into(obj)
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot decode %s, %d bytes of %s, into a %T: %w", o.describe(), len(o.Bytes), o.Encoding, obj, err)
}

func (o *Raw) into(obj any) error {
	if o.Encoding == Protobuf {
		message, ok := obj.(interface{ Unmarshal([]byte) error })
		if !ok {
			return errors.New("the type has no protobuf form; ask for JSON with SetHeader(\"Accept\", \"application/json\")")
		}
		if resetter, ok := obj.(interface{ Reset() }); ok {
			resetter.Reset()
		}
		return message.Unmarshal(o.Bytes)
	}
	if u, ok := obj.(runtime.Unstructured); ok {
		return o.intoUnstructured(u)
	}
	// As in protobuf, nothing of what obj held before stays.
	if resetter, ok := obj.(interface{ Reset() }); ok {
		resetter.Reset()
	}
	return utiljson.Unmarshal(o.Bytes, obj)
}

// intoUnstructured also fills in what the items of a list do not say.
func (o *Raw) intoUnstructured(u runtime.Unstructured) error {
	content, err := jsonread.Decode(o.Bytes, nil)
	if err != nil {
		return err
	}
	if content == nil {
		return errors.New("it is null")
	}
	for field, value := range map[string]string{"apiVersion": o.APIVersion, "kind": o.Kind} {
		if content[field] == nil && value != "" {
			content[field] = value
		}
	}
	u.SetUnstructuredContent(content)
	return nil
}

var _ runtime.Unstructured = (*unstructured.Unstructured)(nil)

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

// protobufRaw takes the envelope off an object.
func protobufRaw(wire []byte) (Raw, error) {
	e, err := protoscan.Open(wire)
	if err != nil {
		return Raw{}, err
	}
	return Raw{Encoding: Protobuf, APIVersion: e.APIVersion, Kind: e.Kind, Bytes: e.Body, wire: wire}, nil
}

// jsonRaw is an object in JSON, which has no envelope but itself.
func jsonRaw(text []byte) Raw { return Raw{Encoding: JSON, Bytes: text, wire: text} }
