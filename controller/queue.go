package controller

import "vedette.dev/workqueue"

// QueueSnapshot tells which keys are queued, being worked on and delayed, with the keys as people read them. At most limit keys of
// each are listed, the oldest first, all of them if limit is zero or less; the counts are always complete. Of a Config.Queue that
// is not of package workqueue, only the length is known. Which worker has a key is in State.Busy.
func (c *Controller[K]) QueueSnapshot(limit int) workqueue.Snapshot[string] {
	return workqueue.TextSnapshot(c.queue, limit)
}
