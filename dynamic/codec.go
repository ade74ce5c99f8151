package dynamic

import (
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/json"
)

func codecs() runtime.NegotiatedSerializer {
	return runtime.NewSimpleNegotiatedSerializer(runtime.SerializerInfo{
		MediaType:        runtime.ContentTypeJSON,
		MediaTypeType:    "application",
		MediaTypeSubType: "json",
		EncodesAsText:    true,
		Serializer:       codec{},
		StreamSerializer: &runtime.StreamSerializerInfo{EncodesAsText: true, Serializer: codec{}, Framer: serializer.Framer},
	})
}

// codec reads JSON into unstructured objects, without a scheme. There are two exceptions: a v1 Status that is not asked
// for by another type, so that errors are recognised, and whatever typed object the caller brings to read into.
type codec struct{}

func (codec) Identifier() runtime.Identifier { return "vedette.dev/dynamic" }

func (codec) Encode(obj runtime.Object, w io.Writer) error {
	if options, ok := obj.(*metav1.DeleteOptions); ok {
		typed := *options
		typed.Kind, typed.APIVersion = "DeleteOptions", "v1"
		obj = &typed
	}
	return unstructured.UnstructuredJSONScheme.Encode(obj, w)
}

func (codec) Decode(data []byte, _ *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, err := decode(data, into)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read %d bytes of JSON as an object: %w", len(data), err)
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	return obj, &gvk, nil
}

func decode(data []byte, into runtime.Object) (runtime.Object, error) {
	switch into := into.(type) {
	case nil:
		return decodeAny(data)
	case *unstructured.Unstructured:
		return decodeObject(data, into)
	case *unstructured.UnstructuredList:
		return into, decodeList(data, into)
	default:
		return into, json.Unmarshal(data, into)
	}
}

// decodeAny reads an object of which nothing is known, as in a watch.
func decodeAny(data []byte) (runtime.Object, error) {
	content, err := decodeMap(data)
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{Object: content}
	switch {
	case isStatus(obj):
		return decodeStatus(data)
	case obj.IsList():
		list := &unstructured.UnstructuredList{}
		return list, fillList(list, content)
	}
	return obj, nil
}

// decodeObject returns obj; or, if the server sent a failure in the place of an object, the failure.
func decodeObject(data []byte, obj *unstructured.Unstructured) (runtime.Object, error) {
	content, err := decodeMap(data)
	if err != nil {
		return nil, err
	}
	obj.Object = content
	if isStatus(obj) && content["status"] == metav1.StatusFailure {
		return decodeStatus(data)
	}
	return obj, nil
}

func isStatus(obj *unstructured.Unstructured) bool {
	return obj.GetKind() == "Status" && obj.GetAPIVersion() == "v1"
}

func decodeStatus(data []byte) (runtime.Object, error) {
	status := &metav1.Status{}
	return status, json.Unmarshal(data, status)
}

func decodeList(data []byte, list *unstructured.UnstructuredList) error {
	content, err := decodeMap(data)
	if err != nil {
		return err
	}
	return fillList(list, content)
}

// fillList takes the items out of a list that was decoded as a map: no byte is decoded twice.
func fillList(list *unstructured.UnstructuredList, content map[string]any) error {
	items, ok := content["items"].([]any)
	if !ok && content["items"] != nil {
		return fmt.Errorf("its items are a %T, not a list", content["items"])
	}
	delete(content, "items")
	list.Object = content
	list.Items = make([]unstructured.Unstructured, len(items))
	// The server leaves out the kind of each item in a list of a built-in kind.
	apiVersion, kind := list.GetAPIVersion(), strings.TrimSuffix(list.GetKind(), "List")
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return fmt.Errorf("item %d of %d is a %T, not an object", i+1, len(items), item)
		}
		list.Items[i].Object = object
		if list.Items[i].GetKind() == "" && list.Items[i].GetAPIVersion() == "" {
			list.Items[i].SetKind(kind)
			list.Items[i].SetAPIVersion(apiVersion)
		}
	}
	return nil
}

// decodeMap reads an object. One without a kind is none.
func decodeMap(data []byte) (map[string]any, error) {
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	if kind, _ := content["kind"].(string); kind == "" {
		return nil, errors.New("it has no kind")
	}
	return content, nil
}
