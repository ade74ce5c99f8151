package discovery_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"vedette.dev/discovery"
	"vedette.dev/rest"
)

func TestOpenAPI(t *testing.T) {
	asked := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path + "?" + r.URL.Query().Get("hash") + " " + r.Header.Get("Accept")
		if r.URL.Path == "/below/openapi/v3" {
			_, _ = w.Write([]byte(`{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=1"},"apis/apps/v1":{"serverRelativeURL":"/below/openapi/v3/apis/apps/v1?hash=2"}}}`))
			return
		}
		_, _ = w.Write([]byte("document"))
	}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: server.URL + "/below"}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	if doc, err := client.OpenAPIV2(t.Context(), ""); err != nil || string(doc) != "document" {
		t.Errorf("v2: %q, %v", doc, err)
	}
	paths, err := client.OpenAPIV3Paths(t.Context())
	if err != nil || len(paths) != 2 {
		t.Fatalf("paths %v, %v", paths, err)
	}
	for _, name := range []string{"api/v1", "apis/apps/v1"} {
		if doc, err := client.OpenAPIV3Schema(t.Context(), paths[name], "application/x"); err != nil || string(doc) != "document" {
			t.Errorf("%s: %q, %v", name, doc, err)
		}
	}
	if _, err := client.OpenAPIV3Schema(t.Context(), "%", ""); err == nil {
		t.Error("a bad address was asked for")
	}
	close(asked)
	var got []string
	for a := range asked {
		got = append(got, a)
	}
	want := []string{"/below/openapi/v2? application/json", "/below/openapi/v3? application/json",
		"/below/openapi/v3/api/v1?1 application/x", "/below/openapi/v3/apis/apps/v1?2 application/x"}
	if !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}
