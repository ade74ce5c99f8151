// Package cborread decodes and encodes Kubernetes objects in CBOR, with the serializer of k8s.io/apimachinery, so that
// results and errors are those of the API server.
//
//   - [Map] decodes an object without a type, and [Into] one with a type, whatever its kind is said to be.
//   - [DecodeNext] decodes the next state of an object without a type, and reuses the parts of the previous one that have not
//     changed. [Shares] holds what objects of one kind share.
//   - [Encode] encodes an object for a request, and [Marshal] any value.
//   - [FromJSON] transcodes what only marshals to JSON.
//
// An object with the same key twice in one map is an error, unlike in JSON. Integers and floating-point numbers are kept
// apart: 1.0 is a float64 here, and an int64 if it came as JSON.
//
// Objects without a type are decoded here, in a fifth of the time that the serializer takes. What is unusual in the bytes (tags,
// items without a length, keys that occur twice) or wrong is left to it.
package cborread

import (
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Map decodes an object into maps, lists, strings, numbers and booleans. The result for null is a nil map.
func Map(data []byte) (map[string]any, error) { return DecodeNext(data, nil, nil) }

// Into decodes an object into obj, a pointer to a Go type. Fields that the type does not have are ignored. Previous content
// of fields that are not in data stays.
func Into(data []byte, obj any) error {
	into, typed := obj.(runtime.Object)
	if _, open := obj.(runtime.Unstructured); open || !typed {
		into, typed = &foreign{obj: obj}, false
	}
	// What comes by way of JSON has the fields of managers and extensions as JSON already.
	_, _, err := cbor.NewSerializer(one{into}, one{into}, cbor.Transcode(typed)).Decode(data, nil, into)
	return err
}

// one makes the serializer decode into one object, whatever kind the data says.
type one struct{ obj runtime.Object }

// anyKind is of objects that do not say what they are, such as the items of lists.
var anyKind = schema.GroupVersionKind{Version: "v1", Kind: "Object"}

func (o one) New(schema.GroupVersionKind) (runtime.Object, error) { return o.obj, nil }

func (o one) ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return []schema.GroupVersionKind{anyKind}, false, nil
}

func (o one) Recognizes(schema.GroupVersionKind) bool { return true }

// foreign is a value that is not a runtime.Object. The serializer transcodes data to JSON for it.
type foreign struct{ obj any }

var _ runtime.Object = &foreign{}

func (f *foreign) UnmarshalJSON(data []byte) error { return utiljson.Unmarshal(data, f.obj) }

func (f *foreign) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

func (f *foreign) DeepCopyObject() runtime.Object { return f }

// Encode writes an object as the body of a request, or as a response.
func Encode(obj runtime.Object, w io.Writer) error {
	return cbor.NewSerializer(nil, nil).Encode(obj, w)
}

// Marshal encodes any value.
func Marshal(v any) ([]byte, error) { return direct.Marshal(v) }

// FromJSON transcodes a text.
func FromJSON(text []byte) ([]byte, error) {
	var v any
	if err := utiljson.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errors.New("it is null")
	}
	return direct.Marshal(v)
}
