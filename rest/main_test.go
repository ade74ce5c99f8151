package rest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testScheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := corev1.AddToScheme(s); err != nil {
		panic(err)
	}
	return s
}()

// configFor is a Config for the core group on a host, without a rate limit.
func configFor(host string) *Config {
	return &Config{
		Host: host, APIPath: "/api", QPS: -1,
		ContentConfig: ContentConfig{
			GroupVersion:         &corev1.SchemeGroupVersion,
			NegotiatedSerializer: serializer.NewCodecFactory(testScheme).WithoutConversion(),
		},
	}
}

func newTestClient(t testing.TB, config *Config) *RESTClient {
	t.Helper()
	client, err := RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Client.CloseIdleConnections)
	return client
}

// serve starts a server and returns a client for it.
func serve(t testing.TB, handler http.HandlerFunc) *RESTClient {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newTestClient(t, configFor(server.URL))
}

// answer serves one body for all requests.
func answer(status int, contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// roundTripper is a server without a network, for synctest.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// handled answers with a handler.
func handled(h http.HandlerFunc) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		h(recorder, r)
		resp := recorder.Result()
		resp.Request = r
		return resp, nil
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "ns", UID: "uid-of-" + "x", ResourceVersion: "7", Generation: 3,
			Labels: map[string]string{"app": name},
		},
	}
}

func toJSON(t testing.TB, obj any) []byte {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// toProtobuf encodes with Kubernetes' envelope.
func toProtobuf(t testing.TB, kind string, obj interface{ Marshal() ([]byte, error) }) []byte {
	t.Helper()
	body, err := obj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: body}
	data, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("k8s\x00"), data...)
}

func jsonFrame(t testing.TB, typ watch.EventType, obj any) []byte {
	return append(toJSON(t, map[string]any{"type": typ, "object": obj}), '\n')
}

func protobufFrame(t testing.TB, typ watch.EventType, kind string, obj interface{ Marshal() ([]byte, error) }) []byte {
	t.Helper()
	event := metav1.WatchEvent{Type: string(typ), Object: runtime.RawExtension{Raw: toProtobuf(t, kind, obj)}}
	data, err := event.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
}

func status(code int32, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: "because of " + string(reason),
	}
}

var background = context.Background()
