//go:build !vedette_noconsole

package console

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sizeOf returns the approximate size of an object on the wire: in protobuf if it supports that, otherwise in JSON.
func sizeOf(obj any) int64 {
	switch o := obj.(type) {
	case interface{ Size() int }:
		return int64(o.Size())
	case *unstructured.Unstructured:
		return jsonSize(o.Object)
	}
	text, err := json.Marshal(obj)
	if err != nil {
		return 0
	}
	return int64(len(text))
}

// jsonSize returns the approximate length of a value in JSON, without escaping. It does not allocate.
func jsonSize(value any) int64 {
	switch v := value.(type) {
	case map[string]any:
		n := int64(2)
		for name, one := range v {
			n += int64(len(name)) + 4 + jsonSize(one)
		}
		return n
	case []any:
		n := int64(2)
		for _, one := range v {
			n += 1 + jsonSize(one)
		}
		return n
	case string:
		return int64(len(v)) + 2
	case nil, bool:
		return 4
	}
	return 8
}
