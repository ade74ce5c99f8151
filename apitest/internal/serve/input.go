package serve

import (
	"bytes"
	gojson "encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"vedette.dev/apitest/internal/patch"
)

// inputMedia returns the media type of a body.
func inputMedia(r *http.Request) (string, error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return mediaJSON, nil
	}
	media, _, err := mime.ParseMediaType(header)
	if accepted := mediaFor(r, false); err != nil || !slices.Contains(accepted, media) {
		return "", &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure,
			Code:   http.StatusUnsupportedMediaType,
			Reason: metav1.StatusReasonUnsupportedMediaType,
			Message: fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %v",
				strings.Join(accepted, ", ")),
		}}
	}
	return media, nil
}

// decode decodes an object, and returns warnings.
func (s *Server) decode(r *Request, body []byte, fieldValidation string) (runtime.Object, []string, error) {
	contentType := r.Header.Get("Content-Type")
	if isCBOR(r.Request, mediaCBOR) {
		text, err := cborToJSON(body)
		if err != nil {
			return nil, nil, patch.Unrecognized(r.Kind.GroupVersionKind, body, err)
		}
		body, contentType = text, mediaJSON
	}
	if isDefinition(r.Kind) {
		body = withType(body, r.Kind.GroupVersionKind)
	}
	return s.config.Patcher.Decode(r.Kind, contentType, body, fieldValidation)
}

// withType sets the kind of a CustomResourceDefinition. It is unstructured here, which requires the kind; for the real
// server it is a built-in kind, and the path is enough.
func withType(body []byte, gvk schema.GroupVersionKind) []byte {
	var object map[string]any
	if err := utiljson.Unmarshal(body, &object); err != nil || object == nil || object["kind"] != nil {
		return body
	}
	object["apiVersion"], object["kind"] = gvk.ToAPIVersionAndKind()
	data, err := gojson.Marshal(object)
	if err != nil {
		return body
	}
	return data
}

// decodeText decodes JSON or YAML, and returns its kind. The messages are those of the serializers.
func decodeText(body []byte, media string, into any) (schema.GroupVersionKind, error) {
	text := body
	if media == mediaYAML {
		var err error
		if text, err = yaml.YAMLToJSON(body); err != nil {
			return schema.GroupVersionKind{}, err
		}
	}
	gvk, err := json.DefaultMetaFactory.Interpret(text)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return *gvk, utiljson.Unmarshal(text, into)
}

// decodeProtobuf decodes a message in its envelope.
func decodeProtobuf(body []byte, into interface{ Unmarshal([]byte) error }) (schema.GroupVersionKind, error) {
	const prefix = "k8s\x00"
	var envelope runtime.Unknown
	rest, ok := bytes.CutPrefix(body, []byte(prefix))
	if !ok {
		return schema.GroupVersionKind{}, errors.New("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
	}
	if err := envelope.Unmarshal(rest); err != nil {
		return schema.GroupVersionKind{}, err
	}
	return schema.FromAPIVersionAndKind(envelope.APIVersion, envelope.Kind), into.Unmarshal(envelope.Raw)
}
