package restmapper_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery/cached/memory"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/restmapper"
)

func TestShortNames(t *testing.T) {
	cache := cached(start(t, discoverytest.New(groups()...)))
	var warnings []string
	m := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cache), cache, func(w string) { warnings = append(warnings, w) })
	for in, want := range map[gvr]gvk{
		{Resource: "po"}:                                  {Version: "v1", Kind: "Pod"},
		{Resource: "pods"}:                                {Version: "v1", Kind: "Pod"},
		{Resource: "pod"}:                                 {Version: "v1", Kind: "Pod"},
		{Resource: "hpa"}:                                 {Group: "autoscaling", Version: "v2", Kind: hpa.Kind},
		{Resource: "hpa", Group: "autoscal"}:              {Group: "autoscaling", Version: "v2", Kind: hpa.Kind},
		{Resource: "hpa", Group: "autosc", Version: "v1"}: {Group: "autoscaling", Version: "v1", Kind: hpa.Kind},
		{Resource: "ex", Group: "two.example.com"}:        {Group: "two.example.com", Version: "v1", Kind: "Extra"},
	} {
		if got, err := m.KindFor(in); err != nil || got != want {
			t.Errorf("kind for %v: %v, %v; want %v", in, got, err, want)
		}
		if got, err := m.ResourceFor(in); err != nil || got.GroupVersion() != want.GroupVersion() {
			t.Errorf("resource for %v: %v, %v", in, got, err)
		}
	}
	if warnings != nil {
		t.Errorf("warnings %q", warnings)
	}
	if got, err := m.KindFor(gvr{Resource: "ex"}); err != nil || got.Kind != "Example" {
		t.Errorf("ex is %v, %v; want the first of the two", got, err)
	}
	if want := []string{`short name "ex" could also match lower priority resource extras.two.example.com`}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	if got, err := m.ResourceSingularizer("po"); err != nil || got != "pod" {
		t.Errorf("the singular of po is %s, %v", got, err)
	}
	if got, err := m.KindsFor(gvr{Resource: "po"}); err != nil || len(got) != 1 {
		t.Errorf("po is %v, %v", got, err)
	}
	if got, err := m.ResourcesFor(gvr{Resource: "po"}); err != nil || len(got) != 1 {
		t.Errorf("po is %v, %v", got, err)
	}
	for _, none := range []gvr{{Resource: "none"}, {Group: "none", Resource: "po"}} {
		if _, err := m.KindFor(none); !meta.IsNoMatchError(err) {
			t.Errorf("%v: %v, want no match", none, err)
		}
	}
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
	if ms, err := m.RESTMappings(hpa); err != nil || len(ms) != 2 {
		t.Errorf("%v, %v", ms, err)
	}
}

// A short name that came with a new resource is understood after a reset, which goes through to the mapper behind.
func TestShortNamesAfterReset(t *testing.T) {
	server := discoverytest.New(groups()[:1]...)
	cache := memory.NewMemCacheClientWithContext(start(t, server))
	m := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(cache), cache, nil)
	if _, err := m.KindForWithContext(t.Context(), gvr{Resource: "ex"}); !meta.IsNoMatchError(err) {
		t.Errorf("%v, want no match", err)
	}
	server.Serve(groups()...)
	meta.MaybeResetRESTMapperWithContext(t.Context(), m)
	if got, err := m.KindForWithContext(t.Context(), gvr{Resource: "ex"}); err != nil || got.Kind != "Example" {
		t.Errorf("ex is %v, %v", got, err)
	}
}

// The mapper behind may find out for itself that something is new: then the short name is looked up once more.
func TestShortNamesWithAMapperThatReadsAgain(t *testing.T) {
	server := discoverytest.New(groups()[:1]...)
	cache := stale{memory.NewMemCacheClientWithContext(start(t, server))}
	m := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(cache), cache, nil)
	if _, err := m.KindForWithContext(t.Context(), gvr{Resource: "po"}); err != nil {
		t.Fatal(err)
	}
	server.Serve(groups()...)
	if got, err := m.KindForWithContext(t.Context(), gvr{Resource: "ex"}); err != nil || got.Kind != "Example" {
		t.Errorf("ex is %v, %v", got, err)
	}
}

func TestCategories(t *testing.T) {
	server := discoverytest.New(groups()...)
	discovered := restmapper.NewDiscoveryCategoryExpander(start(t, server))
	all, ok := discovered.Expand("all")
	if !ok || len(all) != 8 || !slices.Contains(all, schema.GroupResource{Group: "two.example.com", Resource: "extras"}) {
		t.Errorf("all is %v, %t; want each resource once", all, ok)
	}
	if none, ok := discovered.Expand("none"); ok || none != nil {
		t.Errorf("none is %v, %t", none, ok)
	}
	pods := schema.GroupResource{Resource: "pods"}
	simple := restmapper.SimpleCategoryExpander{Expansions: map[string][]schema.GroupResource{"mine": {pods}, "all": {pods, {Resource: "x"}}}}
	union := restmapper.UnionCategoryExpander{discovered, simple, plainExpander{}}
	if got, ok := union.Expand("all"); !ok || len(got) != 9 {
		t.Errorf("all is %v, %t; want 9", got, ok)
	}
	if got, ok := union.Expand("mine"); !ok || len(got) != 1 {
		t.Errorf("mine is %v, %t; want pods", got, ok)
	}
	if got, ok := union.Expand("none"); ok || len(got) != 0 {
		t.Errorf("none is %v, %t", got, ok)
	}
	if got, ok := (restmapper.UnionCategoryExpanderWithContext{simple}).ExpandWithContext(t.Context(), "mine"); !ok || len(got) != 1 {
		t.Errorf("mine is %v, %t", got, ok)
	}
	if got, ok := restmapper.NewDiscoveryCategoryExpanderWithContext(bubble(t, server)).ExpandWithContext(t.Context(), "all"); !ok || len(got) != 8 {
		t.Errorf("all is %v, %t", got, ok)
	}
	if restmapper.ToCategoryExpanderWithContext(nil) != nil {
		t.Error("nil became something")
	}
}

// plainExpander is one without contexts.
type plainExpander struct{}

func (plainExpander) Expand(string) ([]schema.GroupResource, bool) { return nil, false }

func TestNilIsRefused(t *testing.T) {
	for name, f := range map[string]func(){
		"deferred": func() { restmapper.NewDeferredDiscoveryRESTMapper(nil) },
		"shortcut": func() { restmapper.NewShortcutExpander(nil, nil, nil) },
		"category": func() { restmapper.NewDiscoveryCategoryExpander(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("nil was taken")
				}
			}()
			f()
		})
	}
}
