package patch

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// keepIdentity rejects a patch that would change the identity of the object. A resource version in the patch is kept in
// the result, and compared when it is stored.
func keepIdentity(live, patched runtime.Object, r Request) error {
	m, err := meta.Accessor(patched)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	name, namespace := r.Name, r.Namespace
	if name == "" && live != nil {
		was, err := meta.Accessor(live)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		name, namespace = was.GetName(), was.GetNamespace()
	}
	if live == nil && m.GetUID() != "" {
		return apierrors.NewConflict(r.Kind.Resource().GroupResource(), name, fmt.Errorf(
			"uid mismatch: the provided object specified uid %s, and no existing object was found", m.GetUID()))
	}
	if err := keepNamespace(m, r, namespace); err != nil {
		return err
	}
	switch {
	case m.GetName() == "":
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s based on URL) was undeterminable: name must be provided", name))
	case name != "" && m.GetName() != name:
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", m.GetName(), name))
	}
	if err := keepKind(shapeOf(r.Kind, r.Subresource), patched); err != nil {
		return err
	}
	return keepUID(live, m, r)
}

// keepKind is for custom resources, which can be decoded whatever kind they say they are.
func keepKind(s shape, obj runtime.Object) error {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if !s.custom || kind == s.Kind {
		return nil
	}
	name := ""
	if m, err := meta.Accessor(obj); err == nil {
		name = m.GetName()
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: s.Group, Kind: kind}, name, field.ErrorList{
		field.Invalid(field.NewPath("kind"), kind, "must be "+s.Kind),
	})
}

func keepNamespace(m metav1.Object, r Request, namespace string) error {
	switch {
	case !r.Kind.Namespaced:
		m.SetNamespace("")
	case m.GetNamespace() == "":
		m.SetNamespace(namespace)
	case namespace != "" && m.GetNamespace() != namespace:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

func keepUID(live runtime.Object, m metav1.Object, r Request) error {
	if live == nil {
		return nil
	}
	was, err := meta.Accessor(live)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	switch m.GetUID() {
	case was.GetUID():
		return nil
	case "":
		m.SetUID(was.GetUID())
		return nil
	}
	immutable := field.Invalid(field.NewPath("metadata", "uid"), m.GetUID(), "field is immutable")
	// Twice, since kube-apiserver validates metadata for all kinds, and each kind does so again.
	return apierrors.NewInvalid(r.Kind.GroupKind(), m.GetName(), field.ErrorList{immutable, immutable})
}
