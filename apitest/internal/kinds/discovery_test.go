package kinds

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
)

func ask(t *testing.T, r *Registry, path, accept string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequest(http.MethodGet, path, nil)
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

func sameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, got)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got[:min(len(got), 2000)], want[:min(len(want), 2000)])
	}
}

// What is made from the table must be what the table was made from: nothing is missing, nothing is new.
func TestDiscoveryIsAsRecorded(t *testing.T) {
	r := NewRegistry()
	const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	for name := range recorded().files {
		path, ok := strings.CutPrefix(name, "resources/")
		if !ok {
			continue
		}
		want, _ := recorded().document(name)
		sameJSON(t, ask(t, r, "/"+strings.TrimSuffix(path, ".json"), "").Body.Bytes(), want)
	}
	for _, root := range []string{"api", "apis"} {
		want, _ := recorded().document("discovery/" + root + ".json")
		got := ask(t, r, "/"+root, accept)
		sameJSON(t, got.Body.Bytes(), want)
		if ct := got.Header().Get("Content-Type"); !strings.Contains(ct, "as=APIGroupDiscoveryList") {
			t.Errorf("content type %q", ct)
		}
	}
}

func TestAggregatedDiscoveryProtobuf(t *testing.T) {
	w := ask(t, NewRegistry(), "/apis", "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	body := w.Body.Bytes()
	if len(body) < 1000 || string(body[:4]) != "k8s\x00" {
		t.Fatalf("not protobuf: %q", body[:min(40, len(body))])
	}
	want := (&apidiscoveryv2.APIGroupDiscoveryList{}).Size()
	if want > len(body) {
		t.Errorf("%d bytes", len(body))
	}
}

func TestAggregatedDiscoveryIsNotSentTwice(t *testing.T) {
	r := NewRegistry()
	accept := "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	etag := ask(t, r, "/apis", accept).Header().Get("ETag")
	req := httptest.NewRequest(http.MethodGet, "/apis", nil)
	req.Header.Set("Accept", accept)
	req.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("%d with %d bytes for ETag %s", w.Code, w.Body.Len(), etag)
	}
}

func TestDiscoveryAnswers(t *testing.T) {
	for _, c := range []struct {
		path, accept string
		code         int
		contains     string
	}{
		{"/api", "", 200, `"versions":["v1"]`},
		{"/apis/", "", 200, `"preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}`},
		{"/apis/apps", "", 200, `"kind":"APIGroup"`},
		{"/apis/nope", "", 404, "404 page not found"},
		{"/apis/nope/v1", "", 404, "404 page not found"},
		{"/apis/apps/v2", "", 404, "the server could not find the requested resource"},
		{"/api/v2", "", 404, "the server could not find the requested resource"},
		{"/apis", "text/html", 406, "only the following media types are accepted"},
		{"/apis/apps/v1", "text/html", 406, "Available representations"},
		{"/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", 406, "accepted"},
		{"/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", 200, "APIGroupList"},
		{"/version", "", 200, "v1.36"},
		{"/openapi/v3", "", 200, "apis/apps/v1?hash="},
		{"/openapi/v3/apis/apps/v1", "application/json", 200, "io.k8s.api.apps.v1.Deployment"},
		{"/openapi/v3/apis/nope", "", 404, ""},
		{"/openapi/v3/apis/apps/v1?hash=x", "", 301, ""},
		{"/openapi/v2", "text/html", 406, ""},
		{"/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", 200, "Kubernetes"},
	} {
		w := ask(t, NewRegistry(), c.path, c.accept)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.contains) {
			t.Errorf("%s for %q: %d %.200s", c.path, c.accept, w.Code, w.Body)
		}
	}
}

func TestOpenAPITravelsCompressed(t *testing.T) {
	r := NewRegistry()
	req := httptest.NewRequest(http.MethodGet, "/openapi/v3/apis/batch/v1", nil)
	req.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	zr, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := recorded().document("openapi/v3/apis/batch/v1.json")
	if string(got) != string(want) {
		t.Error("differs from the recorded document")
	}
}

func contains(text, part string) bool { return strings.Contains(text, part) }
