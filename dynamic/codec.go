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
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/wire/cborread"
)

func codecs() runtime.NegotiatedSerializer {
	text, binary := codec{jsonForm{}}, codec{cborForm{}}
	return negotiated{{
		MediaType: runtime.ContentTypeJSON, MediaTypeType: "application", MediaTypeSubType: "json", EncodesAsText: true,
		Serializer:       text,
		StreamSerializer: &runtime.StreamSerializerInfo{EncodesAsText: true, Serializer: text, Framer: json.Framer},
	}, {
		MediaType: runtime.ContentTypeCBOR, MediaTypeType: "application", MediaTypeSubType: "cbor",
		Serializer:       binary,
		StreamSerializer: &runtime.StreamSerializerInfo{Serializer: binary, Framer: cbor.NewFramer()},
	}}
}

// negotiated are the codecs by media type. They do not convert.
type negotiated []runtime.SerializerInfo

func (n negotiated) SupportedMediaTypes() []runtime.SerializerInfo { return n }

func (negotiated) EncoderForVersion(e runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder {
	return e
}

func (negotiated) DecoderToVersion(d runtime.Decoder, _ runtime.GroupVersioner) runtime.Decoder {
	return d
}

// form is an encoding of objects without types.
type form interface {
	name() string
	content(data []byte) (map[string]any, error)
	into(data []byte, obj any) error
	encode(obj runtime.Object, w io.Writer) error
}

type jsonForm struct{}

func (jsonForm) name() string { return "JSON" }

func (jsonForm) content(data []byte) (content map[string]any, err error) {
	err = utiljson.Unmarshal(data, &content)
	return content, err
}

func (jsonForm) into(data []byte, obj any) error { return utiljson.Unmarshal(data, obj) }

func (jsonForm) encode(obj runtime.Object, w io.Writer) error {
	return unstructured.UnstructuredJSONScheme.Encode(obj, w)
}

type cborForm struct{}

func (cborForm) name() string { return "CBOR" }

func (cborForm) content(data []byte) (map[string]any, error) { return cborread.Map(data) }

func (cborForm) into(data []byte, obj any) error { return cborread.Into(data, obj) }

func (cborForm) encode(obj runtime.Object, w io.Writer) error { return cborread.Encode(obj, w) }

// codec reads one form into unstructured objects, without a scheme. There are two exceptions: a v1 Status that is not asked
// for by another type, so that errors are recognised, and whatever typed object the caller brings to read into.
type codec struct{ form form }

func (c codec) Identifier() runtime.Identifier {
	return runtime.Identifier("vedette.dev/dynamic " + c.form.name())
}

func (c codec) Encode(obj runtime.Object, w io.Writer) error {
	if options, ok := obj.(*metav1.DeleteOptions); ok {
		typed := *options
		typed.Kind, typed.APIVersion = "DeleteOptions", "v1"
		obj = &typed
	}
	return c.form.encode(obj, w)
}

func (c codec) Decode(data []byte, _ *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, err := c.decode(data, into)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read %d bytes of %s as an object: %w", len(data), c.form.name(), err)
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	return obj, &gvk, nil
}

func (c codec) decode(data []byte, into runtime.Object) (runtime.Object, error) {
	switch into := into.(type) {
	case nil:
		return c.decodeAny(data)
	case *unstructured.Unstructured:
		return c.decodeObject(data, into)
	case *unstructured.UnstructuredList:
		return into, c.decodeList(data, into)
	default:
		return into, c.form.into(data, into)
	}
}

// decodeAny reads an object of which nothing is known, as in a watch.
func (c codec) decodeAny(data []byte) (runtime.Object, error) {
	content, err := c.decodeMap(data)
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{Object: content}
	switch {
	case isStatus(obj):
		return c.decodeStatus(data)
	case obj.IsList():
		list := &unstructured.UnstructuredList{}
		return list, fillList(list, content)
	}
	return obj, nil
}

// decodeObject returns obj; or, if the server sent a failure in the place of an object, the failure.
func (c codec) decodeObject(data []byte, obj *unstructured.Unstructured) (runtime.Object, error) {
	content, err := c.decodeMap(data)
	if err != nil {
		return nil, err
	}
	obj.Object = content
	if isStatus(obj) && content["status"] == metav1.StatusFailure {
		return c.decodeStatus(data)
	}
	return obj, nil
}

func isStatus(obj *unstructured.Unstructured) bool {
	return obj.GetKind() == "Status" && obj.GetAPIVersion() == "v1"
}

func (c codec) decodeStatus(data []byte) (runtime.Object, error) {
	status := &metav1.Status{}
	return status, c.form.into(data, status)
}

func (c codec) decodeList(data []byte, list *unstructured.UnstructuredList) error {
	content, err := c.decodeMap(data)
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
func (c codec) decodeMap(data []byte) (map[string]any, error) {
	content, err := c.form.content(data)
	if err != nil {
		return nil, err
	}
	if kind, _ := content["kind"].(string); kind == "" {
		return nil, errors.New("it has no kind")
	}
	return content, nil
}
