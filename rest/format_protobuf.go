package rest

import (
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/wire/protoscan"
)

// protobufFormat is the format of protobuf, with Kubernetes' envelope around each object but the items of a list.
type protobufFormat struct{}

func (protobufFormat) name() string { return "protobuf" }

func (protobufFormat) mediaType() string { return contentTypeProtobuf }

func (protobufFormat) streamType() string { return contentTypeProtobuf }

func (protobufFormat) untyped() bool { return false }

func (protobufFormat) items(body io.Reader, limit int, _ int64) itemReader {
	return protobufItems{protoscan.NewListReader(body, limit)}
}

func (protobufFormat) frames(body io.Reader, limit int) frameReader {
	return protobufFrames{protoscan.NewFrameReader(body, limit)}
}

func (protobufFormat) listMeta(data []byte, into *metav1.ListMeta) error { return into.Unmarshal(data) }

func (protobufFormat) isObject(wire []byte) bool { return len(wire) > 0 }

func (protobufFormat) metadata(o *Raw) ([]byte, error) { return protoMetadata(o.Bytes) }

func (protobufFormat) identity(meta []byte) (Meta, string, error) { return protoMeta(meta) }

func (protobufFormat) eachString(meta []byte, field metaField, add func(name, value []byte)) error {
	return protoEachString(meta, [...]int{labelsField: protoLabels, annotationsField: protoAnnotations}[field], add)
}

func (protobufFormat) owners(meta []byte) ([]metav1.OwnerReference, error) {
	return protoOwnersOf(meta)
}

func (protobufFormat) into(o *Raw, obj any) error {
	message, ok := obj.(interface{ Unmarshal([]byte) error })
	if !ok {
		return errors.New("the type does not support protobuf; request JSON with SetHeader(\"Accept\", \"application/json\")")
	}
	reset(obj)
	return message.Unmarshal(o.Bytes)
}

type protobufItems struct{ *protoscan.ListReader }

func (p protobufItems) header() (string, string, []byte) { return p.APIVersion, p.Kind, p.Meta }

type protobufFrames struct{ *protoscan.FrameReader }

func (p protobufFrames) next() ([]byte, error) { return p.Next() }

// read parses a meta.v1.WatchEvent: the type in field 1, and in field 2 a message that has the object in its field 1.
func (protobufFrames) read(data []byte, f *Frame) error {
	*f = Frame{}
	event := protoscan.NewMessage(data)
	for event.Next() {
		switch event.Number {
		case 1:
			f.Type = eventType(event.Bytes)
		case 2:
			object := protoscan.NewMessage(event.Bytes)
			for object.Next() {
				if object.Number != 1 {
					continue
				}
				var err error
				if f.Object, err = protobufRaw(object.Bytes); err != nil {
					return err
				}
			}
			if object.Err != nil {
				return object.Err
			}
		}
	}
	return errors.Join(event.Err, f.check())
}

// protobufRaw removes the envelope of an object.
func protobufRaw(wire []byte) (Raw, error) {
	e, err := protoscan.Open(wire)
	if err != nil {
		return Raw{}, err
	}
	return Raw{Encoding: Protobuf, APIVersion: e.APIVersion, Kind: e.Kind, Bytes: e.Body, wire: wire}, nil
}

// The field numbers of ObjectMeta. Every kind has its ObjectMeta in field 1.
const (
	protoObjectMeta = 1

	protoName            = 1
	protoNamespace       = 3
	protoUID             = 5
	protoResourceVersion = 6
	protoGeneration      = 7
	protoLabels          = 11
	protoAnnotations     = 12
	protoOwners          = 13
)

func protoMetadata(object []byte) ([]byte, error) {
	m := protoscan.NewMessage(object)
	for m.Next() {
		if m.Number == protoObjectMeta && m.Bytes != nil {
			return m.Bytes, nil
		}
	}
	if m.Err != nil {
		return nil, fmt.Errorf("metadata: %w", m.Err)
	}
	return []byte{}, nil
}

// protoMeta also returns the text of IdentityText.
func protoMeta(meta []byte) (Meta, string, error) {
	var name, namespace, uid, version []byte
	var generation int64
	m := protoscan.NewMessage(meta)
	for m.Next() {
		switch m.Number {
		case protoName:
			name = m.Bytes
		case protoNamespace:
			namespace = m.Bytes
		case protoUID:
			uid = m.Bytes
		case protoResourceVersion:
			version = m.Bytes
		case protoGeneration:
			generation = int64(m.Varint)
		}
	}
	out, text := newMeta(namespace, name, uid, version)
	out.Generation = generation
	return out, text, metaError(m.Err)
}

// protoEachString reads a map, which is a repeated message of a key and a value.
func protoEachString(meta []byte, number int, add func(name, value []byte)) error {
	m := protoscan.NewMessage(meta)
	for m.Next() {
		if m.Number != number {
			continue
		}
		var key, value []byte
		entry := protoscan.NewMessage(m.Bytes)
		for entry.Next() {
			switch entry.Number {
			case 1:
				key = entry.Bytes
			case 2:
				value = entry.Bytes
			}
		}
		if entry.Err != nil {
			return metaError(entry.Err)
		}
		add(key, value)
	}
	return metaError(m.Err)
}

func protoOwnersOf(meta []byte) ([]metav1.OwnerReference, error) {
	var out []metav1.OwnerReference
	m := protoscan.NewMessage(meta)
	for m.Next() {
		if m.Number != protoOwners {
			continue
		}
		var owner metav1.OwnerReference
		if err := owner.Unmarshal(m.Bytes); err != nil {
			return nil, metaError(err)
		}
		out = append(out, owner)
	}
	return out, metaError(m.Err)
}
