package rest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/wire/cborread"
)

// acceptCBOR asks for CBOR, and takes JSON from a server that does not know it.
const acceptCBOR = contentTypeCBOR + "," + contentTypeJSON + ";q=0.9,*/*;q=0.8"

// cborUse is how a client uses CBOR. Nil means not at all.
type cborUse struct {
	accept, prefer bool
	// refused is set when the server has refused a body in CBOR. From then on bodies are JSON.
	refused atomic.Bool
}

// cborUseOf returns how a client for config uses CBOR, for which its serializer must know it.
func cborUseOf(config *Config) *cborUse {
	explicit := isCBOR(config.ContentType)
	u := &cborUse{accept: config.AllowCBOR || config.PreferCBOR, prefer: config.PreferCBOR || explicit}
	if config.ContentType != "" && !explicit || !u.accept && !explicit {
		return nil
	}
	if _, ok := runtime.SerializerInfoForMediaType(config.NegotiatedSerializer.SupportedMediaTypes(), contentTypeCBOR); !ok {
		return nil
	}
	return u
}

// choose sets the encodings of a request; unset says that the configuration does not specify that of bodies.
func (u *cborUse) choose(content *ClientContentConfig, unset bool) {
	if u == nil {
		return
	}
	if unset && u.accept && content.AcceptContentTypes == "" {
		content.AcceptContentTypes = acceptCBOR
	}
	switch {
	case u.refused.Load() && isCBOR(content.ContentType):
		content.ContentType = contentTypeJSON
	case unset && u.sends():
		content.ContentType = contentTypeCBOR
	}
}

// sends reports whether bodies are CBOR unless the configuration or the caller says something else.
func (u *cborUse) sends() bool { return u != nil && u.prefer && !u.refused.Load() }

func isCBOR(contentType string) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType == contentTypeCBOR
}

// ApplyBody makes a request a server-side apply of v: anything that marshals to JSON, such as an apply configuration or the
// content of an unstructured object. It is sent as JSON, which is YAML, or as CBOR if Config.PreferCBOR is set and the
// server has not refused it.
func (r *Request) ApplyBody(v any) *Request {
	return r.value(v, string(types.ApplyYAMLPatchType), string(types.ApplyCBORPatchType))
}

// ValueBody sets the body to v, which marshals to JSON and need not be an API object. It is sent as JSON, or as CBOR like that
// of ApplyBody.
func (r *Request) ValueBody(v any) *Request { return r.value(v, contentTypeJSON, contentTypeCBOR) }

func (r *Request) value(v any, typeOfJSON, typeOfCBOR string) *Request {
	if r.err != nil {
		return r
	}
	asJSON := func() ([]byte, string, error) {
		data, err := json.Marshal(v)
		return data, typeOfJSON, err
	}
	if !r.c.cbor.sends() {
		return r.encoded(asJSON())
	}
	data, err := cborread.Marshal(v)
	r.encoded(data, typeOfCBOR, err)
	r.asJSON = asJSON
	return r
}

// encoded sets a body and its type.
func (r *Request) encoded(data []byte, contentType string, err error) *Request {
	if err != nil {
		return r.fail("request body: %w", err)
	}
	r.bodyBytes, r.bodyReader, r.asJSON = data, nil, nil
	return r.SetHeader("Content-Type", contentType)
}

// inJSON changes the body to JSON if the server has refused it because it is CBOR, and reports whether to send the request
// again. All later requests of the client have bodies in JSON.
func (r *Request) inJSON(resp *http.Response) bool {
	if resp == nil || resp.StatusCode != http.StatusUnsupportedMediaType || r.asJSON == nil {
		return false
	}
	if r.c.cbor != nil {
		r.c.cbor.refused.Store(true)
	}
	data, contentType, err := r.asJSON()
	if err != nil {
		r.asJSON = nil
		return false
	}
	return r.encoded(data, contentType, nil).err == nil
}

// WithoutProtobuf makes the request ask for an encoding that can be decoded into any type: JSON, or CBOR if it has asked for
// that.
func (r *Request) WithoutProtobuf() *Request {
	if strings.Contains(r.headers.Get("Accept"), contentTypeCBOR) {
		return r.SetHeader("Accept", acceptCBOR)
	}
	return r.SetHeader("Accept", contentTypeJSON)
}

// encodeAs encodes an object as a content type.
func (r *Request) encodeAs(obj runtime.Object, contentType string) ([]byte, error) {
	encoder, err := r.content.Negotiator.Encoder(contentType, nil)
	if err != nil {
		return nil, fmt.Errorf("no encoder for %s: %w", contentType, err)
	}
	data, err := runtime.Encode(encoder, obj)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a %T as %s: %w", obj, contentType, err)
	}
	return data, nil
}
