package kinds

import (
	"cmp"
	"sync"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/kubernetes/scheme"
)

// builtin is the table that every registry starts from.
var builtin = sync.OnceValue(func() *table {
	t := newTable()
	for _, name := range []string{"discovery/api.json", "discovery/apis.json"} {
		var list apidiscoveryv2.APIGroupDiscoveryList
		recorded().decode(name, &list)
		for _, group := range list.Items {
			for _, version := range group.Versions {
				t.addRecorded(schema.GroupVersion{Group: group.Name, Version: version.Version}, version.Resources)
			}
		}
	}
	return t
})

func (t *table) addRecorded(gv schema.GroupVersion, resources []apidiscoveryv2.APIResourceDiscovery) {
	hashes := storageHashes(gv)
	for i := range resources {
		k := recordedKind(gv, &resources[i])
		k.StorageVersionHash = hashes[k.Plural]
		t.add(k)
	}
}

func recordedKind(gv schema.GroupVersion, r *apidiscoveryv2.APIResourceDiscovery) *Kind {
	k := &Kind{
		GroupVersionKind: responseKind(gv, r.ResponseKind),
		Plural:           r.Resource,
		Singular:         r.SingularResource,
		ShortNames:       r.ShortNames,
		Categories:       r.Categories,
		Namespaced:       r.Scope == apidiscoveryv2.ScopeNamespace,
		Verbs:            r.Verbs,
	}
	for _, s := range r.Subresources {
		k.Subresources = append(k.Subresources, Subresource{
			Name:             s.Subresource,
			GroupVersionKind: responseKind(gv, s.ResponseKind),
			Verbs:            s.Verbs,
		})
	}
	list := k.GroupVersion().WithKind(k.Kind + "List")
	k.newObject, k.newList = constructor(k.GroupVersionKind), listConstructor(list)
	return k
}

// responseKind completes what discovery leaves out if it is that of the resource.
func responseKind(gv schema.GroupVersion, kind *metav1.GroupVersionKind) schema.GroupVersionKind {
	if kind.Group == "" && kind.Version == "" {
		return gv.WithKind(kind.Kind)
	}
	return schema.GroupVersionKind{Group: kind.Group, Version: cmp.Or(kind.Version, gv.Version), Kind: kind.Kind}
}

func storageHashes(gv schema.GroupVersion) map[string]string {
	var list metav1.APIResourceList
	recorded().decode("resources/"+pathOf(gv)+".json", &list)
	hashes := map[string]string{}
	for _, r := range list.APIResources {
		hashes[r.Name] = r.StorageVersionHash
	}
	return hashes
}

// pathOf is where a version is served: "api/v1", "apis/apps/v1".
func pathOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.Group + "/" + gv.Version
}

// constructor makes Go types where there are some. CustomResourceDefinitions and APIServices have none in k8s.io/api.
func constructor(gvk schema.GroupVersionKind) func() runtime.Object {
	if !scheme.Scheme.Recognizes(gvk) {
		return func() runtime.Object {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(gvk)
			return u
		}
	}
	return func() runtime.Object { return mustNew(gvk) }
}

func listConstructor(gvk schema.GroupVersionKind) func() runtime.Object {
	if !scheme.Scheme.Recognizes(gvk) {
		return func() runtime.Object {
			u := &unstructured.UnstructuredList{}
			u.SetGroupVersionKind(gvk)
			return u
		}
	}
	return func() runtime.Object { return mustNew(gvk) }
}

func mustNew(gvk schema.GroupVersionKind) runtime.Object {
	obj, err := scheme.Scheme.New(gvk)
	if err != nil {
		panic(err) // it was recognized
	}
	return obj
}
