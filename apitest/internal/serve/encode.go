package serve

import (
	"bytes"
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"sigs.k8s.io/yaml"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

// protobufEncoder needs no scheme: objects have their kind set.
var protobufEncoder = sync.OnceValue(func() *protobuf.Serializer { return protobuf.NewSerializer(nil, nil) })

// encode encodes one object that has its kind set.
func encode(obj runtime.Object, media string) ([]byte, error) {
	switch media {
	case mediaProtobuf:
		var out bytes.Buffer
		err := protobufEncoder().Encode(obj, &out)
		return out.Bytes(), err
	case mediaCBOR:
		return encodeCBOR(obj)
	case mediaYAML:
		data, err := toJSON(obj)
		if err != nil {
			return nil, err
		}
		return yaml.JSONToYAML(data)
	}
	data, err := toJSON(obj)
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

func toJSON(obj runtime.Object) ([]byte, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return json.Marshal(u.Object)
	}
	return json.Marshal(obj)
}

// view converts stored objects to the version and form that a client accepts.
type view struct {
	registry *kinds.Registry
	kind     *kinds.Kind // the version
	stored   *kinds.Kind // what the objects are
	output
}

// gvk returns the kind of objects in this view.
func (v *view) gvk() schema.GroupVersionKind {
	if v.as == "PartialObjectMetadata" || v.as == "PartialObjectMetadataList" {
		return schema.GroupVersionKind{Group: "meta.k8s.io", Version: v.asVersion, Kind: "PartialObjectMetadata"}
	}
	return v.kind.GroupVersionKind
}

// object converts a stored object, without its kind: items of lists do not have one.
func (v *view) object(obj runtime.Object) (runtime.Object, error) {
	if v.stored != v.kind {
		converted, err := v.registry.Convert(obj, v.kind)
		if err != nil {
			return nil, err
		}
		obj = converted
	}
	if v.as != "PartialObjectMetadata" && v.as != "PartialObjectMetadataList" {
		return obj, nil
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	partial := meta.AsPartialObjectMetadata(accessor)
	partial.SetGroupVersionKind(v.gvk())
	return partial, nil
}

// whole is object with its kind.
func (v *view) whole(obj runtime.Object) (runtime.Object, error) {
	shown, err := v.object(obj)
	if err != nil {
		return nil, err
	}
	return withKind(shown, v.gvk()), nil
}

// withKind returns a shallow copy with the kind set.
func withKind(obj runtime.Object, gvk schema.GroupVersionKind) runtime.Object {
	if obj.GetObjectKind().GroupVersionKind() == gvk {
		return obj
	}
	copied := storage.Shallow(obj)
	copied.GetObjectKind().SetGroupVersionKind(gvk)
	return copied
}

// withoutKind returns what is stored: the kind of typed objects follows from their Go type, and items of lists have
// none.
func withoutKind(obj runtime.Object) runtime.Object {
	if _, ok := obj.(*unstructured.Unstructured); !ok {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return obj
}

// metaOf is meta.Accessor for objects that are known to have metadata.
func metaOf(obj runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		panic("apitest: an object without metadata: " + err.Error())
	}
	return accessor
}
