package serve

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

func isDefinition(k *kinds.Kind) bool {
	return k.Group == "apiextensions.k8s.io" && k.Kind == "CustomResourceDefinition"
}

// afterWrite runs the consequences of a new or changed object, and returns its newest state.
func (s *Server) afterWrite(c *call, item *storage.Item) *storage.Item {
	if isDefinition(c.kind) {
		return s.define(c, item)
	}
	return item
}

// afterDelete runs the consequences of a deletion.
func (s *Server) afterDelete(c *call, item *storage.Item) {
	m := metaOf(item.Object)
	if isDefinition(c.kind) {
		s.config.Registry.RemoveCRD(m.GetName())
		s.lifetimes.end(m.GetName())
	}
	if s.config.Controllers && m.GetDeletionTimestamp() != nil && c.namespace != "" {
		if namespace := s.store.Get(namespaces, c.namespace); namespace != nil && metaOf(namespace.Object).GetDeletionTimestamp() != nil {
			s.emptyNamespace(c.namespace)
		}
	}
}

// define serves the kind of a definition, and sets the conditions in its status. One with conflicting names is not
// served.
func (s *Server) define(c *call, item *storage.Item) *storage.Item {
	s.crds.Lock()
	defer s.crds.Unlock()
	for {
		item = s.store.Get(c.resource, item.Key)
		if item == nil {
			return nil
		}
		definition, ok := item.Object.DeepCopyObject().(*unstructured.Unstructured)
		if !ok {
			return item
		}
		_ = s.config.Registry.SetCRD(definition.DeepCopy()) // the status has the reason
		s.config.Registry.CRDStatus(definition)
		if same(definition, item.Object) {
			return item
		}
		updated, err := s.store.Update(c.resource, item, definition)
		if !isChanged(err) {
			if err != nil {
				return item
			}
			return updated
		}
	}
}

// removeCustom deletes the objects of a definition, which are deleted before it.
func (s *Server) removeCustom(definition runtime.Object) {
	u, ok := definition.(*unstructured.Unstructured)
	if !ok {
		return
	}
	group, _, _ := unstructured.NestedString(u.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(u.Object, "spec", "names", "plural")
	for _, kind := range s.config.Registry.All() {
		if kind.Group != group || kind.Plural != plural || s.config.Registry.Storage(kind) != kind {
			continue
		}
		c := s.newCall(kind, "", "", "")
		snapshot, err := s.store.Snapshot(c.resource, 0)
		if err != nil {
			return
		}
		for item := range snapshot.Items("", "") {
			m := metaOf(item.Object)
			c.namespace, c.name = m.GetNamespace(), m.GetName()
			_, _, _ = c.delete(&metav1.DeleteOptions{}) // it may be deleted already
		}
	}
}
