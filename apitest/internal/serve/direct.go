package serve

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
	"vedette.dev/kubernetes/scheme"
)

// directManager is the field manager of changes without a client.
const directManager = "apitest"

// KindOf returns the kind of an object, by its Go type or its apiVersion and kind.
func (s *Server) KindOf(obj runtime.Object) (*kinds.Kind, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if gvk.Kind == "" || gvk.Version == "" {
		gvks, _, err := scheme.Scheme.ObjectKinds(obj)
		if err != nil {
			return nil, err
		}
		gvk = gvks[0]
	}
	kind, ok := s.config.Registry.KindFor(gvk)
	if !ok || !kind.Listed() {
		return nil, fmt.Errorf("the server does not serve objects of kind %s", gvk)
	}
	return kind, nil
}

// callFor returns a call for an object without a client.
func (s *Server) callFor(obj runtime.Object, sub string) (*call, error) {
	kind, err := s.KindOf(obj)
	if err != nil {
		return nil, err
	}
	m := metaOf(obj)
	c := s.newCall(kind, m.GetNamespace(), m.GetName(), sub)
	c.manager = directManager
	if kind.Namespaced && c.namespace == "" && !s.config.Lenient {
		return nil, fmt.Errorf("an object of kind %s needs a namespace", kind.Kind)
	}
	return c, nil
}

// typed converts an object to the Go type in which the kind is stored: an unstructured one may be of a kind with a
// type, and a typed one of a kind that is stored unstructured.
func (c *call) typed(obj runtime.Object) (runtime.Object, error) {
	_, want := c.kind.New().(*unstructured.Unstructured)
	if _, is := obj.(*unstructured.Unstructured); is == want {
		return obj, nil
	}
	if !want {
		return c.s.config.Registry.Convert(obj, c.kind)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(c.kind.GroupVersionKind)
	return u, nil
}

// own returns a copy that the caller may modify, with its kind.
func (c *call) own(obj runtime.Object, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	copied := obj.DeepCopyObject()
	copied.GetObjectKind().SetGroupVersionKind(c.kind.GroupVersionKind)
	return copied, nil
}

// CreateObject is create without a connection.
func (s *Server) CreateObject(obj runtime.Object) (runtime.Object, error) {
	c, err := s.callFor(obj, "")
	if err != nil {
		return nil, err
	}
	obj, err = c.typed(obj.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	return c.own(c.create(obj))
}

// UpdateObject is update without a connection.
func (s *Server) UpdateObject(obj runtime.Object, sub string) (runtime.Object, error) {
	c, err := s.callFor(obj, sub)
	if err != nil {
		return nil, err
	}
	obj, err = c.typed(obj.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	result, _, err := c.put(obj)
	return c.own(result, err)
}

// DeleteObject is delete without a connection.
func (s *Server) DeleteObject(obj runtime.Object, opts metav1.DeleteOptions) error {
	c, err := s.callFor(obj, "")
	if err != nil {
		return err
	}
	c.dryRun = len(opts.DryRun) > 0
	_, _, err = c.delete(&opts)
	return err
}

// GetObject is get without a connection.
func (s *Server) GetObject(resource schema.GroupVersionResource, namespace, name string) (runtime.Object, error) {
	kind, ok := s.config.Registry.Lookup(resource)
	if !ok {
		return nil, notServed("get")
	}
	c := s.newCall(kind, namespace, name, "")
	item, err := c.item()
	if err != nil {
		return nil, err
	}
	return c.own(c.show(item.Object))
}

// ListObjects is list without a connection.
func (s *Server) ListObjects(resource schema.GroupVersionResource, namespace string) ([]runtime.Object, string, error) {
	kind, ok := s.config.Registry.Lookup(resource)
	if !ok {
		return nil, "", notServed("list")
	}
	c := s.newCall(kind, namespace, "", "")
	snapshot, err := s.store.Snapshot(c.resource, 0)
	if err != nil {
		return nil, "", err
	}
	objs := make([]runtime.Object, 0, snapshot.Count(namespace, ""))
	for item := range snapshot.Items(namespace, "") {
		obj, err := c.own(c.show(item.Object))
		if err != nil {
			return nil, "", err
		}
		objs = append(objs, obj)
	}
	return objs, fmt.Sprint(snapshot.Version), nil
}

// PutObject stores an object unchanged.
func (s *Server) PutObject(obj runtime.Object) error { return s.TakeObject(obj.DeepCopyObject()) }

// TakeObject is like PutObject, for an object that is not modified any more.
func (s *Server) TakeObject(obj runtime.Object) error {
	c, err := s.callFor(obj, "")
	if err != nil {
		return err
	}
	if c.name == "" {
		return fmt.Errorf("an object of kind %s needs a name", c.kind.Kind)
	}
	if c.kind.Namespaced && !s.config.Lenient {
		if err := s.ensureNamespace(c.namespace); err != nil {
			return err
		}
	}
	if obj, err = c.typed(obj); err != nil {
		return err
	}
	s.identify(metaOf(obj))
	kept, err := c.keep(obj)
	if err != nil {
		return err
	}
	return s.putItem(c, kept)
}

func (s *Server) putItem(c *call, obj runtime.Object) error {
	for {
		var item *storage.Item
		var err error
		if old := s.store.Get(c.resource, c.key()); old != nil {
			item, err = s.store.Update(c.resource, old, obj)
		} else {
			item, err = s.store.Create(c.resource, c.key(), obj)
		}
		if isChanged(err) || isExists(err) {
			continue
		}
		if err == nil {
			s.afterWrite(c, item)
		}
		return err
	}
}

// ensureNamespace creates a namespace if it does not exist.
func (s *Server) ensureNamespace(name string) error {
	if s.store.Get(namespaces, name) != nil {
		return nil
	}
	_, err := s.CreateObject(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
