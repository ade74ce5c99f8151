package kubernetes_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
)

// served is a kind that the clientset has a client for.
type served struct {
	group  string       // the method of the clientset: "CoreV1"
	plural string       // the method of the group's client: "Pods"
	method reflect.Type // of that method: func(string) corev1.PodInterface
	client reflect.Type // corev1.PodInterface
}

const typed = "vedette.dev/kubernetes/typed/"

// servedKinds finds them by reflection, by "core/v1.Pod".
func servedKinds(t *testing.T) map[string]served {
	t.Helper()
	kinds := map[string]served{}
	set := reflect.TypeFor[kubernetes.Interface]()
	for i := range set.NumMethod() {
		group := set.Method(i)
		if group.Name == "Discovery" {
			continue
		}
		clients := group.Type.Out(0)
		for j := range clients.NumMethod() {
			m := clients.Method(j)
			if m.Name == "RESTClient" {
				continue
			}
			client := m.Type.Out(0)
			name := strings.TrimPrefix(client.PkgPath(), typed) + "." + strings.TrimSuffix(client.Name(), "Interface")
			if _, twice := kinds[name]; twice {
				t.Errorf("%s has two clients", name)
			}
			kinds[name] = served{group.Name, m.Name, m.Type, client}
		}
	}
	return kinds
}

// typeOf is the type of a registered kind, found by the package it is in.
func typeOf(t *testing.T, pkg, kind string) reflect.Type {
	t.Helper()
	for _, known := range scheme.Scheme.AllKnownTypes() {
		if known.PkgPath() == "k8s.io/api/"+pkg && known.Name() == kind {
			return known
		}
	}
	t.Errorf("%s.%s is not in the scheme", pkg, kind)
	return nil
}

func TestEveryMarkedTypeHasAClient(t *testing.T) {
	kinds := servedKinds(t)
	for _, m := range markedTypes(t) {
		name := m.pkg + "." + m.kind
		s, ok := kinds[name]
		delete(kinds, name)
		if !ok {
			t.Errorf("%s has no client", name)
			continue
		}
		object := typeOf(t, m.pkg, m.kind)
		if object == nil {
			continue
		}
		if namespaced := s.method.NumIn() == 1; namespaced == m.has(":nonNamespaced") {
			t.Errorf("%s: namespaced is %v", name, namespaced)
		}
		for verb, want := range wantVerbs(m, object) {
			if _, got := s.client.MethodByName(verb); got != want {
				t.Errorf("%s: has %s: %v, want %v", name, verb, got, want)
			}
		}
		checkTypes(t, name, s.client, object)
	}
	for name := range kinds {
		t.Errorf("%s has a client, but its type is not marked", name)
	}
}

// wantVerbs says which methods a client should have, and which it should not.
func wantVerbs(m marked, object reflect.Type) map[string]bool {
	all := !m.has(":onlyVerbs") && !m.has(":noVerbs")
	_, status := object.FieldByName("Status")
	status = status && all && !m.has(":noStatus")
	want := map[string]bool{
		"Create": all || m.has(":onlyVerbs=create"), "Update": all, "Delete": all, "Get": all, "List": all, "Watch": all,
		"Patch": all, "Apply": all,
		"DeleteCollection": all && !m.has(":skipVerbs=deleteCollection"),
		"UpdateStatus":     status, "ApplyStatus": status,
	}
	for _, mark := range m.marks {
		if method, ok := strings.CutPrefix(mark, ":method="); ok {
			method, _, _ = strings.Cut(method, ",")
			want[method] = true
		}
	}
	return want
}

// checkTypes looks at what the verbs send and receive.
func checkTypes(t *testing.T, name string, client, object reflect.Type) {
	t.Helper()
	for _, verb := range []string{"Create", "Update", "UpdateStatus", "Get", "Patch", "Apply", "ApplyStatus"} {
		m, ok := client.MethodByName(verb)
		if ok && m.Type.Out(0) != reflect.PointerTo(object) {
			t.Errorf("%s: %s returns a %v", name, verb, m.Type.Out(0))
		}
	}
	if m, ok := client.MethodByName("List"); ok {
		list := m.Type.Out(0).Elem()
		if items, ok := list.FieldByName("Items"); !ok || items.Type.Elem() != object {
			t.Errorf("%s: List returns a %v", name, list)
		}
	}
}

func TestEveryRegisteredKindIsInTheScheme(t *testing.T) {
	groups := map[string]schema.GroupVersion{}
	for gvk, known := range scheme.Scheme.AllKnownTypes() {
		if pkg, ok := strings.CutPrefix(known.PkgPath(), "k8s.io/api/"); ok {
			groups[pkg] = gvk.GroupVersion()
		}
	}
	for pkg, dir := range apiPackages(t) {
		for _, kind := range registered(t, dir) {
			if gvk := groups[pkg].WithKind(kind); !scheme.Scheme.Recognizes(gvk) {
				t.Errorf("%s.%s is not in the scheme as %v", pkg, kind, gvk)
			}
		}
		delete(groups, pkg)
	}
	for pkg := range groups {
		t.Errorf("%s is in the scheme, but should not be", pkg)
	}
}
