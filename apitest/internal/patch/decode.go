package patch

import (
	"fmt"
	"mime"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"vedette.dev/apitest/internal/kinds"
)

// Decode implements Patcher.
func (p *patcher) Decode(kind *kinds.Kind, contentType string, body []byte, fieldValidation string) (runtime.Object, []string, error) {
	return p.shapeOf(kind, "").decode(contentType, body, fieldValidation)
}

func (s shape) decode(contentType string, body []byte, fieldValidation string) (runtime.Object, []string, error) {
	strict := strictnessOf(fieldValidation)
	decoder, err := s.decoder(contentType, strict.looks())
	if err != nil {
		return nil, nil, err
	}
	obj, got, err := s.read(decoder, body, strict.looks())
	found, err := split(err)
	if err != nil {
		return nil, nil, badBody(s.GroupVersionKind, got, body, err)
	}
	warnings, err := strict.judge(found)
	if err != nil {
		return nil, nil, badBody(s.GroupVersionKind, got, body, err)
	}
	if got.GroupVersion() != s.GroupVersion() {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf(
			"the API version in the data (%s) does not match the expected API version (%s)", got.GroupVersion(), s.GroupVersion()))
	}
	if err := keepKind(s, obj); err != nil {
		return nil, nil, err
	}
	return obj, warnings, nil
}

// decoder is the one for a media type. Custom resources do not travel as protobuf.
func (s shape) decoder(contentType string, strict bool) (runtime.Decoder, error) {
	mediaType := runtime.ContentTypeJSON
	if contentType != "" {
		mediaType, _, _ = mime.ParseMediaType(contentType) // a malformed one is an unknown one
	}
	switch {
	case mediaType == runtime.ContentTypeJSON:
		return s.text(json.SerializerOptions{Strict: strict}), nil
	case mediaType == runtime.ContentTypeYAML:
		return s.text(json.SerializerOptions{Strict: strict, Yaml: true}), nil
	case mediaType == runtime.ContentTypeProtobuf && !s.custom:
		return protobuf.NewSerializer(s, s), nil
	}
	return nil, unsupportedMediaType(runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf)
}

func (s shape) text(options json.SerializerOptions) *json.Serializer {
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, s, s, options)
}

// read makes an object of the shape from a body. The error may be a strict one, then the object is there nevertheless.
func (s shape) read(decoder runtime.Decoder, body []byte, strict bool) (runtime.Object, *schema.GroupVersionKind, error) {
	defaults := s.GroupVersionKind
	obj, got, err := decoder.Decode(body, &defaults, s.make())
	found, err := split(err)
	if err != nil {
		return nil, got, err
	}
	if !s.custom && got.GroupKind() != s.GroupKind() {
		return nil, got, cannotConvert(obj, s.GroupVersionKind)
	}
	unknown, err := settle(s, obj)
	if err != nil {
		return nil, got, err
	}
	if !strict {
		return obj, got, nil
	}
	for _, path := range unknown {
		found = append(found, unknownField(path))
	}
	if len(found) > 0 {
		return obj, got, runtime.NewStrictDecodingError(found)
	}
	return obj, got, nil
}
