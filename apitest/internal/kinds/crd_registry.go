package kinds

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
)

// SetCRD serves the kinds of a CustomResourceDefinition from now on, in place of what one of the same name has defined
// before. If its names are taken by others, or it cannot be understood, that is an error and nothing changes.
func (r *Registry) SetCRD(obj *unstructured.Unstructured) error {
	d, err := parseDefinition(obj)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.current.Load()
	if conflict := t.conflict(d); conflict != nil {
		return fmt.Errorf("CustomResourceDefinition %q: %s", d.name, conflict.message)
	}
	crds := maps.Clone(t.crds)
	crds[d.name] = d
	r.current.Store(r.base.withDefinitions(crds))
	return nil
}

// RemoveCRD serves the kinds of a definition no longer.
func (r *Registry) RemoveCRD(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	crds := maps.Clone(r.current.Load().crds)
	delete(crds, name)
	r.current.Store(r.base.withDefinitions(crds))
}

// withDefinitions is the table with the kinds of definitions, which come after the others, by group, version and name.
func (t *table) withDefinitions(crds map[string]*definition) *table {
	t = t.clone()
	t.crds = crds
	var kinds []*Kind
	for _, d := range crds {
		kinds = append(kinds, d.kinds...)
	}
	slices.SortFunc(kinds, func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group),
			-version.CompareKubeAwareVersionStrings(a.Version, b.Version), cmp.Compare(a.Plural, b.Plural))
	})
	for _, k := range kinds {
		t.add(k)
	}
	t.gather()
	return t
}

// gather brings the kinds of a group together, should a definition have added to a group that was there already.
func (t *table) gather() {
	first := map[string]int{}
	for i, k := range t.kinds {
		if _, seen := first[k.Group]; !seen {
			first[k.Group] = i
		}
	}
	slices.SortStableFunc(t.kinds, func(a, b *Kind) int { return cmp.Compare(first[a.Group], first[b.Group]) })
}

// has may be asked of nil.
func (d *definition) has(k *Kind) bool { return d != nil && slices.Contains(d.kinds, k) }
