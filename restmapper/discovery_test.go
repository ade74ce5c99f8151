package restmapper_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"vedette.dev/internal/discoverytest"
	"vedette.dev/restmapper"
)

// mappers returns all mappers for the same cluster.
func mappers(t *testing.T, server *discoverytest.Server) map[string]meta.RESTMapper {
	all, err := restmapper.GetAPIGroupResources(start(t, server))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]meta.RESTMapper{
		"fixed":    restmapper.NewDiscoveryRESTMapper(all),
		"lazy":     lazy(t, start(t, server), 0),
		"deferred": restmapper.NewDeferredDiscoveryRESTMapper(cached(start(t, server))),
	}
}

func TestMapping(t *testing.T) {
	hpa := gk{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	for _, server := range []*discoverytest.Server{discoverytest.New(groups()...), discoverytest.New(groups()...).Legacy()} {
		for name, m := range mappers(t, server) {
			t.Run(name, func(t *testing.T) {
				mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
				mapped(t, m, gk{Kind: "pod"}, "/v1, Resource=pods")
				mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods", "v1")
				mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
				mapped(t, m, hpa, "autoscaling/v1, Resource=horizontalpodautoscalers", "v1")
				mapped(t, m, hpa, "autoscaling/v1, Resource=horizontalpodautoscalers", "v9", "v1")
				mapped(t, m, gk{Group: "autoscaling", Kind: "OldThing"}, "autoscaling/v1, Resource=oldthings")
				missing(t, m, hpa, "v9")
				missing(t, m, gk{Kind: "Deployment"})
				missing(t, m, gk{Group: "none.example.com", Kind: "Pod"})
				if ms, err := m.RESTMappings(hpa); err != nil || len(ms) != 2 {
					t.Errorf("mappings %v, %v", ms, err)
				}
				if node, err := m.RESTMapping(gk{Kind: "Node"}); err != nil || node.Scope.Name() != meta.RESTScopeNameRoot {
					t.Errorf("nodes: %v, %v", node, err)
				}
				for in, want := range map[gvr]gvk{
					{Resource: "pods"}:                       {Version: "v1", Kind: "Pod"},
					{Resource: "pod"}:                        {Version: "v1", Kind: "Pod"},
					{Resource: "node"}:                       {Version: "v1", Kind: "Node"},
					{Resource: "events"}:                     {Version: "v1", Kind: "Event"},
					{Resource: "events", Version: "v1"}:      {Version: "v1", Kind: "Event"},
					{Resource: "events", Group: "events"}:    {Group: "events.k8s.io", Version: "v1", Kind: "Event"},
					{Resource: "oldthings"}:                  {Group: "autoscaling", Version: "v1", Kind: "OldThing"},
					{Resource: "oldthings", Version: "v1"}:   {Group: "autoscaling", Version: "v1", Kind: "OldThing"},
					{Resource: "horizontalpodautoscalers"}:   {Group: "autoscaling", Version: "v2", Kind: hpa.Kind},
					{Resource: "extras", Group: "two"}:       {Group: "two.example.com", Version: "v1", Kind: "Extra"},
					{Resource: "Extras", Group: "two.examp"}: {Group: "two.example.com", Version: "v1", Kind: "Extra"},
				} {
					if got, err := m.KindFor(in); err != nil || got != want {
						t.Errorf("kind for %v: %v, %v; want %v", in, got, err, want)
					}
					if got, err := m.ResourceFor(in); err != nil || got.GroupVersion() != want.GroupVersion() {
						t.Errorf("resource for %v: %v, %v", in, got, err)
					}
				}
				if kinds, err := m.KindsFor(gvr{Resource: "events"}); err != nil || len(kinds) != 2 {
					t.Errorf("kinds of events: %v, %v", kinds, err)
				}
				if resources, err := m.ResourcesFor(gvr{Resource: "events", Group: "events.k8s.io"}); err != nil || len(resources) != 1 {
					t.Errorf("events of events.k8s.io: %v, %v", resources, err)
				}
				for _, in := range []gvr{{Resource: "none"}, {Group: "none", Resource: "pods"}, {Group: "autoscaling", Version: "v9", Resource: "oldthings"}} {
					if got, err := m.KindFor(in); !meta.IsNoMatchError(err) {
						t.Errorf("kind for %v: %v, %v; want no match", in, got, err)
					}
				}
				for in, want := range map[string]string{"pods": "pod", "nodes": "node", "extras": "extra"} {
					if got, err := m.ResourceSingularizer(in); err != nil || got != want {
						t.Errorf("singular of %s: %s, %v; want %s", in, got, err, want)
					}
				}
				if got, err := m.ResourceSingularizer("none"); err == nil {
					t.Errorf("singular of none: %s", got)
				}
				if _, err := m.KindFor(gvr{}); err == nil {
					t.Error("nothing has a kind")
				}
				if s := fmt.Sprint(m); s == "" || strings.HasPrefix(s, "{") {
					t.Errorf("it calls itself %q", s)
				}
			})
		}
	}
}

// What the server tells wins over what is guessed about the kinds of lists.
func TestGuessesDoNotHideWhatIsThere(t *testing.T) {
	m := restmapper.NewDiscoveryRESTMapper([]*restmapper.APIGroupResources{{
		Group: metav1.APIGroup{Name: "a", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "a/v1", Version: "v1"}}},
		VersionedResources: map[string][]metav1.APIResource{"v1": {
			{Name: "shoplists", SingularName: "shoplist", Kind: "ShoppingList"}, {Name: "shops", SingularName: "shop", Kind: "Shop"}, {Name: "lists", SingularName: "list", Kind: "Register"},
		}},
	}})
	for resource, kind := range map[string]string{"shoplists": "ShoppingList", "lists": "Register", "shops": "Shop"} {
		if got, err := m.KindFor(gvr{Group: "a", Version: "v1", Resource: resource}); err != nil || got.Kind != kind {
			t.Errorf("%s are %v, %v; want %s", resource, got, err, kind)
		}
	}
	if got, err := m.RESTMapping(gk{Group: "a", Kind: "ShopList"}); err != nil {
		t.Errorf("lists of shops: %v, %v", got, err)
	}
}

// cluster draws a server: some groups, some versions of each, some resources in each version. No name begins another.
func cluster(t *rapid.T) []discoverytest.Group {
	var all []discoverytest.Group
	for g := range rapid.IntRange(1, 4).Draw(t, "groups") {
		group := discoverytest.Group{Name: fmt.Sprintf("g%d.example.com", g)}
		if g == 0 && rapid.Bool().Draw(t, "core") {
			group.Name = ""
		}
		for v := range rapid.IntRange(0, 3).Draw(t, "versions") {
			version := discoverytest.Version{Name: fmt.Sprintf("v%d", v+1)}
			for k := range 4 {
				if rapid.Bool().Draw(t, "served") {
					version.Resources = append(version.Resources, metav1.APIResource{
						Name: fmt.Sprintf("k%ds", k), SingularName: fmt.Sprintf("k%d", k), Kind: fmt.Sprintf("K%d", k), Namespaced: rapid.Bool().Draw(t, "namespaced"),
					})
				}
			}
			group.Versions = append(group.Versions, version)
		}
		all = append(all, group)
	}
	return all
}

// From a kind to its resource and back is where one began, for everything that is served, in each mapper.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := cluster(rt)
		server := discoverytest.New(all...)
		if rapid.Bool().Draw(rt, "legacy") {
			server.Legacy()
		}
		read, err := restmapper.GetAPIGroupResources(bubble(t, server))
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range []meta.RESTMapper{restmapper.NewDiscoveryRESTMapper(read), lazy(t, bubble(t, server), 0)} {
			for _, g := range all {
				for _, v := range g.Versions {
					for _, r := range v.Resources {
						gv := schema.GroupVersion{Group: g.Name, Version: v.Name}
						mapping, err := m.RESTMapping(gk{Group: g.Name, Kind: r.Kind}, v.Name)
						if err != nil || mapping.Resource != gv.WithResource(r.Name) || mapping.GroupVersionKind != gv.WithKind(r.Kind) ||
							(mapping.Scope.Name() == meta.RESTScopeNameNamespace) != r.Namespaced {
							rt.Fatalf("%v %s is at %v, %v", gv, r.Kind, mapping, err)
						}
						if g.Name == "" && v.Name != "v1" {
							continue // without a group, "any group" is meant
						}
						if kind, err := m.KindFor(mapping.Resource); err != nil || kind != mapping.GroupVersionKind {
							rt.Fatalf("%v is a %v, %v; want %v", mapping.Resource, kind, err, mapping.GroupVersionKind)
						}
						if resource, err := m.ResourceFor(gv.WithResource(r.SingularName)); err != nil || resource != mapping.Resource {
							rt.Fatalf("the plural of %s is %v, %v", r.SingularName, resource, err)
						}
					}
				}
			}
		}
	})
}

// A lazy mapper answers as one does that has read everything.
func TestLazyIsNoDifferent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		server := discoverytest.New(cluster(rt)...)
		read, err := restmapper.GetAPIGroupResources(bubble(t, server))
		if err != nil {
			rt.Fatal(err)
		}
		full, own := restmapper.NewDiscoveryRESTMapper(read), lazy(t, bubble(t, server), 0)
		for range 10 {
			group := rapid.SampledFrom([]string{"", "g0.example.com", "g1.example.com", "g2.example.com", "g2", "g", "none"}).Draw(rt, "group")
			version := rapid.SampledFrom([]string{"", "v1", "v2", "v9"}).Draw(rt, "version")
			name := rapid.SampledFrom([]string{"k0s", "k1", "k2s", "k3s", "nones"}).Draw(rt, "resource")
			in := gvr{Group: group, Version: version, Resource: name}
			same(rt, in, full.KindFor, own.KindFor)
			same(rt, in, full.ResourceFor, own.ResourceFor)
			same(rt, in, full.KindsFor, own.KindsFor)
			same(rt, in, full.ResourcesFor, own.ResourcesFor)
			if singular, err := full.ResourceSingularizer(name); singular != "" || err != nil { // neither if it knows no groups
				same(rt, name, full.ResourceSingularizer, own.ResourceSingularizer)
			}
			kind := func(m meta.RESTMapper) func(gvr) (string, error) {
				return func(in gvr) (string, error) {
					ms, err := m.RESTMappings(gk{Group: in.Group, Kind: strings.ToUpper(strings.TrimSuffix(in.Resource, "s"))}, in.Version)
					text := ""
					for _, m := range ms {
						text += m.Resource.String()
					}
					return text, err
				}
			}
			same(rt, in, kind(full), kind(own))
		}
	})
}

func same[Q, A any](t *rapid.T, question Q, full, own func(Q) (A, error)) {
	t.Helper()
	want, wantErr := full(question)
	got, gotErr := own(question)
	if fmt.Sprint(got) != fmt.Sprint(want) || (gotErr == nil) != (wantErr == nil) || meta.IsNoMatchError(gotErr) != meta.IsNoMatchError(wantErr) {
		t.Fatalf("%v: %v, %v; want %v, %v", question, got, gotErr, want, wantErr)
	}
}
