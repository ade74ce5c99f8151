package rest

import (
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Encoding is the form of an object on the wire.
type Encoding int

const (
	// JSON is the form that every server can do.
	JSON Encoding = iota
	// Protobuf is the smaller and quicker form, for built-in kinds.
	Protobuf
)

func (e Encoding) String() string { return e.format().name() }

// format is what package rest knows of an encoding: how to find the items of a list, the frames of a watch and the metadata of an object
// without decoding them, and how to decode an object. To add an encoding, write format_<name>.go, and add a constant and a line to formats;
// package internal/codec has an interface of the same name for what informers need.
type format interface {
	// name is what errors call the encoding, mediaType what HTTP does.
	name() string
	mediaType() string
	// items cuts a list into items, and frames a watch into frames, none of which is longer than limit.
	items(body io.Reader, limit int) itemReader
	frames(body io.Reader, limit int) frameReader
	// listMeta decodes the metadata of a list.
	listMeta(data []byte, into *metav1.ListMeta) error
	// isObject reports whether what a frame has in the place of an object can be one.
	isObject(wire []byte) bool
	// metadata finds the metadata of an object, and may also learn what the object is.
	metadata(o *Raw) ([]byte, error)
	// identity reads metadata, and also returns the text of Raw.IdentityText.
	identity(meta []byte) (Meta, string, error)
	stringMap(meta []byte, field metaField) (map[string]string, error)
	owners(meta []byte) ([]metav1.OwnerReference, error)
	// into decodes an object. Nothing of what obj held before stays.
	into(o *Raw, obj any) error
}

// formats has the format of each Encoding.
var formats = [...]format{JSON: jsonFormat{}, Protobuf: protobufFormat{}}

// format returns the format of an encoding. An encoding that does not exist is taken for JSON.
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

// itemReader cuts a list into items.
type itemReader interface {
	Next() ([]byte, error)
	header() (apiVersion, kind string, meta []byte)
}

// frameReader cuts a watch into frames. What next returns is given to read, and good until the next call.
type frameReader interface {
	next() ([]byte, error)
	read(data []byte, into *Frame) error
}
