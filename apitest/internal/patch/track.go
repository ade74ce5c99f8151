package patch

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/kinds"
)

// Track implements Patcher.
func (p *patcher) Track(live, updated runtime.Object, kind *kinds.Kind, subresource, manager string) (runtime.Object, error) {
	return p.track(p.shapeOf(kind, subresource), live, shallow(updated), subresource, manager)
}

// track may change updated.
func (p *patcher) track(s shape, live, updated runtime.Object, subresource, manager string) (runtime.Object, error) {
	fields, err := p.manager(s, subresource)
	if err != nil {
		return nil, asStatus(err)
	}
	if live == nil {
		live = s.make()
	}
	obj, err := fields.Update(s.named(live), updated, manager)
	if err != nil {
		return keepManaged(live, updated), nil
	}
	wholeSeconds(obj)
	return obj, nil
}

// keepManaged is for objects that do not match the schema, for example because they are older: they are served, but the
// managers of their fields cannot be determined.
func keepManaged(live, updated runtime.Object) runtime.Object {
	was, err := meta.Accessor(live)
	if err != nil {
		return updated
	}
	if is, err := meta.Accessor(updated); err == nil {
		is.SetManagedFields(was.GetManagedFields())
	}
	return updated
}

// wholeSeconds makes an object in memory what it is after a round trip through JSON. Unstructured objects hold text.
func wholeSeconds(obj runtime.Object) {
	if _, ok := obj.(*unstructured.Unstructured); ok {
		return
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	entries := m.GetManagedFields()
	for i := range entries {
		if t := entries[i].Time; t != nil {
			whole := t.Rfc3339Copy()
			entries[i].Time = &whole
		}
	}
	m.SetManagedFields(entries)
}
