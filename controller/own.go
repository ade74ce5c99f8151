package controller

import "vedette.dev/cache"

// OwnWrites reports which events were caused by the program's own writes. An *ownwrites.Tracker implements it.
type OwnWrites interface {
	OwnAdd(obj any) bool
	OwnUpdate(oldObj, newObj any) bool
	OwnDelete(obj any) bool
}

// ByOthers returns a predicate that is false for events caused by the program's own writes: they need no reconcile.
func ByOthers[T cache.Object](own OwnWrites) Predicate[T] {
	return func(e Event[T]) bool {
		var none T
		switch {
		case e.Object == none:
			return true
		case e.Reason == Added:
			return !own.OwnAdd(e.Object)
		case e.Reason == Updated:
			return !own.OwnUpdate(e.Old, e.Object)
		case e.Reason == Deleted:
			return !own.OwnDelete(e.Object)
		default:
			return true
		}
	}
}
