package kinds

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Registry has the kinds that a server serves. It may be used from several goroutines: readers see one state or the next, and
// what they got from it does not change.
type Registry struct {
	base    *table     // without custom kinds
	mu      sync.Mutex // held by writers
	current atomic.Pointer[table]
}

// NewRegistry returns a registry of the built-in kinds that the real server serves unless told otherwise.
func NewRegistry() *Registry { return newRegistry(builtin()) }

func newRegistry(base *table) *Registry {
	r := &Registry{base: base}
	r.current.Store(base)
	return r
}

// Lookup finds a kind by where it is served.
func (r *Registry) Lookup(gvr schema.GroupVersionResource) (*Kind, bool) {
	k, ok := r.current.Load().byResource[gvr]
	return k, ok
}

// KindFor finds a kind by what its objects say they are.
func (r *Registry) KindFor(gvk schema.GroupVersionKind) (*Kind, bool) {
	k, ok := r.current.Load().byKind[gvk]
	return k, ok
}

// All are the kinds in the order of discovery.
func (r *Registry) All() []*Kind { return slices.Clone(r.current.Load().kinds) }

// Storage is the kind as which objects of k are stored.
func (r *Registry) Storage(k *Kind) *Kind { return r.current.Load().storage(k) }

// table is a state of a registry.
//
// Invariant: a table that others can see does not change.
type table struct {
	kinds      []*Kind
	byResource map[schema.GroupVersionResource]*Kind
	byKind     map[schema.GroupVersionKind]*Kind
	// crds are the definitions by name. Their kinds are in the other fields.
	crds map[string]*definition
	// documents is what is made from the table on demand.
	documents *documents
}

func newTable() *table {
	return &table{
		byResource: map[schema.GroupVersionResource]*Kind{},
		byKind:     map[schema.GroupVersionKind]*Kind{},
		crds:       map[string]*definition{},
		documents:  &documents{},
	}
}

func (t *table) add(k *Kind) {
	t.kinds = append(t.kinds, k)
	t.byResource[k.Resource()] = k
	if _, taken := t.byKind[k.GroupVersionKind]; !taken {
		t.byKind[k.GroupVersionKind] = k
	}
}

// clone is for changing.
func (t *table) clone() *table {
	return &table{
		kinds:      slices.Clone(t.kinds),
		byResource: maps.Clone(t.byResource),
		byKind:     maps.Clone(t.byKind),
		crds:       maps.Clone(t.crds),
		documents:  &documents{},
	}
}

// stored says in which version objects are stored, for resources with several.
var stored = map[schema.GroupResource]schema.GroupVersionResource{
	{Group: "events.k8s.io", Resource: "events"}: {Version: "v1", Resource: "events"},
	{Group: "autoscaling", Resource: "horizontalpodautoscalers"}: {
		Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
}

func (t *table) storage(k *Kind) *Kind {
	gr := k.Resource().GroupResource()
	if at, ok := stored[gr]; ok {
		return t.byResource[at]
	}
	if k.Custom {
		return k.custom.storage(t, k)
	}
	for _, other := range t.kinds {
		if other.Plural == k.Plural && other.Group == k.Group {
			return other // the one that discovery prefers
		}
	}
	return k
}
