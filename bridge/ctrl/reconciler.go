package ctrl

import (
	"context"
	"errors"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconciler returns a reconciler that calls r and remembers the last error of each key that fails, so that the page and "vedette explain"
// can show it. The name is that of the controller, and its queue must be one of QueueFor.
//
//	ctrl.NewControllerManagedBy(mgr).Named("images").For(…).Complete(bridgectrl.Reconciler(mgr, "images", r))
//
// If the cache of the manager is not of this package, it returns r.
func Reconciler[T comparable](mgr interface{ GetCache() ctrlcache.Cache }, name string, r reconcile.TypedReconciler[T]) reconcile.TypedReconciler[T] {
	cache, ok := mgr.GetCache().(*Cache)
	if !ok || r == nil {
		return r
	}
	return tracked[T]{r, trackerOf[T](cache, name)}
}

// tracked is a reconciler that tells a tracker how each reconcile ends. A panic goes through it; the queue sees that it failed.
type tracked[T comparable] struct {
	reconcile.TypedReconciler[T]
	tracker *tracker[T]
}

// Reconcile implements reconcile.TypedReconciler.
func (r tracked[T]) Reconcile(ctx context.Context, key T) (reconcile.Result, error) {
	result, err := r.TypedReconciler.Reconcile(ctx, key)
	how := succeeded
	switch {
	case errors.Is(err, reconcile.TerminalError(nil)):
		how = terminal
	case err != nil:
		how = failed
	case result.RequeueAfter > 0:
		how = requeuedAfter
	//lint:ignore SA1019 controller-runtime still supports it
	case result.Requeue:
		how = requeued
	}
	r.tracker.reconciled(key, how, err)
	return result, err
}
