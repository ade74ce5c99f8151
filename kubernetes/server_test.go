package kubernetes_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
)

// seen is a request as it reached the server.
type seen struct {
	method, path, query string
	contentType, accept string
	kind                schema.GroupVersionKind // of the object in the body, if there is one
	body                runtime.Object
	raw                 string
}

// server notes each request, and answers it with what reply returns.
type server struct {
	mu    sync.Mutex
	all   []seen
	reply func(seen) runtime.Object

	config *rest.Config
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{reply: func(seen) runtime.Object { return &metav1.Status{Status: metav1.StatusSuccess} }}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.config = &rest.Config{Host: h.URL, QPS: -1}
	return s
}

func (s *server) clientset(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	return clientset
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	got := seen{
		method: r.Method, path: r.URL.Path, query: r.URL.RawQuery,
		contentType: r.Header.Get("Content-Type"), accept: r.Header.Get("Accept"),
		raw: string(data),
	}
	if obj, gvk, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil); err == nil {
		got.body, got.kind = obj, *gvk
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, got)
	s.answer(w, got)
}

// answer encodes in the first media type that the client accepts, as a real server does.
func (s *server) answer(w http.ResponseWriter, to seen) {
	mediaType := "application/json"
	if len(to.accept) >= len(runtime.ContentTypeProtobuf) && to.accept[:len(runtime.ContentTypeProtobuf)] == runtime.ContentTypeProtobuf {
		mediaType = runtime.ContentTypeProtobuf
	}
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
	obj := s.reply(to)
	kinds, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	data, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, kinds[0].GroupVersion()), obj)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.Write(data)
}

// last returns the only request since the last call.
func (s *server) last(t *testing.T) seen {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) != 1 {
		t.Fatalf("the server saw %d requests, want one: %+v", len(s.all), s.all)
	}
	got := s.all[0]
	s.all = nil
	return got
}
