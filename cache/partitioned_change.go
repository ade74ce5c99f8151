package cache

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vedette.dev/internal/table"
)

// PartitionChange is a change of the partitions of a PartitionedInformer.
type PartitionChange struct {
	// Add are new partitions.
	Add []PartitionConfig
	// Remove are partitions that go. Their objects are forgotten, except those that belong to another partition from now on, and
	// handlers are told OnLost, and nothing of the objects.
	Remove []string
	// Retire are partitions that go and whose objects all belong to others. Handlers for all partitions are told nothing.
	Retire []string
	// Router says where objects belong from now on. Nil means as before. Objects that are in the store move to where they
	// belong; handlers for all partitions are told nothing of that.
	Router Router
	// Successors are the partitions that all objects of a partition belong to from now on, whatever the Router says, by its ID.
	Successors map[string]string
	// Limit are partitions that stay and have other limits. MaxBytes cannot be set where it was not.
	Limit []PartitionConfig
	// Rescoped are partitions, of those before the change, whose objects or limits are other ones from now on. If one of them has
	// left objects out, the streams that feed it and stay list again.
	Rescoped []string
	// Feed are streams that stay, and the partitions that they have objects for from now on.
	Feed map[*Stream][]string
	// Stop are streams that end. What they brought stays.
	Stop []*Stream
	// Start are new streams.
	Start []StreamConfig
	// Resume returns from where each of Start begins to watch, instead of a list; nil means that all begin with a list. It is
	// called when the streams of Stop have ended: versions are those up to which the informer has heard everything from each of
	// them, empty if that is not known, and full are those of Rescoped that have left objects out.
	Resume func(versions []string, full []string) [][]ResumePoint
}

// Change changes the partitions, all in one step: readers and handlers see the old ones or the new ones. If it returns an
// error, nothing has changed.
func (s *informer) Change(c PartitionChange) ([]*Stream, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.isEnding() {
		return nil, errStopped
	}
	if err := s.checkChange(&c); err != nil {
		return nil, err
	}
	versions := make([]string, len(c.Stop))
	for i, t := range c.Stop {
		versions[i] = t.stop()
	}
	full := s.fullOf(c.Rescoped)
	if c.Resume != nil {
		for i, points := range c.Resume(versions, full) {
			c.Start[i].Resume = points
		}
	}
	var relist []*Stream
	for t := range c.Feed {
		if slices.ContainsFunc(t.partitions(), func(id string) bool { return slices.Contains(full, id) }) {
			relist = append(relist, t)
		}
	}
	streams, err := s.apply(&c, full)
	if err != nil {
		return nil, err
	}
	for _, t := range relist {
		s.relistNow(t)
	}
	return streams, nil
}

// fullOf returns which of some partitions have left objects out.
func (s *informer) fullOf(ids []string) (full []string) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	for _, id := range ids {
		if p := s.partition(id); p != nil && p.room.full != nil {
			full = append(full, id)
		}
	}
	return full
}

func (s *informer) apply(c *PartitionChange, full []string) ([]*Stream, error) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if s.isEnding() {
		return nil, errStopped
	}
	next := &routes{router: s.routes.Load().router, partitions: maps.Clone(s.routes.Load().partitions), fixed: s.fixedAfter(c)}
	if c.Router != nil {
		next.router = c.Router
	}
	var fresh, gone []*partition
	for _, id := range slices.Concat(c.Remove, c.Retire) {
		gone = append(gone, next.partitions[id])
		delete(next.partitions, id)
	}
	for _, config := range c.Add {
		p := s.newPartition(config)
		next.partitions[config.ID] = p
		fresh = append(fresh, p)
	}
	s.settleIn(next, gone, c)
	for _, id := range full {
		if p := next.partitions[id]; p != nil {
			p.room.full = nil // what it left out is listed again
		}
	}
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

// fixedAfter returns the partitions of streams that are Fixed after a change, under applyMu. Those of streams that have ended are kept
// for as long as something that they brought waits.
func (s *informer) fixedAfter(c *PartitionChange) map[*Stream]string {
	waiting := s.queue.streams()
	s.mu.Lock()
	running := s.streams
	s.mu.Unlock()
	out := map[*Stream]string{}
	for t, id := range s.routes.Load().fixed {
		if _, waits := waiting[t]; waits || slices.Contains(running, t) {
			out[t] = id
		}
	}
	for t, ids := range c.Feed {
		if t.config.Fixed && len(ids) > 0 {
			out[t] = ids[0]
		}
	}
	return out
}

func (s *informer) checkChange(c *PartitionChange) error {
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
		if _, ok := ids[c.Add[i].ID]; ok {
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
		if c.Limit[i].MaxBytes > 0 && p.config.MaxBytes == 0 {
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
func (s *informer) settleIn(next *routes, gone []*partition, c *PartitionChange) {
	last := s.routes.Load()
	s.routes.Store(next)
	if c.Router == nil && len(gone) == 0 && len(c.Successors) == 0 {
		return
	}
	b := s.newBatch(0)
	losses := losses{}
	v := s.indexer.table.All()
	defer v.Release()
	for row := range v.Rows() {
		key := row.Key()
		at, _ := s.indexer.table.Owner(key)
		home := last.partitions[at]
		id, known := c.Successors[at]
		if !known {
			prefix, bare := splitPrefix(key, row.Object)
			env := s.rowEnvelope(bare, key, row.Object)
			id = next.router(prefix, &env)
		}
		to := next.partitions[id]
		switch {
		case to == home:
		case to == nil:
			// Later notifications of the key wait for those before.
			losses.add(home, b.dispatcher(key, home, nil), key)
			k := keyState{owner: home, exists: true}
			before := k
			b.drop(key, &k)
			b.write(key, &before, &k)
		default:
			b.rehome(key, row.Object, home, to)
		}
	}
	for _, p := range gone {
		if slices.Contains(c.Remove, p.config.ID) {
			losses.add(p, p)
		}
	}
	for p, byDispatcher := range losses {
		b.lose(p, byDispatcher)
	}
	for _, p := range gone {
		if losses[p] == nil {
			b.notify(p.own, lostNotification(p, nil))
		}
	}
	b.commit()
}

// losses is the keys that partitions lose without a deletion, by the partition whose log the notification goes to.
type losses map[*partition]map[*partition][]string

func (l losses) add(home, dispatcher *partition, keys ...string) {
	if l[home] == nil {
		l[home] = map[*partition][]string{}
	}
	l[home][dispatcher] = append(l[home][dispatcher], keys...)
}

// lose notifies of what a partition has lost.
func (b *batch) lose(p *partition, byDispatcher map[*partition][]string) {
	var all []string
	for dispatcher, keys := range byDispatcher {
		b.notify(dispatcher.shared, lostNotification(p, keys))
		all = append(all, keys...)
	}
	b.notify(p.own, lostNotification(p, all))
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
func (b *batch) rehome(key string, obj any, home, to *partition) {
	b.dispatcher(key, home, to)
	size := home.room.size(key)
	b.moved(key, home, to, obj, obj)
	b.count(to, 1)
	to.room.has(key, size)
	b.steps = append(b.steps, table.Step{Op: table.Move, Key: key, Owner: to.config.ID})
}

// leave takes leave of a partition.
func (s *informer) leave(p *partition) {
	if !p.isSynced() {
		close(p.synced) // nobody need wait for it
	}
	s.queue.close(p.inbox)
	if s.hasStarted() {
		s.left = append(s.left, p)
		s.work.Go(func() { s.seeOff(p) })
		return
	}
	// Nothing is in its log.
	p.cancel()
	p.shared.End()
	s.part(p)
}

// part takes leave of a partition whose notifications are all delivered, under applyMu.
func (s *informer) part(p *partition) {
	for _, r := range s.registrations {
		r.part(p)
	}
	s.dropOwn(p.config.ID)
}

// dropOwn removes the log of handlers for one partition if there is neither the partition nor such a handler, under applyMu.
func (s *informer) dropOwn(id string) {
	log := s.own[id]
	if log == nil || log.HasListeners() || s.partition(id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return // then it is waited for
	}
	delete(s.own, id)
	if s.started {
		s.work.Go(log.End) // a handler that was removed may be in its last call
	}
}

// seeOff ends the shared log of a partition that is gone, when everything in it is delivered.
func (s *informer) seeOff(p *partition) {
	const often, seldom = 10 * time.Millisecond, time.Second
	for pause := often; ; pause = min(2*pause, seldom) {
		select {
		case <-p.ctx.Done():
			return
		case <-time.After(pause):
		}
		if s.seenOff(p) {
			p.cancel()
			p.shared.End()
			return
		}
	}
}

func (s *informer) seenOff(p *partition) bool {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.unpin(p)
	if p.pinned.len() > 0 || !p.shared.AllDelivered() {
		return false
	}
	s.left = slices.DeleteFunc(s.left, func(other *partition) bool { return other == p })
	s.part(p)
	return true
}

// startAll starts partitions and streams, under applyMu.
func (s *informer) startAll(fresh []*partition, configs []StreamConfig) []*Stream {
	streams := make([]*Stream, len(configs))
	for i := range configs {
		streams[i] = &Stream{informer: s, config: configs[i], ended: make(chan struct{})}
		streams[i].feeds.Store(&configs[i].Partitions)
		known := streams[i].setFloors() != "" // then there is nothing to wait for
		streams[i].brought.Store(known)
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
	for id, p := range s.routes.Load().partitions { // which wait no longer for streams that have ended, or are for others now
		maps.DeleteFunc(p.awaited, func(t *Stream, _ struct{}) bool {
			return !slices.Contains(s.streams, t) || !slices.Contains(t.partitions(), id)
		})
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
func (s *informer) Complete() {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.complete = true
	if s.hasStarted() {
		s.noteSynced()
	}
}

// relist has a stream begin again with a list, in which what is known is not decoded again.
func (s *informer) relist(t *Stream) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if t.stopping.Load() || s.isEnding() {
		return
	}
	s.relistNow(t)
}

// relistNow is relist under changing.
func (s *informer) relistNow(t *Stream) {
	s.mu.Lock()
	running := t.reflector != nil
	s.mu.Unlock()
	if !running {
		return
	}
	t.halt()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return
	}
	t.stopping.Store(false)
	t.relisting.Store(true)
	t.config.Resume = nil
	t.ended = make(chan struct{})
	s.run(t)
}
