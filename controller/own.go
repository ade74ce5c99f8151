package controller

import "vedette.dev/cache"

// OwnWrites tells what the program itself has caused: an *ownwrites.Tracker.
type OwnWrites interface {
	OwnAdd(obj any) bool
	OwnUpdate(oldObj, newObj any) bool
	OwnDelete(obj any) bool
}

// ByOthers passes what somebody else did. What the program wrote itself needs no reconcile: it knew when it wrote it.
func ByOthers[T cache.Object](own OwnWrites) Predicate[T] {
	return func(e Event[T]) bool {
		var none T
		switch {
		case e.Object == none:
			return true
		case e.What == Added:
			return !own.OwnAdd(e.Object)
		case e.What == Updated:
			return !own.OwnUpdate(e.Old, e.Object)
		case e.What == Deleted:
			return !own.OwnDelete(e.Object)
		default:
			return true
		}
	}
}
