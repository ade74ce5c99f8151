package controller

import "vedette.dev/workqueue"

// QueueSnapshot returns the keys that are queued, being reconciled and delayed, in text form. At most limit keys of
// each are listed, oldest first, or all if limit is zero or less; the counts are always complete. For a Config.Queue
// that is not of package workqueue only the length is known. State.Busy has the worker of each key.
func (c *Controller[K]) QueueSnapshot(limit int) workqueue.Snapshot[string] {
	return workqueue.TextSnapshot(c.queue, limit)
}
