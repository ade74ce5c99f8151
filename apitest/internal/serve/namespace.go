package serve

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

var namespaces = schema.GroupResource{Resource: "namespaces"}

func isNamespace(k *kinds.Kind) bool { return k.Group == "" && k.Kind == "Namespace" }

// holdsNamespace reports whether obj is a namespace that has finalizers in its spec, which keep it as others do.
func holdsNamespace(obj runtime.Object) bool {
	namespace, ok := obj.(*corev1.Namespace)
	return ok && len(namespace.Spec.Finalizers) > 0
}

// admitCreate rejects an object in a namespace that does not exist or is terminating.
func (s *Server) admitCreate(c *call, m metav1.Object) error {
	if !c.kind.Namespaced || s.config.Lenient {
		return nil
	}
	if s.config.CreateNamespaces {
		if err := s.ensureNamespace(c.namespace); err != nil {
			return err
		}
	}
	item := s.store.Get(namespaces, c.namespace)
	if item == nil {
		return apierrors.NewNotFound(namespaces, c.namespace)
	}
	if metaOf(item.Object).GetDeletionTimestamp() == nil {
		return nil
	}
	name := m.GetName()
	if name == "" {
		name = m.GetGenerateName()
	}
	err := apierrors.NewForbidden(c.groupResource(), name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", c.namespace))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", c.namespace),
		Field:   "metadata.namespace",
	}}
	return err
}

// admitDelete protects the namespaces that every cluster has.
func (s *Server) admitDelete(c *call) error {
	if !isNamespace(c.kind) || s.config.Lenient {
		return nil
	}
	switch c.name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic:
		return apierrors.NewForbidden(namespaces, c.name, errors.New("this namespace may not be deleted"))
	}
	return nil
}

// deleteNamespace marks a namespace as terminating. It is removed when the finalizers in its spec are removed by a
// controller: see emptyNamespace.
func (c *call) deleteNamespace(item *storage.Item, opts *metav1.DeleteOptions) (runtime.Object, bool, error) {
	namespace := item.Object.DeepCopyObject().(*corev1.Namespace)
	c.collectorFinalizers(namespace, opts)
	if len(namespace.Spec.Finalizers) == 0 && len(namespace.Finalizers) == 0 {
		return c.remove(item)
	}
	if namespace.DeletionTimestamp == nil {
		now := metav1.NewTime(time.Now()).Rfc3339Copy()
		namespace.DeletionTimestamp = &now
	}
	namespace.Status.Phase = corev1.NamespaceTerminating
	item, err := c.replace(item, namespace)
	if err != nil {
		return nil, false, err
	}
	if c.s.config.Controllers && !c.dryRun {
		c.s.emptyNamespace(c.name)
	}
	return item.Object, false, nil
}

// emptyNamespace does what the namespace controller does: it deletes the contents of a namespace, and then its
// finalizer. An object with a finalizer or a grace period keeps the namespace; the last one to be removed calls this
// again.
func (s *Server) emptyNamespace(name string) {
	left := 0
	for _, kind := range s.contents() {
		c := s.newCall(kind, name, "", "")
		snapshot, err := s.store.Snapshot(c.resource, 0)
		if err != nil {
			continue
		}
		for item := range snapshot.Items(name, "") {
			c.name = metaOf(item.Object).GetName()
			if metaOf(item.Object).GetDeletionTimestamp() != nil {
				left++
				continue
			}
			if _, deleted, err := c.delete(&metav1.DeleteOptions{}); err == nil && !deleted {
				left++
			}
		}
	}
	if left == 0 {
		s.finalizeNamespace(name)
	}
}

// contents returns the namespaced kinds, each once.
func (s *Server) contents() []*kinds.Kind {
	var contents []*kinds.Kind
	for _, k := range s.config.Registry.All() {
		if k.Namespaced && k.Listed() && s.config.Registry.Storage(k) == k {
			contents = append(contents, k)
		}
	}
	return contents
}

// finalizeNamespace removes the finalizers of the spec, and with them the namespace.
func (s *Server) finalizeNamespace(name string) {
	for {
		item := s.store.Get(namespaces, name)
		if item == nil || metaOf(item.Object).GetDeletionTimestamp() == nil {
			return
		}
		namespace := item.Object.DeepCopyObject().(*corev1.Namespace)
		namespace.Spec.Finalizers = nil
		var err error
		if len(namespace.Finalizers) > 0 {
			_, err = s.store.Update(namespaces, item, namespace)
		} else {
			_, err = s.store.Delete(namespaces, item)
		}
		if !isChanged(err) {
			return
		}
	}
}
