package api

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// module writes a k8s.io/api with one group, whose types are given.
func module(t *testing.T, types string) string {
	t.Helper()
	dir := t.TempDir()
	for name, source := range map[string]string{
		"example/v1/register.go": `const GroupName = "example.k8s.io"`,
		"example/v1/types.go":    types,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package v1\n\n"+source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	groups, err := Read(module(t, `
// +genclient
// +genclient:nonNamespaced
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateSize,verb=update,subresource=size,input=Size,result=Size

// Widget is documented in a comment of its own.
type Widget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Status int
}

// WidgetList is a list.
type WidgetList struct{ Items []Widget }

// Gadget has its mark in its documentation.
// +genclient
//
// Deprecated: use Widget.
//
// +genclient:skipVerbs=watch,apply
type Gadget struct {
	metav1.ObjectMeta
}

type GadgetList struct{}

// Size has no client.
type Size struct{}

// +genclient
// +genclient:onlyVerbs=create
type Review struct {
	metav1.ObjectMeta
	Status int
}

// +genclient
// +genclient:noStatus
type Quiet struct {
	metav1.ObjectMeta
	Status int
}
type QuietList struct{}
`))
	if err != nil {
		t.Fatal(err)
	}
	size, scale := TypeRef{Name: "Size"}, TypeRef{"k8s.io/api/autoscaling/v1", "Scale"}
	want := []Group{{
		Dir: "example", Version: "v1", Name: "example.k8s.io",
		Kinds: []Kind{
			{Name: "Gadget", Namespaced: true, HasList: true, Deprecated: true,
				Verbs: Verbs{"create", "update", "delete", "deleteCollection", "get", "list", "patch"}},
			{Name: "Quiet", Namespaced: true, HasList: true,
				Verbs: Verbs{"create", "update", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply"}},
			{Name: "Review", Namespaced: true, Verbs: Verbs{"create"}},
			{Name: "Widget", HasList: true, Verbs: AllVerbs, Methods: []Method{
				{Name: "GetScale", Verb: "get", Subresource: "scale", Result: scale},
				{Name: "UpdateSize", Verb: "update", Subresource: "size", Input: size, Result: size},
			}},
		},
	}}
	if !reflect.DeepEqual(groups, want) {
		t.Errorf("got  %#v\nwant %#v", groups, want)
	}
}

func TestReadRefusesWhatItDoesNotKnow(t *testing.T) {
	tests := []struct{ name, types, want string }{
		{"unknown mark", "// +genclient\n// +genclient:shiny\ntype T struct{ metav1.ObjectMeta }\ntype TList struct{}", ":shiny: not a mark"},
		{"unknown verb", "// +genclient:onlyVerbs=listen\ntype T struct{ metav1.ObjectMeta }", `no verb "listen"`},
		{"unknown setting", "// +genclient:method=M,verb=get,subresource=s,colour=red\ntype T struct{ metav1.ObjectMeta }", `no setting "colour"`},
		{"method's verb", "// +genclient:method=M,verb=watch,subresource=s\ntype T struct{ metav1.ObjectMeta }", `the verb "watch"`},
		{"method's name", "// +genclient:method=,verb=get,subresource=s\ntype T struct{ metav1.ObjectMeta }", "needs a name"},
		{"above a function", "// +genclient\nfunc f() {}", "above no type"},
		{"at the end", "type T struct{}\n// +genclient", "above no type"},
		{"inside a type", "type T struct{\n// +genclient\nA int }", "above no type"},
		{"no metadata", "// +genclient\ntype T struct{}", "not a struct with ObjectMeta"},
		{"not a struct", "// +genclient\ntype T int", "not a struct with ObjectMeta"},
		{"no list", "// +genclient\ntype T struct{ metav1.ObjectMeta }", "there is no TList"},
		{"nothing", "type T struct{}", "no API groups"},
		{"bad Go", "type", "expected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(module(t, tt.types))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestPlural(t *testing.T) {
	for name, want := range map[string]string{
		"Pod":             "Pods",
		"Endpoints":       "Endpoints",
		"Ingress":         "Ingresses",
		"NetworkPolicy":   "NetworkPolicies",
		"Gateway":         "Gateways",
		"EndpointSlice":   "EndpointSlices",
		"ComponentStatus": "ComponentStatuses",
		"Mutex":           "Mutexes",
		"Batch":           "Batches",
		"Path":            "Paths",
		"Leaf":            "Leaves",
		"Knife":           "Knives",
	} {
		if got := (Kind{Name: name}).Plural(); got != want {
			t.Errorf("plural of %s: %s, want %s", name, got, want)
		}
	}
}

func TestGroupNames(t *testing.T) {
	for _, tt := range []struct {
		group         Group
		goName, alias string
	}{
		{Group{Dir: "core", Version: "v1"}, "CoreV1", "corev1"},
		{Group{Dir: "rbac", Version: "v1", Name: "rbac.authorization.k8s.io"}, "RbacV1", "rbacv1"},
		{Group{Dir: "apiserverinternal", Version: "v1alpha1", Name: "internal.apiserver.k8s.io"}, "InternalV1alpha1", "apiserverinternalv1alpha1"},
	} {
		if got := tt.group.GoName(); got != tt.goName {
			t.Errorf("GoName of %s is %s, want %s", tt.group.Import(), got, tt.goName)
		}
		if got := tt.group.Alias(); got != tt.alias {
			t.Errorf("Alias of %s is %s, want %s", tt.group.Import(), got, tt.alias)
		}
	}
}
