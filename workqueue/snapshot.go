package workqueue

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"vedette.dev/workqueue/internal/slotmap"
)

// Item is what a queue knows of one key.
type Item[T comparable] struct {
	Key T
	// QueuedSince is when the key was added; zero if it was not added since a worker took it last. A key with
	// ProcessingSince set too was added again while it is processing, and will run once more.
	QueuedSince time.Time
	// ProcessingSince is when a worker took the key; zero if it is not processing.
	ProcessingSince time.Time
	// Due is when a delayed add will be made; zero if there is none.
	Due time.Time
	// Retries is the number of failures that the rate limiter counts; zero for queues without one.
	Retries int
	// Priority and Tenant are those of a fair queue.
	Priority int
	Tenant   string
}

// Snapshot describes the keys of a queue. The counts are complete, the lists have at most the requested length. A key can
// be in more than one list: a key that is ready may also have a delayed add.
type Snapshot[T comparable] struct {
	At           time.Time
	ShuttingDown bool

	QueuedCount, ProcessingCount, WaitingCount int

	// Queued lists the keys that are ready, oldest first.
	Queued []Item[T]
	// Processing lists the keys that workers have taken, oldest first.
	Processing []Item[T]
	// Waiting lists the delayed keys, the one that is due first at the front.
	Waiting []Item[T]
}

// TextSnapshot is the Snapshot of a queue with the keys as people read them, so that queues of different types can be shown
// together. Of a queue that is not a [TypedInspector], only the length is known.
func TextSnapshot[T comparable](queue TypedInterface[T], limit int) Snapshot[string] {
	s := inspect(queue, limit)
	return Snapshot[string]{
		At: s.At, ShuttingDown: s.ShuttingDown,
		QueuedCount: s.QueuedCount, ProcessingCount: s.ProcessingCount, WaitingCount: s.WaitingCount,
		Queued: textItems(s.Queued), Processing: textItems(s.Processing), Waiting: textItems(s.Waiting),
	}
}

func textItems[T comparable](items []Item[T]) []Item[string] {
	var texts []Item[string]
	for _, it := range items {
		texts = append(texts, Item[string]{
			Key: fmt.Sprint(it.Key), QueuedSince: it.QueuedSince, ProcessingSince: it.ProcessingSince, Due: it.Due,
			Retries: it.Retries, Priority: it.Priority, Tenant: it.Tenant,
		})
	}
	return texts
}

// oldest collects items and keeps the first limit of them by a time, in little more memory than those need.
type oldest[T comparable] struct {
	limit int
	by    func(*Item[T]) time.Time
	items []Item[T]
	count int
}

func (o *oldest[T]) add(it Item[T]) {
	o.count++
	o.items = append(o.items, it)
	if o.limit > 0 && len(o.items) >= 2*o.limit+64 {
		o.trim()
	}
}

func (o *oldest[T]) trim() []Item[T] {
	slices.SortStableFunc(o.items, func(a, b Item[T]) int { return cmp.Compare(o.by(&a).Sub(o.by(&b)), 0) })
	if o.limit > 0 && len(o.items) > o.limit {
		clear(o.items[o.limit:])
		o.items = o.items[:o.limit]
	}
	return o.items
}

func queuedSince[T comparable](it *Item[T]) time.Time     { return it.QueuedSince }
func processingSince[T comparable](it *Item[T]) time.Time { return it.ProcessingSince }
func due[T comparable](it *Item[T]) time.Time             { return it.Due }

// gather calls copyRange for one range of slots after the other, each as long as a segment, and add for each item that it copied:
// what copyRange does under a lock is kept apart from what need not be, and between two ranges the queue goes on.
func gather[T comparable](copyRange func(items []Item[T], from, to uint32) ([]Item[T], bool), add func(Item[T])) {
	var items []Item[T]
	for from, more := uint32(0), true; more; from += slotmap.SegmentSize {
		items, more = copyRange(items[:0], from, from+slotmap.SegmentSize)
		for _, it := range items {
			add(it)
		}
	}
}

// Snapshot describes the keys of the queue; see [TypedInspector].
func (q *Typed[T]) Snapshot(limit int) Snapshot[T] {
	queued := oldest[T]{limit: limit, by: queuedSince[T]}
	processing := oldest[T]{limit: limit, by: processingSince[T]}
	gather(q.copyItems, func(it Item[T]) {
		if it.ProcessingSince.IsZero() {
			queued.add(it)
		} else {
			processing.add(it)
		}
	})
	return Snapshot[T]{
		At:              q.clock.time(q.clock.now()),
		ShuttingDown:    q.ShuttingDown(),
		QueuedCount:     queued.count,
		ProcessingCount: processing.count,
		Queued:          queued.trim(),
		Processing:      processing.trim(),
	}
}

func (q *Typed[T]) copyItems(items []Item[T], from, to uint32) (_ []Item[T], more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	more = q.keys.Range(from, to, func(_ uint32, e *keyEntry[T]) {
		if e.Val.dirty || e.Val.processing {
			items = append(items, q.item(e))
		}
	})
	return items, more
}

// Find returns what the queue knows of a key.
func (q *Typed[T]) Find(item T) (Item[T], bool) {
	hash := q.hasher.Hash(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	_, e, known := q.keys.Map.Find(hash, item)
	if !known {
		return Item[T]{Key: item}, false
	}
	return q.item(e), true
}

// item describes a key. The caller holds the lock.
func (q *Typed[T]) item(e *keyEntry[T]) Item[T] {
	it := Item[T]{Key: e.Key, Priority: int(e.Val.priority)}
	if e.Val.dirty {
		it.QueuedSince = q.clock.time(e.Val.dirtyAt)
	}
	if e.Val.processing {
		it.ProcessingSince = q.clock.time(e.Val.takenAt)
	}
	return it
}

// inspect takes a snapshot of a queue that may not be of this package.
func inspect[T comparable](q TypedInterface[T], limit int) Snapshot[T] {
	if i, ok := q.(TypedInspector[T]); ok {
		return i.Snapshot(limit)
	}
	return Snapshot[T]{At: time.Now(), ShuttingDown: q.ShuttingDown(), QueuedCount: q.Len()}
}

// find looks a key up in a queue that may not be of this package.
func find[T comparable](q TypedInterface[T], item T) (Item[T], bool) {
	if i, ok := q.(TypedInspector[T]); ok {
		return i.Find(item)
	}
	return Item[T]{Key: item}, false
}

// countRetries fills in the failures that the rate limiter has counted for the items that are listed.
func (s *Snapshot[T]) countRetries(limiter TypedRateLimiter[T]) {
	for _, list := range s.lists() {
		for i := range list {
			list[i].Retries = limiter.NumRequeues(list[i].Key)
		}
	}
}

func (s *Snapshot[T]) lists() [3][]Item[T] { return [...][]Item[T]{s.Queued, s.Processing, s.Waiting} }
