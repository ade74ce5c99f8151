package corrupt

import (
	"encoding/binary"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/wire/protoscan"
)

func protobufFrame(frame []byte) []byte {
	const length = 4
	var event metav1.WatchEvent
	if len(frame) < length || event.Unmarshal(frame[length:]) != nil {
		return frame
	}
	object, ok := Body(event.Object.Raw, always)
	if !ok {
		return frame
	}
	event.Object.Raw = object
	message, err := event.Marshal()
	if err != nil {
		return frame
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)
}

// envelope corrupts the object in the protobuf envelope of Kubernetes.
func envelope(message []byte, want Want) ([]byte, bool) {
	var unknown runtime.Unknown
	if unknown.Unmarshal(message) != nil || unknown.Kind == "Status" {
		return append(magic[:4:4], message...), false
	}
	corrupt := protobufObject
	if strings.HasSuffix(unknown.Kind, "List") {
		corrupt = protobufList
	}
	raw, ok := corrupt(unknown.Raw, want)
	unknown.Raw = raw
	whole, err := unknown.Marshal()
	if err != nil || !ok {
		return append(magic[:4:4], message...), false
	}
	return append(magic[:4:4], whole...), true
}

// Field 1 of an object is its metadata, of which field 1 is the name and 3 the namespace. Field 2 of a list are its items.
const (
	metadataField, nameField, namespaceField = 1, 1, 3
	itemsField                               = 2
)

// noSuchType is field 15 with wire type 7, which does not exist. No kind uses field 15.
const noSuchType = 15<<3 | 7

func protobufObject(object []byte, want Want) ([]byte, bool) {
	var namespace, name string
	fields := protoscan.NewMessage(object)
	for fields.Next() {
		if fields.Number != metadataField {
			continue
		}
		metadata := protoscan.NewMessage(fields.Bytes)
		for metadata.Next() {
			switch metadata.Number {
			case nameField:
				name = string(metadata.Bytes)
			case namespaceField:
				namespace = string(metadata.Bytes)
			}
		}
	}
	if !want(namespace, name) {
		return object, false
	}
	return append(object[:len(object):len(object)], noSuchType), true
}

func protobufList(list []byte, want Want) ([]byte, bool) {
	var out []byte
	corrupted := false
	fields := protoscan.NewMessage(list)
	for fields.Next() {
		if fields.Bytes == nil {
			continue // a list has no other fields
		}
		value, ok := fields.Bytes, false
		if fields.Number == itemsField {
			value, ok = protobufObject(value, want)
		}
		corrupted = corrupted || ok
		const lengthDelimited = 2
		out = binary.AppendUvarint(out, uint64(fields.Number)<<3|lengthDelimited)
		out = append(binary.AppendUvarint(out, uint64(len(value))), value...)
	}
	if fields.Err != nil {
		return list, false
	}
	return out, corrupted
}
