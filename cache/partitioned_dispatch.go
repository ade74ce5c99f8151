package cache

import (
	"math"

	"vedette.dev/internal/fanout"
)

// pin is the ordering barrier of a key: while the dispatcher of one partition has undelivered notifications of the key, later ones
// go to the same dispatcher, also if the object belongs to another partition. So the order holds for a key that moves, and for one
// that is deleted and created again elsewhere. The dispatcher of a partition is its shared log with the listeners.
type pin struct {
	dispatcher *partition
	// number is that of the first notification in the log after all of the key.
	number uint64
}

// pinned is a pin in the line of its dispatcher.
type pinned struct {
	key    string
	number uint64
}

// logOf returns the log of the dispatcher of a key.
func (b *batch) logOf(key string, home, to *partition) *fanout.Log {
	return b.dispatcher(key, home, to).shared
}

// dispatcher returns the partition whose log has the notifications of a key that is in home and comes to be in to. Either may be nil.
func (b *batch) dispatcher(key string, home, to *partition) *partition {
	if b.only != nil {
		return b.only
	}
	if p, ok := b.pins[key]; ok {
		if p.number > p.dispatcher.shared.Delivered() {
			b.pinned = append(b.pinned, key)
			return p.dispatcher
		}
		delete(b.pins, key)
	}
	switch {
	case home == nil || home == to:
		return to
	case to != nil && home.shared.AllDelivered():
		return to
	}
	// It leaves home, whose log has undelivered notifications of it, or will have in a moment.
	b.pins[key] = pin{dispatcher: home, number: math.MaxUint64} // until it is known
	b.pinned = append(b.pinned, key)
	return home
}

// movePins is called when the notifications are in the logs.
func (b *batch) movePins() {
	for _, key := range b.pinned {
		p, ok := b.pins[key]
		if !ok {
			continue // the log has no listeners
		}
		p.number = p.dispatcher.shared.Next()
		b.pins[key] = p
		p.dispatcher.pinned.push(pinned{key, p.number})
		b.pinning[p.dispatcher] = struct{}{}
	}
	for d := range b.pinning {
		b.unpin(d)
	}
}

// unpin removes the pins of a dispatcher that are not needed any more.
func (s *informer) unpin(d *partition) {
	delivered := d.shared.Delivered()
	for d.pinned.len() > 0 && d.pinned.all()[0].number <= delivered {
		s.forget(d, d.pinned.pop())
	}
	if d.pinned.len() == 0 {
		delete(s.pinning, d)
		return
	}
	// Behind a handler that is stuck, the pins of objects that come and go must not pile up: nothing of those is undelivered.
	const few = 1024
	if n := d.pinned.len(); n > max(few, 2*d.swept) {
		for _, p := range d.pinned.take() {
			if now, ok := s.pins[p.key]; ok && now.dispatcher == d && now.number == p.number && d.shared.Undelivered(p.key) {
				d.pinned.push(p)
			} else {
				s.forget(d, p)
			}
		}
		d.swept = d.pinned.len()
	}
}

func (s *informer) forget(d *partition, p pinned) {
	if now, ok := s.pins[p.key]; ok && now.dispatcher == d && now.number == p.number {
		delete(s.pins, p.key)
	}
}

// replay returns the objects that a listener of the shared log of a partition begins with: those of the partition, without those
// that are pinned to others, and those that are pinned to this one. It is called under applyMu.
func (s *informer) replay(p *partition) *replay {
	t := s.indexer.table
	if s.only != nil {
		return &replay{view: t.All(), partition: p.label}
	}
	keys, elsewhere := s.pinnedElsewhere(p)
	r := &replay{partition: p.label, elsewhere: elsewhere}
	if s.partition(p.config.ID) != p {
		r.view = t.ByKeys(keys) // it is gone; if there is another with its ID, the objects are not those of this one
		return r
	}
	r.view, _ = t.ByIndex(PartitionIndex, p.config.ID)
	if len(s.pins) == 0 {
		return r
	}
	r.view.Filter(func(key string) bool {
		pin, ok := s.pins[key]
		return !ok || pin.dispatcher == p
	})
	keys = append(r.view.Keys(), keys...)
	r.view.Release()
	r.view = t.ByKeys(keys)
	return r
}

// pinnedElsewhere returns the keys that are pinned to a partition and belong to another, and what notifications of the other carry.
func (s *informer) pinnedElsewhere(p *partition) (keys []string, partitions map[string]*fanout.Partition) {
	for key, pin := range s.pins {
		id, ok := s.indexer.table.Owner(key)
		if !ok || pin.dispatcher != p {
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
