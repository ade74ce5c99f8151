package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/watch"
)

// cborKey marks the requests of a server that supports CBOR.
type cborKey struct{}

func withCBOR(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), cborKey{}, true))
}

func supportsCBOR(r *http.Request) bool { return r.Context().Value(cborKey{}) != nil }

// mediaFor returns the media types of a kind.
func mediaFor(r *http.Request, custom bool) []string {
	media := builtinMedia
	if custom {
		media = customMedia
	}
	if supportsCBOR(r) {
		media = append(slices.Clone(media), mediaCBOR)
	}
	return media
}

// encodeCBOR encodes an object with the entries of its maps in random order, as the real server does.
func encodeCBOR(obj runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	err := cbor.NewSerializer(nil, nil).EncodeNondeterministic(obj, &out)
	return out.Bytes(), err
}

// selfDescribed is what begins an object, but not one that is in a list.
const selfDescribed = "\xd9\xd9\xf7"

// frameCBOR encodes an event with an encoded object. A watch is a sequence of these.
func frameCBOR(kind watch.EventType, object []byte) ([]byte, error) {
	return encodeCBOR(&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: object}})
}

// writeCBOR writes a list, an item at a time. Its four entries begin at a random one.
func (v *view) writeCBOR(w http.ResponseWriter, r *http.Request, items []runtime.Object, list metav1.ListMeta, gvk schema.GroupVersionKind) error {
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	body := newResponse(w, r, http.StatusOK, v.media)
	entry := func(name string, value any) error {
		data, err := direct.Marshal(name)
		if err == nil {
			_, _ = body.Write(data)
			if value == nil {
				return nil
			}
			if data, err = direct.Marshal(value); err == nil {
				_, err = body.Write(data)
			}
		}
		return err
	}
	entries := []func() error{
		func() error { return entry("kind", kind) },
		func() error { return entry("apiVersion", apiVersion) },
		func() error { return entry("metadata", list) },
		func() error {
			if err := entry("items", nil); err != nil {
				return err
			}
			return v.writeItemsCBOR(body, items)
		},
	}
	const mapOfFour = 0xa4
	_, _ = body.Write(append([]byte(selfDescribed), mapOfFour))
	first := rand.IntN(len(entries))
	for i := range entries {
		if err := entries[(first+i)%len(entries)](); err != nil {
			return err
		}
	}
	return body.Close()
}

func (v *view) writeItemsCBOR(body io.Writer, items []runtime.Object) error {
	// The array is as long as that of as many nulls.
	head, err := direct.Marshal(make([]any, len(items)))
	if err != nil {
		return err
	}
	if _, err = body.Write(head[:len(head)-len(items)]); err != nil {
		return err
	}
	for _, item := range items {
		shown, err := v.object(item)
		if err != nil {
			return err
		}
		data, err := encodeCBOR(shown)
		if err != nil {
			return err
		}
		if _, err = body.Write(data[len(selfDescribed):]); err != nil {
			return err
		}
	}
	return nil
}

// isCBOR reports whether the body of a request has a type and the server supports it.
func isCBOR(r *http.Request, wanted string) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == wanted && supportsCBOR(r)
}

// cborToJSON makes a body one in JSON, which the rest of the server reads.
func cborToJSON(body []byte) ([]byte, error) {
	var v any
	if err := direct.Unmarshal(body, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
