package cache

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// PartitionChange is a change of the partitions of a PartitionedInformer.
type PartitionChange struct {
	// Add are new partitions.
	Add []PartitionConfig
	// Remove are partitions that go. Their objects are forgotten, but for those that the router has another place for, and
	// handlers are told OnLost, and nothing of the objects.
	Remove []string
	// Retire are partitions that go and whose objects all have another place. Handlers for all partitions hear nothing.
	Retire []string
	// Router says where objects belong from now on. Nil means as before. Objects that are in the store move to where they
	// belong without a word to handlers for all partitions.
	Router Router
	// Limit are partitions that stay and have other limits. MaxBytes cannot be set where it was not.
	Limit []PartitionConfig
	// Feed are streams that stay and have objects for other partitions than before. Nothing is listed for that.
	Feed map[*Stream][]string
	// Start are new streams. Those that end are stopped before.
	Start []StreamConfig
}

// Change changes the partitions, all in one step: readers and handlers see the old ones or the new ones. If it returns an
// error, nothing has changed.
func (s *PartitionedInformer) Change(c PartitionChange) ([]*Stream, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.telling.Lock()
	defer s.telling.Unlock()
	if s.isEnding() {
		return nil, errStopped
	}
	if err := s.checkChange(&c); err != nil {
		return nil, err
	}
	next := &routes{router: s.routes.Load().router, partitions: maps.Clone(s.routes.Load().partitions)}
	if c.Router != nil {
		next.router = c.Router
	}
	var fresh, gone []*partition
	for _, config := range c.Add {
		p := s.newPartition(config)
		next.partitions[config.ID] = p
		fresh = append(fresh, p)
	}
	for _, id := range slices.Concat(c.Remove, c.Retire) {
		gone = append(gone, next.partitions[id])
		delete(next.partitions, id)
	}
	for _, config := range c.Start {
		if config.Fixed {
			next.partitions[config.Partitions[0]].fixed = true
		}
	}
	s.settleIn(next, gone, &c)
	for _, p := range gone {
		s.leave(p)
	}
	for _, config := range c.Limit {
		next.partitions[config.ID].limit(config)
	}
	for t, ids := range c.Feed {
		ids := slices.Clone(ids)
		t.feeds.Store(&ids)
		for _, id := range ids {
			p := next.partitions[id]
			p.expecting = false
			if !t.State().Synced {
				p.awaited[t] = struct{}{}
			}
		}
	}
	for _, p := range fresh {
		for _, r := range s.registrations {
			r.join(p)
		}
	}
	return s.startAll(fresh, c.Start), nil
}

func (s *PartitionedInformer) checkChange(c *PartitionChange) error {
	ids := maps.Clone(s.routes.Load().partitions)
	for _, id := range slices.Concat(c.Remove, c.Retire) {
		if _, ok := ids[id]; !ok {
			return fmt.Errorf("cache: there is no partition %q to remove", id)
		}
		delete(ids, id)
	}
	for i := range c.Add {
		if err := c.Add[i].validate(); err != nil {
			return err
		}
		if _, ok := ids[c.Add[i].ID]; ok || s.partition(c.Add[i].ID) != nil {
			return fmt.Errorf("cache: there is a partition %q already", c.Add[i].ID)
		}
		ids[c.Add[i].ID] = nil
	}
	for i := range c.Limit {
		if err := c.Limit[i].validate(); err != nil {
			return err
		}
		p := s.partition(c.Limit[i].ID)
		if _, stays := ids[c.Limit[i].ID]; !stays || p == nil {
			return fmt.Errorf("cache: there is no partition %q to limit", c.Limit[i].ID)
		}
		if c.Limit[i].MaxBytes > 0 && p.room.sizes.m == nil && s.indexer.table.inhabitants(p.config.ID) > 0 {
			return fmt.Errorf("cache: PartitionConfig.MaxBytes of %q is %d, but sizes were not counted from the beginning", p.config.ID, c.Limit[i].MaxBytes)
		}
	}
	for i := range c.Start {
		if err := c.Start[i].validate(); err != nil {
			return err
		}
		for _, id := range c.Start[i].Partitions {
			if _, ok := ids[id]; !ok {
				return fmt.Errorf("cache: StreamConfig.Partitions of stream %q has %q, which is no partition", c.Start[i].Name, id)
			}
		}
	}
	return nil
}

// settleIn makes other routes those of the informer, and moves what is in the store to where it belongs now.
func (s *PartitionedInformer) settleIn(next *routes, gone []*partition, c *PartitionChange) {
	last := s.routes.Load()
	s.routes.Store(next)
	if c.Router == nil && len(gone) == 0 {
		return
	}
	b := placing{PartitionedInformer: s}
	losses := losses{}
	v := s.indexer.table.all()
	defer v.release()
	for row := range v.each() {
		key := row.e.key
		at, _ := s.indexer.table.homeOf(key)
		home := last.partitions[at]
		if home.fixed && !slices.Contains(gone, home) {
			continue
		}
		prefix, bare := splitPrefix(key, row.obj)
		env := s.rowEnvelope(bare, key, row.obj)
		to := next.partitions[next.router(prefix, &env)]
		switch {
		case to == home:
		case to == nil:
			// What is told of it from now on waits for what was told before.
			losses.add(home, b.lane(key, home, nil), key)
			b.drop(key, home)
		default:
			b.rehome(key, row.obj, home, to)
		}
	}
	for _, p := range gone {
		if slices.Contains(c.Remove, p.config.ID) {
			losses.add(p, p)
		}
	}
	for p, byLane := range losses {
		b.lose(p, byLane)
	}
	for _, p := range gone {
		if losses[p] == nil {
			b.tell(p.own, lostNotice(p, nil))
		}
	}
	b.commit()
}

// losses is what partitions lose without a deletion, and the lanes through which it is told.
type losses map[*partition]map[*partition][]string

func (l losses) add(home, lane *partition, keys ...string) {
	if l[home] == nil {
		l[home] = map[*partition][]string{}
	}
	l[home][lane] = append(l[home][lane], keys...)
}

// lose tells what a partition has lost.
func (b *placing) lose(p *partition, byLane map[*partition][]string) {
	var all []string
	for lane, keys := range byLane {
		b.tell(lane.shared, lostNotice(p, keys))
		all = append(all, keys...)
	}
	b.tell(p.own, lostNotice(p, all))
}

// lostNotice tells that a partition has lost keys. It has a key of its own, which is that of no object.
func lostNotice(p *partition, keys []string) notice {
	return notice{key: "\x00" + p.config.ID, what: lost, home: p, old: keys}
}

// splitPrefix takes a key apart into the prefix of its stream and the rest, which is the key that the object has by itself: names
// may have a "|" in them. Where a transform has taken the name away, the first "|" is taken for the end of the prefix.
func splitPrefix(key string, obj any) (prefix, bare string) {
	if bare, err := MetaNamespaceKeyFunc(obj); err == nil && bare != "" && strings.HasSuffix(key, bare) {
		return strings.TrimSuffix(key, bare), bare
	}
	if i := strings.IndexByte(key, '|'); i >= 0 {
		return key[:i+1], key[i+1:]
	}
	return "", key
}

// rehome moves an object that has not changed.
func (b *placing) rehome(key string, obj any, home, to *partition) {
	b.lane(key, home, to)
	size := home.room.sizes.m[key]
	b.moved(key, home, to, obj, obj)
	b.count(to, 1)
	to.room.has(key, size)
	b.steps = append(b.steps, placement{what: moveAway, key: key, home: to.config.ID})
}

// leave takes leave of a partition.
func (s *PartitionedInformer) leave(p *partition) {
	if !p.isSynced() {
		close(p.synced) // nobody need wait for it
	}
	s.mailbox.close(p.tray)
	if s.hasStarted() {
		s.left = append(s.left, p)
		s.work.Go(func() { s.seeOff(p) })
		return
	}
	// It has nothing to tell.
	p.cancel()
	p.shared.end()
	p.own.end()
	for _, r := range s.registrations {
		r.part(p)
	}
}

func (s *PartitionedInformer) hasStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// seeOff ends the lanes of a partition that is gone, when they have told all.
func (s *PartitionedInformer) seeOff(p *partition) {
	const often, seldom = 10 * time.Millisecond, time.Second
	for pause := often; ; pause = min(2*pause, seldom) {
		select {
		case <-p.ctx.Done():
			return
		case <-time.After(pause):
		}
		if s.seenOff(p) {
			p.cancel()
			p.shared.end()
			p.own.end()
			return
		}
	}
}

func (s *PartitionedInformer) seenOff(p *partition) bool {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.unpin(p)
	if p.pinned.len() > 0 || !p.shared.toldAll() || !p.own.toldAll() {
		return false
	}
	s.left = slices.DeleteFunc(s.left, func(other *partition) bool { return other == p })
	for _, r := range s.registrations {
		r.part(p)
	}
	return true
}

// startAll starts partitions and streams, under telling.
func (s *PartitionedInformer) startAll(fresh []*partition, configs []StreamConfig) []*Stream {
	streams := make([]*Stream, len(configs))
	for i := range configs {
		streams[i] = &Stream{informer: s, config: configs[i], ended: make(chan struct{})}
		streams[i].feeds.Store(&configs[i].Partitions)
		known := streams[i].setFloors() != "" // then there is nothing to wait for
		for _, id := range configs[i].Partitions {
			p := s.partition(id)
			p.expecting = false
			if !known {
				p.awaited[streams[i]] = struct{}{}
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = append(slices.Clone(s.streams), streams...)
	for _, p := range s.routes.Load().partitions { // which wait no longer for streams that have ended
		maps.DeleteFunc(p.awaited, func(t *Stream, _ struct{}) bool { return !slices.Contains(s.streams, t) })
	}
	if !s.started {
		return streams
	}
	for _, p := range fresh {
		s.open(p)
	}
	for _, t := range streams {
		s.start(t)
	}
	for _, p := range s.routes.Load().partitions {
		p.noteSynced()
	}
	s.noteSynced()
	return streams
}

// Complete says that the first set of partitions is complete: the informer has synced when all of them have. Before, it has not.
func (s *PartitionedInformer) Complete() {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.complete = true
	if s.hasStarted() {
		s.noteSynced()
	}
}

// relist has a stream begin again with a list, in which what is known is not decoded again.
func (s *PartitionedInformer) relist(t *Stream) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if t.stopping.Load() || s.isEnding() {
		return
	}
	t.halt()
	t.stopping.Store(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.config.Resume = nil
	t.ended = make(chan struct{})
	s.run(t)
}
