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
)

func (e Encoding) String() string { return e.format().name() }

// format implements an encoding: how to find the items of a list, the frames of a watch and the metadata of an object
// without decoding them, and how to decode an object. To add an encoding, write format_<name>.go, and add a constant
// and a line to formats; package internal/codec has an interface of the same name for informers.
type format interface {
	// name is the name of the encoding in errors, mediaType its media type.
	name() string
	mediaType() string
	// items splits a list into items, and frames a watch into frames, none of which is longer than limit.
	items(body io.Reader, limit int) itemReader
	frames(body io.Reader, limit int) frameReader
	// listMeta decodes the metadata of a list.
	listMeta(data []byte, into *metav1.ListMeta) error
	// isObject reports whether the object field of a frame can be an object.
	isObject(wire []byte) bool
	// metadata finds the metadata of an object, and may also set its kind.
	metadata(o *Raw) ([]byte, error)
	// identity decodes metadata, and also returns the text of Raw.IdentityText.
	identity(meta []byte) (Meta, string, error)
	stringMap(meta []byte, field metaField) (map[string]string, error)
	owners(meta []byte) ([]metav1.OwnerReference, error)
	// into decodes an object. Previous content of obj is dropped.
	into(o *Raw, obj any) error
}

// formats has the format of each Encoding.
var formats = [...]format{JSON: jsonFormat{}, Protobuf: protobufFormat{}}

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
