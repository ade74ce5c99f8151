package kinds

import (
	"cmp"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// NewUntypedRegistry knows the names of all kinds that NewRegistryOfAll knows, and of their fields nothing: objects are
// unstructured, and kept as they come.
func NewUntypedRegistry() *Registry { return newRegistry(untyped()) }

var untyped = sync.OnceValue(func() *table {
	t := newTable()
	for _, k := range everything().kinds {
		schemaless := newSchemaless(Schemaless{k.GroupVersionKind, k.Plural, k.Namespaced})
		schemaless.Singular, schemaless.ShortNames, schemaless.Categories, schemaless.StorageVersionHash = k.Singular, k.ShortNames, k.Categories, k.StorageVersionHash
		schemaless.custom.storageVersion = everything().storage(k).Version
		for _, label := range fieldLabels[k.GroupVersionKind] {
			schemaless.custom.selectable = append(schemaless.custom.selectable, "."+label)
		}
		t.add(schemaless)
	}
	return t
})

// Schemaless is a kind that is served though no definition says what its objects look like.
type Schemaless struct {
	schema.GroupVersionKind
	// Plural may be empty. Then it is guessed.
	Plural     string
	Namespaced bool
}

// AddSchemaless serves kinds from now on, except where there is something at that path already.
func (r *Registry) AddSchemaless(kinds ...Schemaless) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.current.Load()
	var added []*Kind
	for _, l := range kinds {
		if l.Plural != "" && t.byResource[l.GroupVersion().WithResource(l.Plural)] != nil {
			continue // most are, and to make them takes longer
		}
		if k := newSchemaless(l); t.byResource[k.Resource()] == nil {
			added = append(added, k)
		}
	}
	if len(added) == 0 {
		return
	}
	slices.SortFunc(added, func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), -version.CompareKubeAwareVersionStrings(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
	base := r.base.clone()
	for _, k := range added {
		if other := base.sibling(k); other != nil {
			k.custom.storageVersion = base.storage(other).Version
		}
		base.add(k)
	}
	base.gather()
	r.base = base
	if len(t.crds) > 0 {
		base = base.withDefinitions(t.crds)
	}
	r.current.Store(base)
}

// sibling is the same resource in another version.
func (t *table) sibling(k *Kind) *Kind {
	at := slices.IndexFunc(t.kinds, func(other *Kind) bool { return other.Group == k.Group && other.Plural == k.Plural })
	if at < 0 {
		return nil
	}
	return t.kinds[at]
}

// anything is a schema that all objects satisfy.
var anything = &jsonSchema{Type: "object", Preserve: true}

func newSchemaless(l Schemaless) *Kind {
	gvk := l.GroupVersionKind
	plural, singular := meta.UnsafeGuessKindToResource(gvk)
	k := &Kind{
		GroupVersionKind: gvk, Plural: cmp.Or(l.Plural, plural.Resource), Singular: singular.Resource,
		Namespaced: l.Namespaced, Verbs: crdVerbs, Custom: true,
		custom: &customKind{
			storageVersion: gvk.Version, schema: anything, listKind: gvk.Kind + "List",
			rawSchema: map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
			scale:     &ScaleDefinition{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
		},
	}
	some := []string{"get", "patch", "update"}
	k.Subresources = []Subresource{
		{Name: "status", GroupVersionKind: gvk, Verbs: some},
		{Name: "scale", Verbs: some, GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}},
	}
	k.newObject = func() runtime.Object {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u
	}
	k.newList = func() runtime.Object {
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(gvk.GroupVersion().WithKind(k.custom.listKind))
		return u
	}
	return k
}
