package rest

import (
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Encoding is the encoding of an object on the wire.
type Encoding int

const (
	// JSON is supported by every server.
	JSON Encoding = iota
	// Protobuf is smaller and faster, for built-in kinds.
	Protobuf
	// CBOR has what JSON has in a binary form, for all kinds. Few servers support it: see Config.AllowCBOR.
	CBOR
)

func (e Encoding) String() string { return e.format().name() }

// Untyped reports whether objects in this encoding have the names of their fields in them, so that they can be decoded into
// any type, or into an *unstructured.Unstructured.
func (e Encoding) Untyped() bool { return e.format().untyped() }

// format implements an encoding: how to find the items of a list, the frames of a watch and the metadata of an object
// without decoding them, and how to decode an object. To add an encoding, write format_<name>.go, and add a constant
// and a line to formats; package internal/codec has an interface of the same name for informers.
type format interface {
	// name is the name of the encoding in errors, mediaType its media type, and streamType that of a watch.
	name() string
	mediaType() string
	streamType() string
	// items splits a list into items, and frames a watch into frames, none of which is longer than limit. If all items have
	// to be held, they may have most bytes.
	items(body io.Reader, limit int, most int64) itemReader
	frames(body io.Reader, limit int) frameReader
	// listMeta decodes the metadata of a list.
	listMeta(data []byte, into *metav1.ListMeta) error
	// isObject reports whether the object field of a frame can be an object.
	isObject(wire []byte) bool
	// metadata finds the metadata of an object, and may also set its kind.
	metadata(o *Raw) ([]byte, error)
	// identity decodes metadata, and also returns the text of Raw.IdentityText.
	identity(meta []byte) (Meta, string, error)
	// eachString calls add with each entry of a map of strings. Both are valid until add returns.
	eachString(meta []byte, field metaField, add func(name, value []byte)) error
	owners(meta []byte) ([]metav1.OwnerReference, error)
	// into decodes an object. Previous content of obj is dropped.
	into(o *Raw, obj any) error
	// untyped reports whether an object can be decoded into any type, and into none.
	untyped() bool
}

// formats has the format of each Encoding.
var formats = [...]format{JSON: jsonFormat{}, Protobuf: protobufFormat{}, CBOR: cborFormat{}}

// format returns the format of an encoding. An unknown encoding is treated as JSON.
func (e Encoding) format() format {
	if e < 0 || int(e) >= len(formats) {
		e = JSON
	}
	return formats[e]
}

// metaField is a map of strings in metadata.
type metaField int

const (
	labelsField metaField = iota
	annotationsField
)

// stringMapNames has the name of each metaField in encodings that have names.
var stringMapNames = [...]string{labelsField: "labels", annotationsField: "annotations"}

// itemReader splits a list into items.
type itemReader interface {
	Next() ([]byte, error)
	header() (apiVersion, kind string, meta []byte)
}

// frameReader splits a watch into frames. The result of next is passed to read, and valid until the next call.
type frameReader interface {
	next() ([]byte, error)
	read(data []byte, into *Frame) error
}
