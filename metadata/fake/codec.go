package fake

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/fakes"
)

// codec decodes metadata, and the options of deletions, which are the only thing that a metadata client sends as
// protobuf.
type codec struct {
	fakes.Kinds
	scheme *runtime.Scheme
}

// Decode implements fakes.Codec.
func (codec) Decode(body []byte) (runtime.Object, error) {
	if message, ok := bytes.CutPrefix(body, []byte("k8s\x00")); ok {
		var envelope runtime.Unknown
		if err := envelope.Unmarshal(message); err != nil {
			return nil, err
		}
		if envelope.Kind != "DeleteOptions" {
			return nil, errors.New("a " + envelope.Kind + " as protobuf")
		}
		opts := &metav1.DeleteOptions{}
		return opts, opts.Unmarshal(envelope.Raw)
	}
	obj := &metav1.PartialObjectMetadata{}
	return obj, json.Unmarshal(body, obj)
}

// New implements fakes.Codec.
func (codec) New(kind schema.GroupVersionKind) runtime.Object { return newMetadata(kind) }

// Name implements fakes.Codec. Metadata with a kind is encoded as an object of that kind.
func (c codec) Name(obj runtime.Object, gvr schema.GroupVersionResource) (runtime.Object, error) {
	switch o := obj.(type) {
	case *metav1.PartialObjectMetadata:
		named := *o
		if named.Kind == "" {
			named.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		}
		return &named, nil
	case *metav1.PartialObjectMetadataList:
		named := *o
		named.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"))
		return &named, nil
	case *metav1.List:
		named := *o
		named.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "List"})
		return &named, nil
	}
	return fakes.Untyped{Kinds: c.Kinds, Scheme: c.scheme}.Name(obj, gvr)
}

func newMetadata(kind schema.GroupVersionKind) runtime.Object {
	if strings.HasSuffix(kind.Kind, "List") {
		return &metav1.PartialObjectMetadataList{}
	}
	return &metav1.PartialObjectMetadata{}
}

// metadataOnly uses a scheme for the kinds of objects. The decoded objects are metadata.
type metadataOnly struct{ *runtime.Scheme }

// New implements runtime.ObjectCreater.
func (metadataOnly) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return newMetadata(kind), nil
}
