package podserver

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"vedette.dev/bench/internal/benchtest"
	"vedette.dev/bench/pods"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) { benchtest.Main(m, Command, Serve) }

// encoded is a page of a list as an API server writes it.
func encoded(t *testing.T, contentType string, begin, end int, token string) []byte {
	t.Helper()
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "5000000000", Continue: token}}
	for i := begin; i < end; i++ {
		list.Items = append(list.Items, *pods.New(i))
	}
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), contentType)
	if !ok {
		t.Fatalf("no serializer for %s", contentType)
	}
	data, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion), list)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestListIsAsAnAPIServerWritesIt(t *testing.T) {
	const count = 150 // several blocks, several shapes
	handler, err := NewHandler(count)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []pods.Encoding{pods.JSON, pods.Protobuf} {
		for _, tt := range []struct {
			query      string
			begin, end int
			token      string
		}{
			{"", 0, count, ""},
			{"?limit=0", 0, count, ""},
			{"?limit=1000", 0, count, ""},
			{"?limit=7", 0, 7, "0.7"},
			{"?limit=100&continue=0.7", 7, 107, "0.107"},
			{"?limit=100&continue=0.107", 107, count, ""},
		} {
			r := httptest.NewRequest(http.MethodGet, "/api/v1/pods"+tt.query, nil)
			r.Header.Set("Accept", e.ContentType()+",*/*")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != e.ContentType() {
				t.Fatalf("%s%s: status %d, content type %s", e, tt.query, w.Code, w.Header().Get("Content-Type"))
			}
			if !bytes.Equal(w.Body.Bytes(), encoded(t, e.ContentType(), tt.begin, tt.end, tt.token)) {
				t.Errorf("%s%s: not the bytes of a list of the pods %d to %d", e, tt.query, tt.begin, tt.end)
			}
		}
	}
}

func TestRequestsThatCannotBeServed(t *testing.T) {
	handler, err := NewHandler(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, accept string
		code         int
	}{
		{"/api/v1/pods", "application/cbor", http.StatusNotAcceptable},
		{"/api/v1/pods?limit=many", "application/json", http.StatusBadRequest},
		{"/api/v1/pods?continue=7", "application/json", http.StatusBadRequest},
		{"/api/v1/pods?continue=9.1", "application/json", http.StatusBadRequest},
		{"/api/v1/pods?watch=true&resourceVersion=7", "application/json", http.StatusBadRequest},
		{"/api/v1/nodes", "application/json", http.StatusNotFound},
	} {
		r := httptest.NewRequest(http.MethodGet, tt.path, nil)
		r.Header.Set("Accept", tt.accept)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != tt.code {
			t.Errorf("%s as %s: status %d, want %d", tt.path, tt.accept, w.Code, tt.code)
		}
	}
}

func TestProcess(t *testing.T) {
	p, err := Start(3)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodGet, p.URL+"/api/v1/pods", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", pods.JSON.ContentType())
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !bytes.Equal(body, encoded(t, pods.JSON.ContentType(), 0, 3, "")) {
		t.Errorf("error %v, %d bytes that are not a list of 3 pods", err, len(body))
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := http.DefaultClient.Do(r); err == nil {
		t.Error("the server answers after it was stopped")
	}
}

func TestProcessThatFails(t *testing.T) {
	for _, args := range [][]string{nil, {"many"}, {"1", "2"}} {
		if err := Serve(args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("no error with the arguments %q", args)
		}
	}
}
