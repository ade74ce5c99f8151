package gentype

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Interface has the operations of most resources. T is a pointer to an object, L one to a list of them: with structs in
// their place, compiling a package that mentions a clientset would take ten times as long.
type Interface[T, L any] interface {
	Creator[T]
	Updater[T]
	Deleter
	CollectionDeleter
	Getter[T]
	Lister[L]
	Watcher
	Patcher[T]
	Applier[T]
}

// StatusInterface is for resources with a status subresource.
type StatusInterface[T any] interface {
	StatusUpdater[T]
	StatusApplier[T]
}

// Creator creates objects.
type Creator[T any] interface {
	// Create creates an object, and returns the stored object.
	Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error)
}

// Updater replaces objects.
type Updater[T any] interface {
	// Update replaces the object of the same name. The server answers with a conflict if the resource version in obj is
	// not the newest.
	Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error)
}

// StatusUpdater replaces the status of objects.
type StatusUpdater[T any] interface {
	// UpdateStatus is like Update, for the status; the server ignores changes in the rest of the object.
	UpdateStatus(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error)
}

// Deleter deletes objects.
type Deleter interface {
	// Delete deletes the object. It may exist for a while, until its finalizers are done.
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
}

// CollectionDeleter deletes many objects at once.
type CollectionDeleter interface {
	// DeleteCollection deletes all the objects that listOpts selects.
	DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error
}

// Getter reads one object.
type Getter[T any] interface {
	// Get reads the object of that name.
	Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error)
}

// Lister reads many objects.
type Lister[L any] interface {
	// List reads the objects that opts selects, as one list.
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
}

// Watcher follows changes.
type Watcher interface {
	// Watch watches the objects that opts selects, until it is stopped or the connection ends.
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

// Patcher changes a part of an object.
type Patcher[T any] interface {
	// Patch sends a patch of the given kind, to the object or to one of its subresources.
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error)
}

// Applier does server-side apply.
type Applier[T any] interface {
	// Apply applies cfg with server-side apply, as the field manager in opts.
	Apply(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions) (T, error)
}

// StatusApplier does server-side apply to the status.
type StatusApplier[T any] interface {
	// ApplyStatus is like Apply, for the status.
	ApplyStatus(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions) (T, error)
}
