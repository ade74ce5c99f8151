package kinds

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/kubernetes/scheme"
)

// NewRegistryOfAll knows, besides the built-in kinds that a server serves unless told otherwise, every kind and version of
// k8s.io/api that can be listed: alpha and beta versions, and those that no server serves any longer. There is no
// OpenAPI for them, and where they are new, what discovery says of them is guessed.
func NewRegistryOfAll() *Registry { return newRegistry(everything()) }

var everything = sync.OnceValue(func() *table {
	t := builtin().clone()
	var more []*Kind
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if _, known := t.byKind[gvk]; !known && listable(gvk) {
			more = append(more, t.guess(gvk))
		}
	}
	slices.SortFunc(more, func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), -version.CompareKubeAwareVersionStrings(a.Version, b.Version),
			cmp.Compare(a.Plural, b.Plural))
	})
	for _, k := range more {
		t.add(k)
	}
	t.gather()
	return t
})

// listable reports whether objects of a type are kept, unlike lists, options and reviews.
func listable(gvk schema.GroupVersionKind) bool {
	if gvk.Version == runtime.APIVersionInternal || !scheme.Scheme.Recognizes(gvk.GroupVersion().WithKind(gvk.Kind+"List")) {
		return false
	}
	_, err := meta.Accessor(mustNew(gvk))
	return err == nil
}

// clusterKinds are the kinds without a namespace among those that no version is served of by default.
var clusterKinds = []string{"ClusterTrustBundle", "DeviceTaintRule", "PodSecurityPolicy", "ResourcePoolStatusRequest", "StorageVersion",
	"StorageVersionMigration", "VolumeAttributesClass", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}

// guess takes after another version of the kind, if there is one.
func (t *table) guess(gvk schema.GroupVersionKind) *Kind {
	plural, singular := meta.UnsafeGuessKindToResource(gvk)
	k := &Kind{GroupVersionKind: gvk, Plural: plural.Resource, Singular: singular.Resource,
		Namespaced: !slices.Contains(clusterKinds, gvk.Kind) && !strings.HasPrefix(gvk.Kind, "Cluster"),
		Verbs:      []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}}
	some := []string{"get", "patch", "update"}
	for _, other := range t.kinds {
		if other.GroupKind() == gvk.GroupKind() {
			k.Plural, k.Singular, k.Namespaced = other.Plural, other.Singular, other.Namespaced
			k.ShortNames, k.Categories, k.StorageVersionHash = other.ShortNames, other.Categories, other.StorageVersionHash
			for _, s := range other.Subresources {
				if s.GroupVersion() == other.GroupVersion() {
					s.GroupVersionKind.Version = gvk.Version
				}
				k.Subresources = append(k.Subresources, s)
			}
		}
	}
	if structOf(mustNew(gvk)).FieldByName("Status").IsValid() && !k.HasStatus() {
		k.Subresources = append(k.Subresources, Subresource{Name: "status", GroupVersionKind: gvk, Verbs: some})
	}
	k.newObject, k.newList = constructor(gvk), listConstructor(gvk.GroupVersion().WithKind(gvk.Kind+"List"))
	return k
}
