package discovery_test

import (
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/rest"
)

// FuzzAggregated reads what may come as aggregated discovery. It either says what is wrong, or returns something in which
// everything fits together.
func FuzzAggregated(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"a"},"versions":[{"version":"v1","freshness":"Current","resources":[{"resource":"things","scope":"Namespaced","responseKind":{"kind":"Thing"},"subresources":[{"subresource":"status","responseKind":{"kind":"Thing"}}]}]},{"version":"v2","freshness":"Stale"}]}]}`,
		`{"items":[{"metadata":{"name":"a"},"versions":[{"version":"v1"}]},{"metadata":{"name":"a"},"versions":[{"version":"v1"}]}]}`,
		`{"items":[null]}`, `{"items":[{"metadata":{"name":"a"},"versions":[null]}]}`, `{}`, `null`, `[]`, `<html>`, ``, `{"items":[{"metadata":{"name":"a/b"},"versions":[{"version":"../x"}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		server := discoverytest.New()
		server.Instead("/apis", discoverytest.Send(v2, string(body)))
		client, err := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: "http://fuzz"}, &http.Client{Transport: server})
		if err != nil {
			t.Fatal(err)
		}
		groups, resources, failed, err := client.GroupsAndMaybeResources()
		if err != nil {
			return
		}
		named := map[schema.GroupVersion]bool{}
		seen := map[string]bool{}
		for _, g := range groups.Groups {
			if seen[g.Name] {
				t.Errorf("group %q is there twice", g.Name)
			}
			seen[g.Name] = true
			for _, v := range g.Versions {
				gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
				if named[gv] || resources[gv] == nil || v.GroupVersion != gv.String() {
					t.Errorf("%s is there twice, or has no resources, or is called %q", gv, v.GroupVersion)
				}
				named[gv] = true
			}
		}
		for gv := range resources {
			if !named[gv] {
				t.Errorf("%s has resources, but is in no group", gv)
			}
		}
		for gv, err := range failed {
			if err == nil || !seen[gv.Group] {
				t.Errorf("%s failed with %v, and its group is there: %t", gv, err, seen[gv.Group])
			}
		}
		if _, err := client.ServerPreferredResources(); err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
			t.Error(err)
		}
	})
}
