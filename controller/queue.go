package controller

import (
	"fmt"

	"vedette.dev/workqueue"
)

// QueueSnapshot tells which keys are queued, being worked on and delayed, with the keys as people read them. At most limit keys of
// each are listed, the oldest first, all of them if limit is zero or less; the counts are always complete. Of a Config.Queue that
// is not of package workqueue, only the length is known.
func (c *Controller[K]) QueueSnapshot(limit int) workqueue.Snapshot[string] {
	inspector, ok := c.queue.(workqueue.TypedInspector[K])
	if !ok {
		return workqueue.Snapshot[string]{ShuttingDown: c.queue.ShuttingDown(), QueuedCount: c.queue.Len()}
	}
	s := inspector.Snapshot(limit)
	return workqueue.Snapshot[string]{
		At: s.At, ShuttingDown: s.ShuttingDown,
		QueuedCount: s.QueuedCount, ProcessingCount: s.ProcessingCount, WaitingCount: s.WaitingCount,
		Queued: itemTexts(s.Queued), Processing: itemTexts(s.Processing), Waiting: itemTexts(s.Waiting),
	}
}

// itemTexts are items whose keys are as people read them.
func itemTexts[K comparable](items []workqueue.Item[K]) []workqueue.Item[string] {
	all := make([]workqueue.Item[string], len(items))
	for i, it := range items {
		all[i] = workqueue.Item[string]{
			Key: fmt.Sprint(it.Key), QueuedSince: it.QueuedSince, ProcessingSince: it.ProcessingSince, Due: it.Due,
			Retries: it.Retries, Priority: it.Priority, Tenant: it.Tenant,
		}
	}
	return all
}
