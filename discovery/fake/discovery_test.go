package fake_test

import (
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"

	fakediscovery "vedette.dev/discovery/fake"
	"vedette.dev/kubernetes/fake"
	clienttesting "vedette.dev/testing"
)

var resources = []*metav1.APIResourceList{
	{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: []string{"list"}}}},
	{GroupVersion: "b.example/v2", APIResources: []metav1.APIResource{{Name: "widgets", Kind: "Widget", Verbs: []string{"list"}}}},
	{GroupVersion: "b.example/v1", APIResources: []metav1.APIResource{{Name: "widgets", Kind: "Widget", Verbs: []string{"list"}}}},
}

func withError(err error) clienttesting.ReactionFunc {
	return func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err }
}

// TestFakeDiscovery: the answers of a FakeDiscovery alone, and of that of a clientset, are the same.
func TestFakeDiscovery(t *testing.T) {
	clientset := fake.NewSimpleClientset()
	clientset.Resources = resources
	for name, d := range map[string]*fakediscovery.FakeDiscovery{
		"alone":     {Fake: &clienttesting.Fake{Resources: resources}},
		"clientset": clientset.Discovery().(*fakediscovery.FakeDiscovery),
	} {
		t.Run(name, func(t *testing.T) {
			groups, err := d.ServerGroups()
			if err != nil || len(groups.Groups) != 2 || groups.Groups[1].Name != "b.example" || len(groups.Groups[1].Versions) != 2 || groups.Groups[1].PreferredVersion.Version != "v2" {
				t.Errorf("groups: %v, %v", groups, err)
			}
			list, err := d.ServerResourcesForGroupVersion("b.example/v1")
			if err != nil || len(list.APIResources) != 1 {
				t.Errorf("resources: %v, %v", list, err)
			}
			if _, err := d.ServerResourcesForGroupVersion("b.example/v3"); !apierrors.IsNotFound(err) {
				t.Errorf("no resources: %v", err)
			}
			both, lists, err := d.ServerGroupsAndResources()
			if err != nil || len(both) != 2 || len(lists) != 3 {
				t.Errorf("all: %v, %v, %v", both, lists, err)
			}
			preferred, err := d.ServerPreferredResources()
			preferred = slices.DeleteFunc(preferred, func(l *metav1.APIResourceList) bool { return len(l.APIResources) == 0 })
			if err != nil || len(preferred) != 2 || preferred[1].GroupVersion != "b.example/v2" {
				t.Errorf("preferred: %v, %v", preferred, err)
			}
			if preferred, err = d.ServerPreferredNamespacedResources(); err != nil || len(preferred) != 1 || preferred[0].GroupVersion != "v1" {
				t.Errorf("preferred and namespaced: %v, %v", preferred, err)
			}
			if v, err := d.ServerVersion(); err != nil || v.Major != "1" || v.GitVersion == "" {
				t.Errorf("version: %v, %v", v, err)
			}
			d.FakedServerVersion = &version.Info{GitCommit: "c"}
			if v, err := d.ServerVersion(); err != nil || v.GitCommit != "c" {
				t.Errorf("faked version: %v, %v", v, err)
			}
			if a := d.Actions()[0]; !a.Matches("get", "group") {
				t.Errorf("%#v", a)
			}
			if d.WithLegacy() != d {
				t.Error("WithLegacy returned another one")
			}
		})
	}
}

func TestErrors(t *testing.T) {
	mine := errors.New("mine")
	clientset := fake.NewClientset()
	for name, d := range map[string]*fakediscovery.FakeDiscovery{
		"alone":     {Fake: &clienttesting.Fake{}},
		"clientset": clientset.Discovery().(*fakediscovery.FakeDiscovery),
	} {
		t.Run(name, func(t *testing.T) {
			d.PrependReactor("get", "resource", withError(mine))
			if groups, _, err := d.ServerGroupsAndResources(); err != mine || groups == nil {
				t.Error(groups, err)
			}
			if _, err := d.ServerResourcesForGroupVersion("v1"); err != mine {
				t.Error(err)
			}
			if _, err := d.ServerVersion(); err != nil {
				t.Error(err)
			}
			d.PrependReactor("*", "*", withError(mine))
			if _, err := d.ServerVersion(); err != mine {
				t.Error(err)
			}
			if list, err := d.ServerGroups(); err != mine || list != nil {
				t.Error(list, err)
			}
		})
	}
	d := fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{{GroupVersion: "a/b/c"}}}}
	if _, err := d.ServerGroups(); err == nil {
		t.Error("a group version with three parts was taken")
	}
}
