package serve

import (
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"vedette.dev/apitest/internal/storage"
)

// A lenient server stores objects unchanged: there is no validation and no defaulting, namespaces are not required, the
// path determines whether a kind is namespaced, and there are no managed fields but those of an apply. Versions,
// conflicts, selectors, generated names, finalizers and watches work as usual.
//
// An unversioned server also leaves UID, version and creation timestamp of objects as they are written, and compares none
// of them. Lists and watches have versions all the same, so that an informer misses nothing.

// createAsIs stores a new object unchanged, and adds missing identity fields.
func (c *call) createAsIs(obj runtime.Object) (runtime.Object, error) {
	m := metaOf(obj)
	if m.GetName() == "" {
		return nil, apierrors.NewInvalid(c.kind.GroupKind(), "", field.ErrorList{
			field.Required(field.NewPath("metadata", "name"), "name or generateName is required")})
	}
	c.s.identify(m)
	return c.store(obj)
}

// identify sets the UID and the creation timestamp of an object that has none.
func (s *Server) identify(m metav1.Object) {
	if s.config.Unversioned {
		return
	}
	if m.GetUID() == "" {
		m.SetUID(newUID())
	}
	if created := m.GetCreationTimestamp(); created.IsZero() {
		m.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	}
}

// updateAsIs returns an object that replaces live, whose identity it keeps. A write of the status keeps the spec.
func (c *call) updateAsIs(obj, live runtime.Object) runtime.Object {
	m, old := metaOf(obj), metaOf(live)
	if m.GetUID() == "" && !c.s.config.Unversioned {
		m.SetUID(old.GetUID())
	}
	if created := m.GetCreationTimestamp(); created.IsZero() && !c.s.config.Unversioned {
		m.SetCreationTimestamp(old.GetCreationTimestamp())
	}
	if m.GetDeletionTimestamp() == nil && old.GetDeletionTimestamp() != nil {
		m.SetDeletionTimestamp(old.GetDeletionTimestamp())
	}
	if c.sub == "status" {
		keepSpec(obj, live)
	}
	return obj
}

// keepSpec sets the spec of obj to that of live. They share it.
func keepSpec(obj, live runtime.Object) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		if spec, has := live.(*unstructured.Unstructured).Object["spec"]; has {
			u.Object["spec"] = spec
		} else {
			delete(u.Object, "spec")
		}
		return
	}
	to, from := reflect.ValueOf(obj).Elem().FieldByName("Spec"), reflect.ValueOf(live).Elem().FieldByName("Spec")
	if to.IsValid() && from.IsValid() && to.Type() == from.Type() {
		to.Set(from)
	}
}

// neverHeld reports whether an object was put with a deletion timestamp and without finalizers. A real server has none
// like it; here it stays until it is deleted.
func (c *call) neverHeld(live runtime.Object) bool {
	return c.s.config.Lenient && len(metaOf(live).GetFinalizers()) == 0
}

// deleteNow removes an object that has no finalizers. There is no kubelet to wait for, and no garbage collector.
func (c *call) deleteNow(item *storage.Item) (runtime.Object, bool, error) {
	if len(metaOf(item.Object).GetFinalizers()) == 0 {
		return c.remove(item)
	}
	obj := item.Object.DeepCopyObject()
	m := metaOf(obj)
	if m.GetDeletionTimestamp() == nil {
		now := metav1.NewTime(time.Now()).Rfc3339Copy()
		m.SetDeletionTimestamp(&now)
	}
	item, err := c.replace(item, obj)
	if err != nil {
		return nil, false, err
	}
	live, err := c.show(item.Object)
	return live, false, err
}
