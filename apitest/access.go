package apitest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Create creates an object as a client would, without a connection. Its resource is determined by its Go type or, if it
// is unstructured, by its kind. It returns the stored object.
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

// Delete deletes an object as a client would: it may still exist for some time. Only the kind and the name of obj are
// used.
func (s *Server) Delete(ctx context.Context, obj runtime.Object, opts metav1.DeleteOptions) error {
	return s.api.DeleteObject(obj, opts)
}

// Get returns an object.
func (s *Server) Get(ctx context.Context, resource schema.GroupVersionResource, namespace, name string) (runtime.Object, error) {
	return s.api.GetObject(resource, namespace, name)
}

// List returns the objects of a resource in a namespace, or in all if that is "", and the version of the list.
func (s *Server) List(ctx context.Context, resource schema.GroupVersionResource, namespace string) ([]runtime.Object, string, error) {
	return s.api.ListObjects(resource, namespace)
}

// Put stores objects unchanged, with their status, UID and timestamps if they have any, and replaces those of the same
// name. Nothing is validated or defaulted. Missing namespaces are created. It is for the initial state of a test.
func (s *Server) Put(objs ...runtime.Object) error {
	for i, obj := range objs {
		if err := s.api.PutObject(obj); err != nil {
			return fmt.Errorf("apitest: object %d (%T): %w", i, obj, err)
		}
	}
	return nil
}

// Serve serves more kinds without a definition: see Config.Kinds. Those that are already served are not changed.
func (s *Server) Serve(kinds ...Kind) { s.api.Registry().AddSchemaless(kinds...) }

// Serves reports whether the resource is served.
func (s *Server) Serves(resource schema.GroupVersionResource) bool {
	_, ok := s.api.Registry().Lookup(resource)
	return ok
}

// ResourceVersion returns the newest resource version.
func (s *Server) ResourceVersion() string { return fmt.Sprint(s.api.Store().Version()) }
