package metadata

import (
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/wire/cborread"
)

// codecs read metadata and little else, in JSON, CBOR and protobuf.
type codecs []runtime.SerializerInfo

func newCodecs() codecs {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		panic(err) // it has no way to fail
	}
	raw := protobuf.NewRawSerializer(scheme, scheme)
	text, binary := codec{"JSON", utiljson.Unmarshal}, codec{"CBOR", cborread.Into}
	return codecs{{
		MediaType: runtime.ContentTypeJSON, MediaTypeType: "application", MediaTypeSubType: "json", EncodesAsText: true,
		Serializer:       text,
		StreamSerializer: &runtime.StreamSerializerInfo{EncodesAsText: true, Serializer: text, Framer: serializer.Framer},
	}, {
		MediaType: runtime.ContentTypeCBOR, MediaTypeType: "application", MediaTypeSubType: "cbor",
		Serializer:       binary,
		StreamSerializer: &runtime.StreamSerializerInfo{Serializer: binary, Framer: cbor.NewFramer()},
	}, {
		MediaType: runtime.ContentTypeProtobuf, MediaTypeType: "application", MediaTypeSubType: "vnd.kubernetes.protobuf",
		Serializer:       protobuf.NewSerializer(scheme, scheme),
		StreamSerializer: &runtime.StreamSerializerInfo{Serializer: raw, Framer: protobuf.LengthDelimitedFramer},
	}}
}

func (c codecs) SupportedMediaTypes() []runtime.SerializerInfo { return c }

func (codecs) EncoderForVersion(e runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder {
	return e
}

// DecoderToVersion takes away the kind, which says PartialObjectMetadata in one encoding and something else in another.
func (codecs) DecoderToVersion(d runtime.Decoder, _ runtime.GroupVersioner) runtime.Decoder {
	return runtime.WithoutVersionDecoder{Decoder: d}
}

// codec reads the metadata of an object in JSON or CBOR, be it whole or not, without a scheme.
type codec struct {
	form string
	read func(data []byte, into any) error
}

func (c codec) Identifier() runtime.Identifier {
	return runtime.Identifier("vedette.dev/metadata " + c.form)
}

func (codec) Encode(obj runtime.Object, _ io.Writer) error {
	return fmt.Errorf("cannot send a %T: the metadata client sends patches and options alone", obj)
}

func (c codec) Decode(data []byte, _ *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, err := c.decode(data, into)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read %d bytes of %s as metadata: %w", len(data), c.form, err)
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	return obj, &gvk, nil
}

func (c codec) decode(data []byte, into runtime.Object) (runtime.Object, error) {
	switch into := into.(type) {
	case nil:
		return c.decodeAny(data, &metav1.PartialObjectMetadata{})
	case *metav1.PartialObjectMetadata:
		obj, err := c.decodeAny(data, into)
		if err == nil && obj == runtime.Object(into) && !isLikely(into) {
			err = errors.New("it has neither a name nor a UID nor a time of creation")
		}
		return obj, err
	default:
		return into, c.read(data, into)
	}
}

// decodeAny reads data into obj, unless it is a Status.
func (c codec) decodeAny(data []byte, obj *metav1.PartialObjectMetadata) (runtime.Object, error) {
	if err := c.read(data, obj); err != nil {
		return nil, err
	}
	if obj.Kind == "Status" && obj.APIVersion == "v1" {
		status := &metav1.Status{}
		return status, c.read(data, status)
	}
	return obj, nil
}

// isLikely reports whether what was read is the metadata of an object, and not of something else that happens to be JSON.
func isLikely(obj *metav1.PartialObjectMetadata) bool {
	return obj.UID != "" || !obj.CreationTimestamp.IsZero() || obj.Name != "" || obj.GenerateName != ""
}
