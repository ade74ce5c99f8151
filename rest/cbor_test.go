package rest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/wire/cborread"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestCBORChoices sends a body and an apply with each configuration, to a server that refuses CBOR or not.
func TestCBORChoices(t *testing.T) {
	const json, cbor, protobuf, yaml, applyCBOR = contentTypeJSON, contentTypeCBOR, contentTypeProtobuf, string(types.ApplyYAMLPatchType), string(types.ApplyCBORPatchType)
	for name, test := range map[string]struct {
		config   Config
		without  bool // the serializer has no CBOR
		protobuf bool // the client prefers protobuf
		refuse   bool
		accept   string
		sent     []string // by two bodies and an apply
	}{
		"off":                 {Config{}, false, false, false, json + ", */*", []string{json, json, yaml}},
		"allowed":             {Config{AllowCBOR: true}, false, false, false, acceptCBOR, []string{json, json, yaml}},
		"preferred":           {Config{PreferCBOR: true}, false, false, false, acceptCBOR, []string{cbor, cbor, applyCBOR}},
		"refused":             {Config{PreferCBOR: true}, false, false, true, acceptCBOR, []string{cbor, json, json, yaml}},
		"not in the codecs":   {Config{PreferCBOR: true}, true, false, false, json + ", */*", []string{json, json, yaml}},
		"a built-in kind":     {Config{PreferCBOR: true}, false, true, false, protobuf + "," + json, []string{protobuf, protobuf, applyCBOR}},
		"explicit JSON":       {Config{PreferCBOR: true, ContentConfig: ContentConfig{ContentType: json}}, false, false, false, json + ", */*", []string{json, json, yaml}},
		"explicit CBOR":       {Config{ContentConfig: ContentConfig{ContentType: cbor}}, false, false, true, cbor + ", */*", []string{cbor, json, json, yaml}},
		"explicit acceptance": {Config{PreferCBOR: true, ContentConfig: ContentConfig{AcceptContentTypes: json}}, false, false, false, json, []string{cbor, cbor, applyCBOR}},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := corev1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			codecs := CodecFactoryForGeneratedClient(scheme, serializer.CodecFactory{})
			if test.without {
				codecs = serializer.NewCodecFactory(scheme)
			}
			var sent []string
			config := test.config
			config.Host, config.APIPath, config.GroupVersion = "http://server", "/api", &schema.GroupVersion{Version: "v1"}
			config.NegotiatedSerializer, config.QPS = codecs.WithoutConversion(), -1
			first := true
			config.Transport = roundTripFunc(func(r *http.Request) (*http.Response, error) {
				contentType := r.Header.Get("Content-Type")
				sent = append(sent, contentType)
				if got := r.Header.Get("Accept"); first && got != test.accept {
					t.Errorf("accepts %q, want %q", got, test.accept)
				}
				first = false
				body, _ := io.ReadAll(r.Body)
				resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {json}}, Body: io.NopCloser(strings.NewReader(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`)), Request: r}
				if strings.Contains(contentType, "cbor") {
					var got corev1.ConfigMap
					if err := cborread.Into(body, &got); err != nil || got.Name != "a" {
						t.Errorf("sent %q, %v", body, err)
					}
					if test.refuse {
						resp.StatusCode, resp.Body = http.StatusUnsupportedMediaType, io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":415}`))
					}
				} else if contentType != protobuf && !bytes.Contains(body, []byte(`"name":"a"`)) {
					t.Errorf("sent %q", body)
				}
				return resp, nil
			})
			client, err := RESTClientFor(&config)
			if err != nil {
				t.Fatal(err)
			}
			cm := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
			for range 2 {
				var got corev1.ConfigMap
				if err := client.Post().UseProtobufAsDefaultIfPreferred(test.protobuf).MaxRetries(0).Resource("configmaps").Body(cm).Do(t.Context()).Into(&got); err != nil || got.Name != "a" {
					t.Errorf("%+v, %v", got, err)
				}
			}
			var got struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			if err := client.Patch(types.ApplyPatchType).Resource("configmaps").Name("a").ApplyBody(cm).Do(t.Context()).IntoAny(&got); err != nil || got.Metadata.Name != "a" {
				t.Errorf("%+v, %v", got, err)
			}
			if !slices.Equal(sent, test.sent) {
				t.Errorf("sent %q, want %q", sent, test.sent)
			}
		})
	}
}

// TestCBORWithoutProtobuf: a request that has asked for CBOR still does.
func TestCBORWithoutProtobuf(t *testing.T) {
	for accept, want := range map[string]string{acceptCBOR: acceptCBOR, contentTypeProtobuf: contentTypeJSON, contentTypeCBOR: acceptCBOR} {
		r := NewRequest(&RESTClient{}).SetHeader("Accept", accept).WithoutProtobuf()
		if got := r.headers.Get("Accept"); got != want {
			t.Errorf("%q became %q, want %q", accept, got, want)
		}
	}
	if r := NewRequest(&RESTClient{}).ApplyBody(func() {}); r.Error() == nil {
		t.Error("a function is a body")
	}
}
