package apitest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Create creates an object as a client would, without a connection. The object says what it is by its Go type or, if it is
// unstructured, by its kind. What is returned is the object as it was stored.
func (s *Server) Create(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
	return s.api.CreateObject(obj)
}

// Update replaces an object as a client would. If it has a resource version, that must be the newest.
func (s *Server) Update(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
	return s.api.UpdateObject(obj, "")
}

// UpdateStatus replaces the status of an object.
func (s *Server) UpdateStatus(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
	return s.api.UpdateObject(obj, "status")
}

// Delete deletes an object as a client would: it may be there for some time yet. Of the object, the kind and the name count.
func (s *Server) Delete(ctx context.Context, obj runtime.Object, opts metav1.DeleteOptions) error {
	return s.api.DeleteObject(obj, opts)
}

// Get returns an object.
func (s *Server) Get(ctx context.Context, resource schema.GroupVersionResource, namespace, name string) (runtime.Object, error) {
	return s.api.GetObject(resource, namespace, name)
}

// List returns the objects of a resource in a namespace, or in all if that is "", and the version at which they are so.
func (s *Server) List(ctx context.Context, resource schema.GroupVersionResource, namespace string) ([]runtime.Object, string, error) {
	return s.api.ListObjects(resource, namespace)
}

// Put stores objects just as they are, with their status, UID and timestamps if they have any, in place of those of the
// same name. Nothing is checked and no default is set. Namespaces that are missing are made. It is for the state with which
// a test begins.
func (s *Server) Put(objs ...runtime.Object) error {
	for i, obj := range objs {
		if err := s.api.PutObject(obj); err != nil {
			return fmt.Errorf("apitest: object %d (%T): %w", i, obj, err)
		}
	}
	return nil
}

// Serve serves further kinds without a definition: see Config.Kinds. Those that are served already stay as they are.
func (s *Server) Serve(kinds ...Kind) { s.api.Registry().AddLoose(kinds...) }

// Serves tells whether there is such a resource.
func (s *Server) Serves(resource schema.GroupVersionResource) bool {
	_, ok := s.api.Registry().Lookup(resource)
	return ok
}

// ResourceVersion is the newest one.
func (s *Server) ResourceVersion() string { return fmt.Sprint(s.api.Store().Version()) }
