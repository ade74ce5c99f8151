package componentbase

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) {
	if encoded := os.Getenv(setupVariable); encoded != "" {
		if err := program(encoded); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// compared are the beginnings of the names of series that ForwardMetrics is for.
var compared = []string{"rest_client_", "workqueue_", "leader_election_"}

// uncounted are those that Vedette does not count: docs/bridge.md names them.
var uncounted = []string{"rest_client_exec_plugin_", "rest_client_transport_", "rest_client_dns_resolution_"}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// run runs the program on a server of its own, and returns its series.
func run(t *testing.T, on string) map[string]metric {
	t.Helper()
	server := newServer(t)
	encoded, err := json.Marshal(setup{On: on, Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), setupVariable+"="+string(encoded))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the program on %s: %v\n%s", on, err, &stderr)
	}
	var all map[string]metric
	if err := json.Unmarshal(stdout.Bytes(), &all); err != nil {
		t.Fatalf("the program on %s printed %q: %v", on, &stdout, err)
	}
	kept := map[string]metric{}
	for name, m := range all {
		kept[strings.ReplaceAll(name, strings.TrimPrefix(server.URL, "http://"), "HOST")] = m
	}
	return kept
}

// newServer returns an API server behind a proxy, which refuses the first request for a config map, so that there is a retry, and does not
// answer deletions.
func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	api := apitest.New(t, apitest.Config{})
	for _, object := range []runtime.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}},
		// The lock exists: Vedette waits for LeaseDuration after it has created one.
		&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}},
	} {
		if _, err := api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	config := api.RESTConfig()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	var refused atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			panic(http.ErrAbortHandler) // closes the connection
		case r.URL.Path == "/api/v1/namespaces/default/configmaps/a" && refused.CompareAndSwap(false, true):
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// A program that imports component-base's metrics exports the same series on client-go and, with ForwardMetrics, on Vedette.
func TestSeries(t *testing.T) {
	before, after := run(t, "client-go"), run(t, "vedette")
	for _, name := range slices.Sorted(maps.Keys(before)) {
		t.Log(name, before[name], after[name])
		if got, ok := after[name]; !ok {
			t.Errorf("%s is missing with Vedette", name)
		} else if got.Type != before[name].Type {
			t.Errorf("%s is a %s with Vedette, want %s", name, got.Type, before[name].Type)
		} else if (got.Value > 0) != (before[name].Value > 0) && got.Type != "GAUGE" {
			t.Errorf("%s is %v with Vedette, want %v", name, got.Value, before[name].Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[name]; !ok {
			t.Errorf("%s is not a series of client-go", name)
		}
	}
	// What is counted for work that is the same each time. client-go's elector leaves its gauge at 1 when it has been stopped.
	for _, name := range []string{
		`rest_client_requests_total{code="429",host="HOST",method="GET"}`, `rest_client_requests_total{code="404",host="HOST",method="GET"}`,
		`rest_client_requests_total{code="<error>",host="HOST",method="DELETE"}`, `rest_client_request_retries_total{code="200",host="HOST",verb="GET"}`,
		`rest_client_request_duration_seconds{host="HOST",verb="DELETE"}`, `rest_client_rate_limiter_duration_seconds{host="HOST",verb="DELETE"}`,
		`workqueue_adds_total{name="maps"}`, `workqueue_retries_total{name="maps"}`, `workqueue_work_duration_seconds{name="maps"}`,
	} {
		if got, ok := before[name]; !ok || got != after[name] {
			t.Errorf("%s is %v with client-go and %v with Vedette", name, got, after[name])
		}
	}
	if len(before) < 20 {
		t.Errorf("the program has only %d series", len(before))
	}
}

// Without ForwardMetrics, component-base's metrics count nothing of what Vedette does.
func TestSeriesWithoutForwarding(t *testing.T) {
	for name, m := range run(t, "unforwarded") {
		t.Errorf("%s is %v", name, m)
	}
}
