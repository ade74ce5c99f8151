package engine

import (
	"math"

	"vedette.dev/internal/fanout"
)

// barrier is the ordering barrier of a key: while the dispatcher of one partition has undelivered notifications of the key, later ones
// go to the same dispatcher, even if the object belongs to another partition. So the order holds for a key that moves, and for one
// that is deleted and created again elsewhere. The dispatcher of a partition is its shared log with the listeners.
type barrier struct {
	dispatcher *partition
	// number is that of the first notification in the log after all of the key.
	number uint64
}

// queuedBarrier is a barrier in the queue of its dispatcher.
type queuedBarrier struct {
	key    string
	number uint64
}

// logOf returns the log of the dispatcher of a key.
func (b *batch) logOf(key string, owner, to *partition) *fanout.Log {
	return b.dispatcher(key, owner, to).shared
}

// dispatcher returns the partition whose log has the notifications of a key that is in owner and comes to be in to. Either may be nil.
func (b *batch) dispatcher(key string, owner, to *partition) *partition {
	if b.only != nil {
		return b.only
	}
	if p, ok := b.barriers[key]; ok {
		if p.number > p.dispatcher.shared.Delivered() {
			b.barred = append(b.barred, key)
			return p.dispatcher
		}
		delete(b.barriers, key)
	}
	switch {
	case owner == nil || owner == to:
		return to
	case to != nil && owner.shared.AllDelivered():
		return to
	}
	// The object leaves owner, whose log has undelivered notifications of it, or will have when the batch is committed.
	b.barriers[key] = barrier{dispatcher: owner, number: math.MaxUint64} // until it is known
	b.barred = append(b.barred, key)
	return owner
}

// moveBarriers moves the barriers of the batch to the ends of their logs, when the notifications are in the logs.
func (b *batch) moveBarriers() {
	for _, key := range b.barred {
		p, ok := b.barriers[key]
		if !ok {
			continue // the log has no listeners
		}
		p.number = p.dispatcher.shared.Next()
		b.barriers[key] = p
		p.dispatcher.barriers.Push(queuedBarrier{key, p.number})
		b.Informer.barred[p.dispatcher] = struct{}{}
	}
	for d := range b.Informer.barred {
		b.dropBarriers(d)
	}
}

// dropBarriers removes the barriers of a dispatcher that are not needed any more, under applyMu.
func (s *Informer) dropBarriers(d *partition) {
	delivered := d.shared.Delivered()
	for d.barriers.Len() > 0 && d.barriers.All()[0].number <= delivered {
		s.forget(d, d.barriers.Pop())
	}
	if d.barriers.Len() == 0 {
		delete(s.barred, d)
		return
	}
	// Behind a handler that is stuck, the barriers of objects that come and go must not pile up: nothing of those is undelivered.
	const few = 1024
	if n := d.barriers.Len(); n > max(few, 2*d.swept) {
		for _, p := range d.barriers.Take() {
			if now, ok := s.barriers[p.key]; ok && now.dispatcher == d && now.number == p.number && d.shared.Undelivered(p.key) {
				d.barriers.Push(p)
			} else {
				s.forget(d, p)
			}
		}
		d.swept = d.barriers.Len()
	}
}

func (s *Informer) forget(d *partition, p queuedBarrier) {
	if now, ok := s.barriers[p.key]; ok && now.dispatcher == d && now.number == p.number {
		delete(s.barriers, p.key)
	}
}

// replay returns the objects that a listener of the shared log of a partition begins with: those of the partition, without those
// that have a barrier at others, and those that have one at this one. It is called under applyMu.
func (s *Informer) replay(p *partition) *replay {
	t := s.table
	if s.only != nil {
		return &replay{view: t.All(), partition: p.label}
	}
	keys, elsewhere := s.barredElsewhere(p)
	r := &replay{partition: p.label, elsewhere: elsewhere}
	if s.partition(p.config.ID) != p {
		r.view = t.ByKeys(keys) // it is gone; if there is another with its ID, the objects are not those of this one
		return r
	}
	r.view, _ = t.ByIndex(PartitionIndex, p.config.ID)
	if len(s.barriers) == 0 {
		return r
	}
	r.view.Filter(func(key string) bool {
		at, ok := s.barriers[key]
		return !ok || at.dispatcher == p
	})
	keys = append(r.view.Keys(), keys...)
	r.view.Release()
	r.view = t.ByKeys(keys)
	return r
}

// barredElsewhere returns the keys that have a barrier at a partition and belong to another, and what notifications of the other carry.
func (s *Informer) barredElsewhere(p *partition) (keys []string, partitions map[string]*fanout.Partition) {
	for key, at := range s.barriers {
		id, ok := s.table.Owner(key)
		if !ok || at.dispatcher != p {
			continue
		}
		owner := s.partition(id)
		if owner == p {
			continue
		}
		keys = append(keys, key)
		if owner != nil {
			if partitions == nil {
				partitions = map[string]*fanout.Partition{}
			}
			partitions[key] = owner.label
		}
	}
	return keys, partitions
}
