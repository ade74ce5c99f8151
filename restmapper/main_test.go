package restmapper_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/rest"
	"vedette.dev/restmapper"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type (
	counts = map[string]int // how often each path was asked for
	gvr    = schema.GroupVersionResource
	gvk    = schema.GroupVersionKind
	gk     = schema.GroupKind
)

// groups is a small cluster: autoscaling has two versions, events are in two groups, and two groups know "ex".
func groups() []discoverytest.Group {
	r := func(name, singular, kind string, namespaced bool, short ...string) metav1.APIResource {
		return metav1.APIResource{Name: name, SingularName: singular, Kind: kind, Namespaced: namespaced, ShortNames: short, Categories: []string{"all"}}
	}
	v := func(name string, resources ...metav1.APIResource) discoverytest.Version {
		return discoverytest.Version{Name: name, Resources: resources}
	}
	return []discoverytest.Group{
		{Versions: []discoverytest.Version{v("v1", r("pods", "pod", "Pod", true, "po"), r("pods/status", "", "Pod", true), r("events", "event", "Event", true, "ev"), r("nodes", "", "Node", false))}},
		{Name: "events.k8s.io", Versions: []discoverytest.Version{v("v1", r("events", "event", "Event", true, "ev"))}},
		{Name: "autoscaling", Versions: []discoverytest.Version{
			v("v2", r("horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", true, "hpa")),
			v("v1", r("horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", true, "hpa"), r("oldthings", "oldthing", "OldThing", false))}},
		{Name: "one.example.com", Versions: []discoverytest.Version{v("v1", r("examples", "example", "Example", true, "ex"))}},
		{Name: "two.example.com", Versions: []discoverytest.Version{v("v1", r("extras", "extra", "Extra", true, "ex"))}},
	}
}

// start puts a server on the network, and returns a client for it.
func start(t *testing.T, server *discoverytest.Server) *discovery.DiscoveryClient {
	t.Helper()
	s := httptest.NewServer(server)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); s.Close() })
	return client(t, s.URL, transport)
}

func client(t testing.TB, host string, transport http.RoundTripper) *discovery.DiscoveryClient {
	t.Helper()
	c, err := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: host, QPS: -1}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bubble is a client that needs no network, for tests in a synctest bubble.
func bubble(t testing.TB, server *discoverytest.Server) *discovery.DiscoveryClient {
	return client(t, "http://example", server)
}

func lazy(t testing.TB, client discovery.DiscoveryInterfaceWithContext, interval time.Duration) *restmapper.Lazy {
	t.Helper()
	l, err := restmapper.NewLazy(client, restmapper.LazyOptions{RefreshInterval: interval})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func expect(t *testing.T, server *discoverytest.Server, want counts) {
	t.Helper()
	if got := server.Requests(); !reflect.DeepEqual(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

func mapped(t *testing.T, m meta.RESTMapper, kind gk, want string, versions ...string) {
	t.Helper()
	got, err := m.RESTMapping(kind, versions...)
	if err != nil || got.Resource.String() != want {
		t.Errorf("%v is at %v, %v; want %v", kind, got, err, want)
	}
}

func missing(t *testing.T, m meta.RESTMapper, kind gk, versions ...string) {
	t.Helper()
	if got, err := m.RESTMapping(kind, versions...); !meta.IsNoMatchError(err) {
		t.Errorf("%v is at %v, %v; want no match", kind, got, err)
	}
}
