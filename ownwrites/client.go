package ownwrites

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/gentype"
)

// TypedInterface is the part of a client that [Client] needs: what every kind supports. T is a pointer to an object, L
// one to a list.
type TypedInterface[T, L any] interface {
	gentype.Creator[T]
	gentype.Updater[T]
	gentype.Deleter
	gentype.Getter[T]
	gentype.Lister[L]
	gentype.Watcher
	gentype.Patcher[T]
	gentype.Applier[T]
}

// TypedClient is a client that records its own writes. It is a gentype.Interface and a gentype.StatusInterface; methods
// that the wrapped client does not have return an error. Get, List and Watch still ask the server.
type TypedClient[T, L any] struct {
	TypedInterface[T, L]
	w writer
}

// Client returns a client that records its writes in a tracker. Several clients may share a tracker: one for each
// namespace, typed and dynamic ones.
//
//	pods := ownwrites.Client(clientset.CoreV1().Pods("default"), tracker)
//
// Writes with DryRun are not recorded, nor are DeleteCollection and subresources that have a type of their own, such as
// scale. Recording deletions needs a client that returns the server's answer, as those of this module do (see
// gentype.ResourceClient.DeleteAnswer).
func Client[T, L any](client TypedInterface[T, L], tracker *Tracker) *TypedClient[T, L] {
	w := writer{t: tracker}
	if c, ok := client.(interface{ GetNamespace() string }); ok {
		w.namespace = c.GetNamespace()
	}
	w.version = func(ctx context.Context) (string, error) {
		list, err := client.List(ctx, metav1.ListOptions{Limit: 1})
		return listVersion(list, err)
	}
	return &TypedClient[T, L]{client, w}
}

// Create calls Create of the client and records the result.
func (c *TypedClient[T, L]) Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error) {
	return write(c.w, c.w.created(obj), opts.DryRun, func() (T, error) { return c.TypedInterface.Create(ctx, obj, opts) })
}

// Update calls Update of the client and records the result.
func (c *TypedClient[T, L]) Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return write(c.w, c.w.updated(obj), opts.DryRun, func() (T, error) { return c.TypedInterface.Update(ctx, obj, opts) })
}

// UpdateStatus calls UpdateStatus of the client and records the result.
func (c *TypedClient[T, L]) UpdateStatus(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	s, ok := c.TypedInterface.(gentype.StatusUpdater[T])
	if !ok {
		return none[T](c.TypedInterface, "UpdateStatus")
	}
	return write(c.w, c.w.updated(obj), opts.DryRun, func() (T, error) { return s.UpdateStatus(ctx, obj, opts) })
}

// Patch calls Patch of the client and records the result.
func (c *TypedClient[T, L]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error) {
	send := func(data []byte) (T, error) {
		return c.TypedInterface.Patch(ctx, name, pt, data, opts, subresources...)
	}
	if !recordable(subresources) {
		return send(data)
	}
	return patch(c.w, name, pt, data, opts.DryRun, send)
}

// Apply calls Apply of the client and records the result.
func (c *TypedClient[T, L]) Apply(ctx context.Context, cfg gentype.ApplyConfiguration, opts metav1.ApplyOptions) (T, error) {
	return apply(c.w, cfg, opts, func(cfg gentype.ApplyConfiguration) (T, error) { return c.TypedInterface.Apply(ctx, cfg, opts) })
}

// ApplyStatus calls ApplyStatus of the client and records the result.
func (c *TypedClient[T, L]) ApplyStatus(ctx context.Context, cfg gentype.ApplyConfiguration, opts metav1.ApplyOptions) (T, error) {
	s, ok := c.TypedInterface.(gentype.StatusApplier[T])
	if !ok {
		return none[T](c.TypedInterface, "ApplyStatus")
	}
	return apply(c.w, cfg, opts, func(cfg gentype.ApplyConfiguration) (T, error) { return s.ApplyStatus(ctx, cfg, opts) })
}

// Delete calls Delete of the client and records the deletion.
func (c *TypedClient[T, L]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	d, ok := c.TypedInterface.(interface {
		DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions) (runtime.Object, error)
	})
	if !ok {
		return c.w.silently(c.TypedInterface.Delete(ctx, name, opts), name)
	}
	return c.w.delete(ctx, name, opts, func() (runtime.Object, error) { return d.DeleteAnswer(ctx, name, opts) })
}

// DeleteCollection calls DeleteCollection of the client. It is not recorded: reads may show deleted objects until the
// watch catches up.
func (c *TypedClient[T, L]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	d, ok := c.TypedInterface.(gentype.CollectionDeleter)
	if !ok {
		_, err := none[T](c.TypedInterface, "DeleteCollection")
		return err
	}
	return d.DeleteCollection(ctx, opts, listOpts)
}

// none returns the error for a method that the client does not have.
func none[T any](client any, method string) (T, error) {
	var zero T
	return zero, fmt.Errorf("ownwrites: %T has no method %s", client, method)
}

// recordable reports whether the answer to a write is the object, and not a subresource with a type of its own.
func recordable(subresources []string) bool {
	if len(subresources) == 0 {
		return true
	}
	switch subresources[0] {
	case "status", "ephemeralcontainers", "resize", "approval", "finalize":
		return len(subresources) == 1
	}
	return false
}

var errNoVersion = errors.New("list has no resource version")

// conflict reports whether the server rejected a resource version that LockPatches had added.
func conflict(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }
