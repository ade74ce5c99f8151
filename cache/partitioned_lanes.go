package cache

import (
	"math"

	"vedette.dev/internal/table"
)

// pin has a key told of through a lane that need not be that of its partition, because the lane has not told all that it was
// given of the key before. So the order holds for a key that moves, and for one that is deleted and comes again elsewhere.
type pin struct {
	lane *partition
	// number is that of the first notice in the lane after all of the key.
	number uint64
}

// pinned is a pin in the line of its lane.
type pinned struct {
	key    string
	number uint64
}

// logOf returns the log of the dispatcher of a key.
func (b *batch) logOf(key string, home, to *partition) *processor {
	return b.dispatcher(key, home, to).shared
}

// dispatcher returns the partition whose log has the notifications of a key that is in home and comes to be in to. Either may be nil.
func (b *batch) dispatcher(key string, home, to *partition) *partition {
	if b.only != nil {
		return b.only
	}
	if p, ok := b.pins[key]; ok {
		if p.number > p.lane.shared.told() {
			b.pinned = append(b.pinned, key)
			return p.lane
		}
		delete(b.pins, key)
	}
	switch {
	case home == nil || home == to:
		return to
	case to != nil && home.shared.toldAll():
		return to
	}
	// It leaves home, which has something to tell of it, or will have in a moment.
	b.pins[key] = pin{lane: home, number: math.MaxUint64} // until it is known
	b.pinned = append(b.pinned, key)
	return home
}

// movePins is called when the notices are in the logs.
func (b *batch) movePins() {
	for _, key := range b.pinned {
		p, ok := b.pins[key]
		if !ok {
			continue // the lane has no listeners
		}
		p.number = p.lane.shared.end0()
		b.pins[key] = p
		p.lane.pinned.push(pinned{key, p.number})
		b.pinning[p.lane] = struct{}{}
	}
	for lane := range b.pinning {
		b.unpin(lane)
	}
}

// unpin takes pins away that are not needed any more.
func (s *informer) unpin(lane *partition) {
	told := lane.shared.told()
	for lane.pinned.len() > 0 && lane.pinned.all()[0].number <= told {
		s.forget(lane, lane.pinned.pop())
	}
	if lane.pinned.len() == 0 {
		delete(s.pinning, lane)
		return
	}
	// A handler that is stuck must not make the pins of objects that come and go pile up: it has nothing to tell of those.
	const few = 1024
	if n := lane.pinned.len(); n > max(few, 2*lane.swept) {
		for _, p := range lane.pinned.take() {
			if now, ok := s.pins[p.key]; ok && now.lane == lane && now.number == p.number && lane.shared.owes(p.key) {
				lane.pinned.push(p)
			} else {
				s.forget(lane, p)
			}
		}
		lane.swept = lane.pinned.len()
	}
}

func (s *informer) forget(lane *partition, p pinned) {
	if now, ok := s.pins[p.key]; ok && now.lane == lane && now.number == p.number {
		delete(s.pins, p.key)
	}
}

// told is a number before which all listeners have told everything. It may be too small.
func (p *processor) told() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := uint64(math.MaxUint64)
	for _, l := range p.listeners {
		number = min(number, l.toldBefore())
	}
	return number
}

func (p *processor) toldAll() bool { return p.told() >= p.end0() }

// owes tells whether a listener may have something to tell of a key.
func (p *processor) owes(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.listeners {
		if l.owes(key) {
			return true
		}
	}
	return false
}

// end0 is the number that the next notice will have.
func (p *processor) end0() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last.end()
}

// inHand is what a listener is applyMu.
type inHand struct {
	what   hand
	number uint64
	key    string
}

type hand uint8

const (
	handEmpty hand = iota
	handNotice
	handPage
)

// toldBefore is a number before which everything was told.
func (l *listener) toldBefore() uint64 {
	if l.stopped.Load() {
		return math.MaxUint64
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replay != nil {
		return 0
	}
	number := l.next.Load()
	if l.merging.Load() {
		number = l.page.end()
		if l.backlog.len() > 0 {
			number = l.backlog.front().number
		}
	}
	switch l.inHand.what {
	case handNotice:
		return min(number, l.inHand.number)
	case handPage:
		if number > 0 {
			number-- // it has begun, and may not have ended
		}
		if l.merging.Load() {
			return min(number, l.inHand.number)
		}
	}
	return number
}

// owes tells whether the listener may have something to tell of a key.
func (l *listener) owes(key string) bool {
	if l.stopped.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.merging.Load() || l.replay != nil || l.inHand.what == handPage {
		return true
	}
	_, waits := l.backlog.places.m[key]
	return waits || l.inHand.what == handNotice && l.inHand.key == key
}

// replay is what a listener of a lane is to tell first: the objects of the partition, but for those that are pinned to other lanes,
// and those that are pinned to this one. It is called under applyMu.
func (s *informer) replay(l *listener, p *partition) *table.View {
	t := s.indexer.table
	if s.only != nil {
		v := t.All()
		return &v
	}
	if s.partition(p.config.ID) != p {
		v := t.ByKeys(s.pinnedElsewhere(l, p)) // it is gone, and if there is another of its name, they are not its objects
		return &v
	}
	v, _ := t.ByIndex(PartitionIndex, p.config.ID)
	if len(s.pins) == 0 {
		return &v
	}
	v.Filter(func(key string) bool {
		pin, ok := s.pins[key]
		return !ok || pin.lane == p
	})
	keys := append(v.Keys(), s.pinnedElsewhere(l, p)...)
	v.Release()
	v = t.ByKeys(keys)
	return &v
}

// pinnedElsewhere returns the keys that are pinned to a partition and belong to another, which it notes in the listener.
func (s *informer) pinnedElsewhere(l *listener, p *partition) []string {
	if len(s.pins) == 0 {
		return nil
	}
	var keys []string
	l.elsewhere = map[string]*partition{}
	for key, pin := range s.pins {
		if home, ok := s.indexer.table.Owner(key); ok && pin.lane == p && s.partition(home) != p {
			keys = append(keys, key)
			l.elsewhere[key] = s.partition(home)
		}
	}
	return keys
}
