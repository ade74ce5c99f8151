package kinds

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/discovery"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func read(t *testing.T, config apitest.Config) *Served {
	t.Helper()
	config.InProcess = true
	server := apitest.New(t, config)
	client, err := discovery.NewDiscoveryClientForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	served, err := Read(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return served
}

func TestFind(t *testing.T) {
	widget := apitest.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}}
	served := read(t, apitest.Config{Kinds: []apitest.Kind{widget}})
	for name, want := range map[string]string{
		"pods": "pods", "pod": "pods", "po": "pods", "Pod": "pods", "deploy": "deployments.apps", "deployments.apps": "deployments.apps",
		"deployments.v1.apps": "deployments.apps", "deploy.apps": "deployments.apps", "ns": "namespaces", "widgets": "widgets.example.com",
		"widgets.example": "widgets.example.com", "Widget.example.com": "widgets.example.com", "events": "events",
	} {
		r, err := served.Find(name)
		if err != nil || r.String() != want || r.Kind == "" || !r.Watchable() {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r, err := served.Find("ns"); err != nil || r.Namespaced {
		t.Errorf("namespaces live in namespaces: %+v, %v", r, err)
	}
	if r, err := served.Find("tokenreviews"); err != nil || r.Watchable() {
		t.Errorf("tokenreviews can be watched: %+v, %v", r, err)
	}
}

func TestSuggestions(t *testing.T) {
	served := read(t, apitest.Config{})
	for name, want := range map[string]string{
		"podz": "pods", "pdos": "pods", "deploymnet": "deployments.apps", "deployments.example.com": "deployments.apps",
		"statefullsets": "statefulsets.apps", "endpointslice.core": "endpointslices.discovery.k8s.io", "cronjbos": "cronjobs.batch", "qqqqqqq": "",
	} {
		_, err := served.Find(name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !IsUnknown(err) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if first := strings.Join(unknown.Similar[:min(1, len(unknown.Similar))], ""); first != want {
			t.Errorf("%s: %v, want %s", name, unknown.Similar, want)
		}
		if len(unknown.Similar) > maxSimilar {
			t.Errorf("%s: %d suggestions", name, len(unknown.Similar))
		}
	}
	err := &UnknownError{Name: "x", Similar: []string{"a", "b", "c"}, Failed: errors.New("metrics is down")}
	if want := `the server has no resource "x"; did you mean a, b or c? (not all groups could be read: metrics is down)`; err.Error() != want {
		t.Error(err)
	}
}

func TestWatchable(t *testing.T) {
	var names []string
	for _, r := range read(t, apitest.Config{}).Watchable() {
		names = append(names, r.String())
	}
	for _, name := range []string{"pods", "events", "deployments.apps", "leases.coordination.k8s.io"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"events.events.k8s.io", "tokenreviews.authentication.k8s.io", "bindings", "pods/status"} {
		if slices.Contains(names, name) {
			t.Errorf("%s is there", name)
		}
	}
	if slices.Sort(names); len(names) != len(slices.Compact(names)) {
		t.Errorf("some are there twice: %v", names)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"pods", "pods", 0}, {"podz", "pods", 1}, {"pdos", "pods", 1}, {"nods", "nodes", 1}, {"kitten", "sitting", 3}} {
		if got := distance(test.a, test.b); got != test.want || distance(test.b, test.a) != test.want {
			t.Errorf("%s and %s: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
