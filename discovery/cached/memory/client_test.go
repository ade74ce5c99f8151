package memory_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/memory"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counts is how often each path was asked for.
type counts = map[string]int

func groups() []discoverytest.Group {
	resource := func(name, kind string) []metav1.APIResource {
		return []metav1.APIResource{{Name: name, Kind: kind, Namespaced: true}}
	}
	return []discoverytest.Group{
		{Versions: []discoverytest.Version{{Name: "v1", Resources: resource("pods", "Pod")}}},
		{Name: "apps", Versions: []discoverytest.Version{{Name: "v1", Resources: resource("deployments", "Deployment")}}},
		{Name: "batch", Versions: []discoverytest.Version{{Name: "v1", Resources: resource("jobs", "Job")}, {Name: "v1beta1", Resources: resource("cronjobs", "CronJob")}}},
	}
}

// start puts a server on the network, and returns a cache of it.
func start(t *testing.T, handler http.Handler) discovery.CachedDiscoveryInterfaceWithContext {
	t.Helper()
	server := httptest.NewServer(handler)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	return memory.NewMemCacheClientWithContext(client(t, server.URL, transport))
}

func client(t *testing.T, host string, transport http.RoundTripper) *discovery.DiscoveryClient {
	t.Helper()
	c, err := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: host, QPS: -1}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func expect(t *testing.T, server *discoverytest.Server, want counts) {
	t.Helper()
	if got := server.Requests(); !reflect.DeepEqual(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
}

func TestAggregatedDiscoveryIsReadOnce(t *testing.T) {
	server := discoverytest.New(groups()...)
	cache := start(t, server)
	if cache.FreshWithContext(t.Context()) {
		t.Error("the cache is fresh, and nothing was read")
	}
	for range 2 {
		list, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1")
		if err != nil || len(list.APIResources) != 1 || list.APIResources[0].Kind != "Deployment" {
			t.Errorf("%v, %v", list, err)
		}
		if groups, lists, err := cache.ServerGroupsAndResourcesWithContext(t.Context()); err != nil || len(groups) != 3 || len(lists) != 4 {
			t.Errorf("%d groups, %d lists, %v", len(groups), len(lists), err)
		}
		if lists, err := cache.ServerPreferredNamespacedResourcesWithContext(t.Context()); err != nil || len(lists) != 4 {
			t.Errorf("%d preferred lists, %v", len(lists), err)
		}
	}
	if !cache.FreshWithContext(t.Context()) {
		t.Error("the cache is not fresh, and everything was read")
	}
	expect(t, server, counts{"/api": 1, "/apis": 1})

	cache.InvalidateWithContext(t.Context())
	if cache.FreshWithContext(t.Context()) {
		t.Error("the cache is fresh, and everything is forgotten")
	}
	if _, err := cache.ServerGroupsWithContext(t.Context()); err != nil {
		t.Error(err)
	}
	expect(t, server, counts{"/api": 1, "/apis": 1})
}

func TestOnlyWhatIsAskedForIsRead(t *testing.T) {
	server := discoverytest.New(groups()...).Legacy()
	cache := start(t, server)
	for range 2 {
		if list, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); err != nil || len(list.APIResources) != 1 {
			t.Errorf("%v, %v", list, err)
		}
	}
	expect(t, server, counts{"/api": 1, "/apis": 1, "/apis/apps/v1": 1})
	for range 2 {
		if lists, err := cache.ServerPreferredResourcesWithContext(t.Context()); err != nil || len(lists) != 4 {
			t.Errorf("%d lists, %v", len(lists), err)
		}
	}
	expect(t, server, counts{"/api/v1": 1, "/apis/batch/v1": 1, "/apis/batch/v1beta1": 1})
}

func TestUnknownGroupVersionIsNotAskedFor(t *testing.T) {
	server := discoverytest.New(groups()...).Legacy()
	cache := start(t, server)
	for _, gv := range []string{"none.example.com/v1", "apps/v2", "v2"} {
		if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), gv); err != memory.ErrCacheNotFound {
			t.Errorf("%s: %v, want ErrCacheNotFound", gv, err)
		}
	}
	if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "a/b/c"); err == nil {
		t.Error("a/b/c is a group version")
	}
	expect(t, server, counts{"/api": 1, "/apis": 1})

	server.Serve(append(groups(), discoverytest.Group{Name: "none.example.com", Versions: []discoverytest.Version{{Name: "v1", Resources: []metav1.APIResource{{Name: "x", Kind: "X"}}}}})...)
	cache.InvalidateWithContext(t.Context())
	if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "none.example.com/v1"); err != nil {
		t.Errorf("the group is there now, and: %v", err)
	}
}

func TestWhichErrorsAreKept(t *testing.T) {
	const path = "/apis/apps/v1"
	tests := []struct {
		name   string
		answer http.HandlerFunc
		kept   bool
	}{
		{"unavailable", discoverytest.Fail(503, metav1.StatusReasonServiceUnavailable, ""), false},
		{"internal", discoverytest.Fail(500, metav1.StatusReasonInternalError, ""), false},
		{"too many", discoverytest.Fail(429, metav1.StatusReasonTooManyRequests, ""), false},
		{"unauthorized", discoverytest.Fail(401, metav1.StatusReasonUnauthorized, ""), false},
		{"html", discoverytest.Send("text/html", "<html>"), false},
		{"half", discoverytest.Send("application/json", `{"kind":`), false},
		{"forbidden", discoverytest.Fail(403, metav1.StatusReasonForbidden, ""), true},
		{"not found", http.NotFound, true},
		{"empty", discoverytest.Send("application/json", `{"kind":"APIResourceList"}`), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := discoverytest.New(groups()...).Legacy()
			cache := start(t, server)
			server.Instead(path, tt.answer)
			for range 2 {
				if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); err == nil {
					t.Error("no error")
				}
			}
			want := 2
			if tt.kept {
				want = 1
			}
			if got := server.Requests()[path]; got != want {
				t.Errorf("asked %d times, want %d", got, want)
			}
			server.Instead(path, nil)
			if tt.kept {
				cache.InvalidateWithContext(t.Context())
			}
			if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); err != nil {
				t.Errorf("the server is well again, and: %v", err)
			}
		})
	}
}

func TestGroupsThatCannotBeReadAreAskedForAgain(t *testing.T) {
	server := discoverytest.New(groups()...)
	cache := start(t, server)
	server.Instead("/apis", discoverytest.Fail(503, metav1.StatusReasonServiceUnavailable, ""))
	for range 2 {
		if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); !apierrors.IsServiceUnavailable(err) {
			t.Errorf("%v, want unavailable", err)
		}
	}
	if got := server.Requests()["/apis"]; got != 2 || cache.FreshWithContext(t.Context()) {
		t.Errorf("asked %d times, fresh %t; want 2, false", got, cache.FreshWithContext(t.Context()))
	}
	server.Instead("/apis", nil)
	if groups, err := cache.ServerGroupsWithContext(t.Context()); err != nil || len(groups.Groups) != 3 {
		t.Errorf("%v, %v", groups, err)
	}
}

// A server that is starting knows no groups yet.
func TestNoGroupsAreNotKept(t *testing.T) {
	server := discoverytest.New()
	cache := start(t, server)
	if groups, err := cache.ServerGroupsWithContext(t.Context()); err != nil || len(groups.Groups) != 0 || cache.FreshWithContext(t.Context()) {
		t.Errorf("%v, %v, fresh %t", groups, err, cache.FreshWithContext(t.Context()))
	}
	server.Serve(groups()...)
	if groups, err := cache.ServerGroupsWithContext(t.Context()); err != nil || len(groups.Groups) != 3 {
		t.Errorf("%v, %v", groups, err)
	}
}

// A stale group version is asked for by itself, and kept when it is there again.
func TestStaleGroupVersion(t *testing.T) {
	sick, well := groups(), groups()
	sick[1].Versions[0].Stale = true
	server := discoverytest.New(sick...)
	cache := start(t, server)
	_, lists, err := cache.ServerGroupsAndResourcesWithContext(t.Context())
	failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	if reason := failed[schema.GroupVersion{Group: "apps", Version: "v1"}]; len(lists) != 3 || !errors.As(reason, new(discovery.StaleGroupVersionError)) {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	expect(t, server, counts{"/api": 1, "/apis": 1})
	if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("%v, want unavailable", err)
	}
	server.Serve(well...)
	for range 2 {
		if _, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); err != nil {
			t.Error(err)
		}
	}
	expect(t, server, counts{"/apis/apps/v1": 2})
}

func TestWithoutContexts(t *testing.T) {
	server := discoverytest.New(groups()...)
	server.Instead("/version", discoverytest.Send("application/json", `{"major":"1"}`))
	inner := client(t, "http://example", server)
	cache := memory.NewMemCacheClient(memory.NewMemCacheClient(inner)) // a cache of a cache
	if groups, err := cache.ServerGroups(); err != nil || len(groups.Groups) != 3 {
		t.Errorf("%v, %v", groups, err)
	}
	if _, err := cache.ServerResourcesForGroupVersion("v1"); err != nil {
		t.Error(err)
	}
	if _, lists, err := cache.ServerGroupsAndResources(); err != nil || len(lists) != 4 {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	if lists, err := cache.ServerPreferredResources(); err != nil || len(lists) != 4 {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	if lists, err := cache.ServerPreferredNamespacedResources(); err != nil || len(lists) != 4 {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	if info, err := cache.ServerVersion(); err != nil || info.Major != "1" {
		t.Errorf("%v, %v", info, err)
	}
	if _, resources, _, err := cache.(discovery.AggregatedDiscoveryInterface).GroupsAndMaybeResources(); err != nil || len(resources) != 4 {
		t.Errorf("%v, %v", resources, err)
	}
	if cache.WithLegacy() != discovery.DiscoveryInterface(cache) || cache.RESTClient() != inner.RESTClient() {
		t.Error("the legacy form of a cache is another cache, or it has another client")
	}
	expect(t, server, counts{"/api": 1, "/apis": 1, "/version": 1})
	cache.Invalidate()
	if cache.Fresh() {
		t.Error("fresh after Invalidate")
	}
	if _, err := cache.ServerGroups(); err != nil {
		t.Error(err)
	}
	expect(t, server, counts{"/api": 1, "/apis": 1})
}
