package discovery_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/rest"
)

var metrics = schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}

func TestEverythingFromAggregatedDiscovery(t *testing.T) {
	server := recorded(t, true)
	groups, lists, err := start(t, server).ServerGroupsAndResources()
	failed, ok := discovery.GroupDiscoveryFailedErrorGroups(err)
	if !ok || len(failed) != 1 || !errors.As(failed[metrics], new(discovery.StaleGroupVersionError)) {
		t.Errorf("error %v, want StaleGroupVersionError", err)
	}
	if want := "unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	want := []string{
		"v1: bindings namespaces namespaces/finalize namespaces/status pods pods/eviction pods/log pods/status",
		"apps/v1: deployments deployments/scale deployments/status",
		"autoscaling/v2: horizontalpodautoscalers",
		"autoscaling/v1: horizontalpodautoscalers oldthings",
		"example.com/v1: virtuals/exec widgets",
	}
	if got := names(lists); !slices.Equal(got, want) {
		t.Errorf("resources %q, want %q", got, want)
	}
	if len(groups) != 5 || groups[0].Name != "" || groups[2].PreferredVersion.GroupVersion != "autoscaling/v2" || len(groups[3].Versions) != 0 {
		t.Errorf("groups %v", groups)
	}
	pods := lists[0].APIResources[4]
	if pods.Kind != "Pod" || !pods.Namespaced || pods.SingularName != "pod" || !slices.Equal(pods.ShortNames, []string{"po"}) || !slices.Equal(pods.Categories, []string{"all"}) {
		t.Errorf("pods are %+v", pods)
	}
	if eviction := lists[0].APIResources[5]; eviction.Kind != "Eviction" || eviction.Group != "policy" || !eviction.Namespaced {
		t.Errorf("evictions are %+v", eviction)
	}
	if got := server.Requests(); got["/api"] != 2 || got["/apis"] != 2 || len(got) != 2 {
		t.Errorf("requests %v, want two for each document, since a group failed", got)
	}
}

func TestEverythingFromAServerWithoutAggregatedDiscovery(t *testing.T) {
	server := recorded(t, false)
	groups, lists, err := start(t, server).ServerGroupsAndResources()
	failed, ok := discovery.GroupDiscoveryFailedErrorGroups(err)
	if !ok || len(failed) != 1 || !apierrors.IsServiceUnavailable(failed[metrics]) {
		t.Errorf("error %v, want one for an unavailable group version", err)
	}
	want := []string{
		"v1: bindings namespaces namespaces/finalize pods pods/eviction",
		"apps/v1: deployments deployments/scale",
		"autoscaling/v2: horizontalpodautoscalers",
		"autoscaling/v1: horizontalpodautoscalers oldthings",
	}
	if got := names(lists); !slices.Equal(got, want) {
		t.Errorf("resources %q, want %q", got, want)
	}
	if len(groups) != 4 || groups[0].PreferredVersion.Version != "v1" {
		t.Errorf("groups %v", groups)
	}
}

func TestPreferredResources(t *testing.T) {
	for name, aggregated := range map[string]bool{"aggregated": true, "legacy": false} {
		t.Run(name, func(t *testing.T) {
			client := start(t, recorded(t, aggregated))
			lists, err := client.ServerPreferredResources()
			if !discovery.IsGroupDiscoveryFailedError(err) {
				t.Errorf("error %v", err)
			}
			want := []string{"v1: bindings namespaces pods", "apps/v1: deployments", "autoscaling/v2: horizontalpodautoscalers", "autoscaling/v1: oldthings"}
			if got := names(lists); !slices.Equal(got[:4], want) {
				t.Errorf("resources %q, want %q", got, want)
			}
			lists, err = client.ServerPreferredNamespacedResources()
			if !discovery.IsGroupDiscoveryFailedError(err) {
				t.Errorf("error %v", err)
			}
			want = []string{"v1: bindings pods", "apps/v1: deployments", "autoscaling/v2: horizontalpodautoscalers"}
			if got := names(lists); !slices.Equal(got[:3], want) {
				t.Errorf("namespaced resources %q, want %q", got, want)
			}
		})
	}
}

// The version that the server prefers need not be the first.
func TestPreferredVersionIsNotTheFirst(t *testing.T) {
	server := recorded(t, false)
	groups := read(t, "legacy", "apis.json")
	server.Instead("/apis", discoverytest.Send("application/json", strings.ReplaceAll(groups, `"preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}`, `"preferredVersion":{"groupVersion":"autoscaling/v1","version":"v1"}`)))
	lists, _ := start(t, server).ServerPreferredResources()
	if want := []string{"autoscaling/v2:", "autoscaling/v1: horizontalpodautoscalers oldthings"}; !slices.Equal(names(lists)[2:], want) {
		t.Errorf("resources %q, want %q", names(lists)[2:], want)
	}
}

// A group that vanished while everything was read is not a failure.
func TestVanishedGroupIsReadOver(t *testing.T) {
	server := recorded(t, false)
	server.Instead("/apis/metrics.k8s.io/v1beta1", func(w http.ResponseWriter, r *http.Request) {
		server.Instead("/apis", discoverytest.Send("application/json", `{"kind":"APIGroupList","groups":null}`))
		http.NotFound(w, r)
	})
	groups, lists, err := start(t, server).ServerGroupsAndResources()
	if err != nil || len(groups) != 1 || len(lists) != 1 {
		t.Errorf("got %d groups, %d lists, %v; want the core group alone", len(groups), len(lists), err)
	}
	if n := server.Requests()["/apis"]; n != 2 {
		t.Errorf("groups were read %d times, want 2", n)
	}
}

func TestAcceptHeader(t *testing.T) {
	const v2, noPeer = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", ";profile=nopeer"
	var got string
	client := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/apis" {
			got = r.Header.Get("Accept")
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	ask := func(d discovery.DiscoveryInterface, want string) {
		t.Helper()
		if _, err := d.ServerGroups(); err != nil || got != want {
			t.Errorf("Accept %q, %v; want %q", got, err, want)
		}
	}
	ask(client, v2+",application/json")
	ask(client.WithLegacy(), "application/json")
	client.NoPeerDiscovery = true
	ask(client, v2+noPeer+","+v2+",application/json")
}

func TestServerVersion(t *testing.T) {
	client := start(t, recorded(t, true))
	info, err := client.ServerVersion()
	if err != nil || info.GitVersion != "v1.36.3" {
		t.Errorf("version %v, %v", info, err)
	}
	if err := discovery.MatchesServerVersion(*info, client); err != nil {
		t.Errorf("the server differs from itself: %v", err)
	}
	other := *info
	other.GitCommit = "none"
	if err := discovery.MatchesServerVersion(other, client); err == nil {
		t.Error("two commits are the same")
	}
}

func TestGroupVersionsThatCannotBeAskedFor(t *testing.T) {
	client := start(t, recorded(t, true))
	for _, gv := range []string{"", "a/b/c", "..", "../v1", "apps/..", "apps/%2e"} {
		if _, err := client.ServerResourcesForGroupVersion(gv); err == nil || !strings.Contains(err.Error(), "group version") {
			t.Errorf("%q: %v, want an error that names the group version", gv, err)
		}
	}
	if _, err := client.ServerResourcesForGroupVersion("none.example.com/v1"); !apierrors.IsNotFound(err) {
		t.Errorf("%v, want not found", err)
	}
}

// A server that only extends another has no core group.
func TestCoreGroupMayBeMissing(t *testing.T) {
	apps := discoverytest.Group{Name: "apps", Versions: []discoverytest.Version{{Name: "v1", Resources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment"}}}}}
	for name, server := range map[string]*discoverytest.Server{"aggregated": discoverytest.New(apps), "legacy": discoverytest.New(apps).Legacy()} {
		t.Run(name, func(t *testing.T) {
			server.Instead("/api", http.NotFound)
			client := start(t, server)
			groups, lists, err := client.ServerGroupsAndResources()
			if err != nil || len(groups) != 1 || len(lists) != 1 || groups[0].Name != "apps" {
				t.Errorf("groups %v, resources %q, %v", groups, names(lists), err)
			}
			if list, err := client.ServerResourcesForGroupVersion("v1"); err != nil || len(list.APIResources) != 0 || list.GroupVersion != "v1" {
				t.Errorf("core resources %v, %v; want none", list, err)
			}
		})
	}
}

func TestOneGroup(t *testing.T) {
	server := recorded(t, true)
	client := start(t, server)
	group, err := client.ServerGroup(t.Context(), "apps")
	if err != nil || group.Name != "apps" || group.PreferredVersion.GroupVersion != "apps/v1" || len(group.Versions) != 1 {
		t.Errorf("group %v, %v", group, err)
	}
	core, err := client.ServerGroup(t.Context(), "")
	if err != nil || core.Name != "" || core.PreferredVersion.GroupVersion != "v1" {
		t.Errorf("core group %v, %v", core, err)
	}
	if _, err := client.ServerGroup(t.Context(), "none.example.com"); !apierrors.IsNotFound(err) {
		t.Errorf("%v, want not found", err)
	}
	if _, err := client.ServerGroup(t.Context(), "../version"); err == nil {
		t.Error("a group with a slash was asked for")
	}
	server.Instead("/api", http.NotFound)
	if _, err := client.ServerGroup(t.Context(), ""); !apierrors.IsNotFound(err) {
		t.Errorf("%v, want not found", err)
	}
}

func TestCancelled(t *testing.T) {
	client := start(t, recorded(t, true))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := client.ServerGroupsAndResourcesWithContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancelled", err)
	}
	if _, err := client.ServerPreferredResourcesWithContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancelled", err)
	}
}

func TestDefaults(t *testing.T) {
	config := &rest.Config{Host: "http://127.0.0.1:1"}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if timeout := client.RESTClient().Get().URL().Query().Get("timeout"); timeout != "32s" {
		t.Errorf("timeout %q, want 32s", timeout)
	}
	for range 300 {
		if !client.RESTClient().GetRateLimiter().TryAccept() {
			t.Fatal("fewer than 300 requests at once")
		}
	}
	if client.RESTClient().GetRateLimiter().TryAccept() {
		t.Error("more than 300 requests at once")
	}
	if config.Timeout != 0 || config.Burst != 0 {
		t.Error("the caller's config was changed")
	}
	config.Timeout = time.Second
	if client = discovery.NewDiscoveryClientForConfigOrDie(config); client.RESTClient().Get().URL().Query().Get("timeout") != "1s" {
		t.Error("the timeout in the config has no effect")
	}
	if (*discovery.DiscoveryClient)(nil).RESTClient() != nil {
		t.Error("a nil client has a REST client")
	}
}
