package kinds

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a resource in one version, as the server serves it. It does not change.
type Kind struct {
	schema.GroupVersionKind
	// Plural is the name in paths.
	Plural, Singular       string
	ShortNames, Categories []string
	Namespaced             bool
	// Verbs are the verbs of the resource itself, as discovery names them.
	Verbs        []string
	Subresources []Subresource
	// StorageVersionHash is what discovery says of the version in which objects are stored.
	StorageVersionHash string
	// Custom says that the kind comes from a CustomResourceDefinition. Its objects are *unstructured.Unstructured and travel
	// as JSON only.
	Custom bool

	newObject, newList func() runtime.Object
	custom             *customKind
}

// Subresource is a path below an object, such as "status".
type Subresource struct {
	Name string
	// GroupVersionKind is what is read and written there: for status the kind itself, for scale autoscaling/v1 Scale.
	schema.GroupVersionKind
	Verbs []string
}

// New returns an empty object.
func (k *Kind) New() runtime.Object { return k.newObject() }

// Resource is the name of the kind in paths.
func (k *Kind) Resource() schema.GroupVersionResource { return k.GroupVersion().WithResource(k.Plural) }

// Listed reports whether the kind is one of objects that are kept, rather than of questions that are answered, such as a
// TokenReview.
func (k *Kind) Listed() bool { return slices.Contains(k.Verbs, "list") }

// Subresource finds one by its name.
func (k *Kind) Subresource(name string) (Subresource, bool) {
	for _, s := range k.Subresources {
		if s.Name == name {
			return s, true
		}
	}
	return Subresource{}, false
}

// HasStatus reports whether status is written apart from the rest.
func (k *Kind) HasStatus() bool {
	_, ok := k.Subresource("status")
	return ok
}
