package discovery_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/discovery"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start puts a handler on the network, and returns a client for it.
func start(t *testing.T, handler http.Handler) *discovery.DiscoveryClient {
	t.Helper()
	server := httptest.NewServer(handler)
	// A transport of its own, so that no connection outlives the test.
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	client, err := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: server.URL}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// recorded is a server that answers with files: the aggregated ones where they are asked for, if it knows them.
func recorded(t *testing.T, aggregated bool) *discoverytest.Server {
	t.Helper()
	server := discoverytest.New()
	for path, v2 := range map[string]bool{"/api": true, "/apis": true, "/api/v1": false, "/apis/apps": false, "/apis/apps/v1": false,
		"/apis/autoscaling/v1": false, "/apis/autoscaling/v2": false} {
		file := strings.ReplaceAll(strings.Trim(path, "/"), "/", "_") + ".json"
		v1 := read(t, "legacy", file)
		server.Instead(path, func(w http.ResponseWriter, r *http.Request) {
			if aggregated && v2 && strings.HasPrefix(r.Header.Get("Accept"), discovery.AcceptV2) {
				discoverytest.Send(discovery.AcceptV2, read(t, "aggregated", file))(w, r)
				return
			}
			discoverytest.Send("application/json", v1)(w, r)
		})
	}
	server.Instead("/apis/metrics.k8s.io/v1beta1", discoverytest.Fail(503, metav1.StatusReasonServiceUnavailable, "the server is currently unable to handle the request"))
	server.Instead("/version", discoverytest.Send("application/json", read(t, "version.json")))
	return server
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names writes the resources of some lists as "group/version: a b c".
func names(lists []*metav1.APIResourceList) []string {
	var lines []string
	for _, list := range lists {
		line := list.GroupVersion + ":"
		for _, r := range list.APIResources {
			line += " " + r.Name
		}
		lines = append(lines, line)
	}
	return lines
}
