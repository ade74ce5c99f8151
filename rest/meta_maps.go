package rest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/wire/jsonscan"
	"vedette.dev/internal/wire/protoscan"
)

// stringMap reads the labels or the annotations.
func (o *Raw) stringMap(number int, name string) (map[string]string, error) {
	meta, err := o.metadata()
	if err != nil {
		return nil, err
	}
	if o.Encoding == Protobuf {
		return protoStringMap(meta, number)
	}
	return jsonStringMap(meta, name)
}

// protoStringMap reads a map, which is a repeated message of a key and a value.
func protoStringMap(meta []byte, number int) (map[string]string, error) {
	var out map[string]string
	m := protoscan.NewMessage(meta)
	for m.Next() {
		if m.Number != number {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		var key, value string
		entry := protoscan.NewMessage(m.Bytes)
		for entry.Next() {
			switch entry.Number {
			case 1:
				key = string(entry.Bytes)
			case 2:
				value = string(entry.Bytes)
			}
		}
		if entry.Err != nil {
			return nil, metaError(entry.Err)
		}
		out[key] = value
	}
	return out, metaError(m.Err)
}

func jsonStringMap(meta []byte, name string) (map[string]string, error) {
	value, err := member(meta, name)
	if err != nil || value == nil {
		return nil, err
	}
	out := map[string]string{}
	m := jsonscan.NewObject(value)
	for m.Next() {
		text, err := jsonscan.Text(m.Value)
		if err != nil {
			return nil, metaError(err)
		}
		out[string(m.Name)] = text
	}
	return out, metaError(m.Err)
}

// member is the value of a member of an object, or nil if it is not there or null.
func member(object []byte, name string) ([]byte, error) {
	m := jsonscan.NewObject(object)
	for m.Next() {
		if string(m.Name) == name {
			if string(m.Value) == "null" {
				return nil, nil
			}
			return m.Value, nil
		}
	}
	return nil, metaError(m.Err)
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

func jsonOwners(meta []byte) ([]metav1.OwnerReference, error) {
	value, err := member(meta, "ownerReferences")
	if err != nil || value == nil {
		return nil, err
	}
	var out []metav1.OwnerReference
	err = utiljson.Unmarshal(value, &out)
	return out, metaError(err)
}
