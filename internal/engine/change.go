package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"vedette.dev/internal/object"
	"vedette.dev/internal/perturb"
	"vedette.dev/internal/table"
)

// Router returns the ID of the partition that an object is for, empty if it is for none. The prefix is that of the stream it comes
// from. A router must be quick, and must always return the same for the same envelope. It is called under a lock, and must not call
// the informer.
type Router func(prefix string, e *Envelope) (partition string)

// PartitionChange is a change of the partitions of an informer.
type PartitionChange struct {
	// Add are new partitions.
	Add []PartitionConfig
	// Remove are partitions that go. Their objects are forgotten, except those that belong to another partition from now on, and
	// OnLost is called, and no other function of the handlers.
	Remove []string
	// Retire are partitions that go and whose objects all belong to others. Handlers for all partitions are not called.
	Retire []string
	// Router says where objects belong from now on. Nil means as before. Objects that are in the store move to where they
	// belong; handlers for all partitions are not called for that.
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
	// Resume returns from where each of Start begins to watch, instead of a list; nil means that all begin with a list. It is called when
	// the streams of Stop have ended, with locks held, and must not call the informer. versions are those up to which the informer has
	// received everything from each of them, empty if that is not known, and full are those of Rescoped that have left objects out.
	Resume func(versions []string, full []string) [][]ResumePoint
}

// Change changes the partitions, all in one step: readers and handlers see the old ones or the new ones. If it returns an
// error, nothing has changed.
func (s *Informer) Change(c PartitionChange) ([]*Stream, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.isEnding() {
		return nil, ErrStopped
	}
	if err := s.checkChange(&c); err != nil {
		return nil, err
	}
	versions := make([]string, len(c.Stop))
	for i, t := range c.Stop {
		versions[i] = t.stop()
		perturb.Point()
	}
	streams, incomplete, err := s.apply(&c, versions)
	if err != nil {
		return nil, err
	}
	perturb.Point()
	for _, t := range incomplete {
		s.relist(t)
	}
	return streams, nil
}

// fullOf returns which of some partitions have left objects out, under applyMu.
func (s *Informer) fullOf(ids []string) (full []string) {
	for _, id := range ids {
		if p := s.partition(id); p != nil && p.room.full != nil {
			full = append(full, id)
		}
	}
	return full
}

// apply changes partitions and streams, and returns the new streams, and those of the others that have to list what was left out. versions
// are those that the streams of c.Stop have reached.
func (s *Informer) apply(c *PartitionChange, versions []string) (started, incomplete []*Stream, err error) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if s.isEnding() {
		return nil, nil, ErrStopped
	}
	full := s.fullOf(c.Rescoped) // not earlier: until here, events of streams that have ended may still be applied
	if c.Resume != nil {
		for i, points := range c.Resume(versions, full) {
			c.Start[i].Resume = points
		}
	}
	for t := range c.Feed {
		if slices.ContainsFunc(t.partitions(), func(id string) bool { return slices.Contains(full, id) }) {
			incomplete = append(incomplete, t)
		}
	}
	next := &routes{router: s.routes.Load().router, partitions: maps.Clone(s.routes.Load().partitions), fixed: s.fixedAfter(c)}
	if c.Router != nil {
		next.router = c.Router
	}
	var added, gone []*partition
	for _, id := range slices.Concat(c.Remove, c.Retire) {
		gone = append(gone, next.partitions[id])
		delete(next.partitions, id)
	}
	for _, config := range c.Add {
		p := s.newPartition(config)
		next.partitions[config.ID] = p
		added = append(added, p)
	}
	s.reroute(next, gone, c)
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
	for _, p := range added {
		for _, r := range s.registrations {
			r.join(p)
		}
	}
	return s.startAll(added, c.Start), incomplete, nil
}

// fixedAfter returns the partitions of streams that are Fixed after a change, under applyMu. For a stream that has ended, and of which events
// wait, that is the successor of its partition. A partition that has the same ID, and is another, must not get them.
func (s *Informer) fixedAfter(c *PartitionChange) map[*Stream]string {
	last := s.routes.Load()
	s.mu.Lock()
	running := s.streams
	s.mu.Unlock()
	out := map[*Stream]string{}
	for t, id := range last.fixed {
		if slices.Contains(running, t) {
			out[t] = id
		}
	}
	for t := range s.queue.streams() {
		if !t.config.Fixed || slices.Contains(running, t) {
			continue
		}
		id := last.fixedID(t)
		successor, known := c.Successors[id]
		switch {
		case known:
			id = successor
		case c.Router != nil || slices.Contains(c.Remove, id) || slices.Contains(c.Retire, id):
			id = ""
		}
		out[t] = id
	}
	for t, ids := range c.Feed {
		if t.config.Fixed && len(ids) > 0 {
			out[t] = ids[0]
		}
	}
	return out
}

func (s *Informer) checkChange(c *PartitionChange) error {
	ids := maps.Clone(s.routes.Load().partitions)
	for _, id := range slices.Concat(c.Remove, c.Retire) {
		if _, ok := ids[id]; !ok {
			return fmt.Errorf("there is no partition %q to remove", id)
		}
		delete(ids, id)
	}
	for i := range c.Add {
		if err := c.Add[i].validate(); err != nil {
			return err
		}
		if _, ok := ids[c.Add[i].ID]; ok {
			return fmt.Errorf("there is a partition %q already", c.Add[i].ID)
		}
		ids[c.Add[i].ID] = nil
	}
	for i := range c.Limit {
		if err := c.Limit[i].validate(); err != nil {
			return err
		}
		p := s.partition(c.Limit[i].ID)
		if _, stays := ids[c.Limit[i].ID]; !stays || p == nil {
			return fmt.Errorf("there is no partition %q to limit", c.Limit[i].ID)
		}
		if c.Limit[i].MaxBytes > 0 && p.config.MaxBytes == 0 {
			return fmt.Errorf("PartitionConfig.MaxBytes of %q is %d, but sizes were not counted from the beginning", p.config.ID, c.Limit[i].MaxBytes)
		}
	}
	for i := range c.Start {
		if err := c.Start[i].validate(); err != nil {
			return err
		}
		for _, id := range c.Start[i].Partitions {
			if _, ok := ids[id]; !ok {
				return fmt.Errorf("StreamConfig.Partitions of stream %q has %q, which is not a partition", c.Start[i].Name, id)
			}
		}
	}
	return nil
}

// reroute replaces the routes of the informer, and moves the objects in the store to the partitions that they are for now, under applyMu.
func (s *Informer) reroute(next *routes, gone []*partition, c *PartitionChange) {
	last := s.routes.Load()
	s.routes.Store(next)
	if c.Router == nil && len(gone) == 0 && len(c.Successors) == 0 {
		return
	}
	b := s.newBatch(0)
	losses := losses{}
	lowest := map[string]uint64{} // version that streams have reached, by their prefix
	v := s.table.All()
	defer v.Release()
	for row := range v.Rows() {
		key := row.Key()
		at, _ := s.table.Owner(key)
		owner := last.partitions[at]
		id, known := c.Successors[at]
		if !known {
			prefix, bare := splitPrefix(key, row.Object)
			env := s.rowEnvelope(bare, key, row.Object)
			id = next.router(prefix, &env)
		}
		to := next.partitions[id]
		switch {
		case to == owner:
		case to == nil:
			// Later notifications of the key wait for those before.
			losses.add(owner, b.dispatcher(key, owner, nil), key)
			b.lost(key, row.Object, lowest)
			k := keyState{owner: owner, exists: true}
			before := k
			b.drop(key, &k)
			b.write(key, &before, &k)
		default:
			b.moveUnchanged(key, row.Object, owner, to)
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

// lost adds a tombstone for an object that leaves the store with its partition, if a stream is behind. The object may come back in the state
// that it is in.
func (b *batch) lost(key string, obj any, lowest map[string]uint64) {
	v, err := strconv.ParseUint(b.revisionOf(key, obj).Version, 10, 64)
	if err != nil {
		return
	}
	prefix, _ := splitPrefix(key, obj)
	if b.lowestOnce(lowest, prefix) < v {
		b.putTombstone(key, tombstone{prefix: prefix, version: v})
	}
}

// losses is the keys that partitions lose without a deletion, by the partition whose log the notification goes to.
type losses map[*partition]map[*partition][]string

func (l losses) add(owner, dispatcher *partition, keys ...string) {
	if l[owner] == nil {
		l[owner] = map[*partition][]string{}
	}
	l[owner][dispatcher] = append(l[owner][dispatcher], keys...)
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
	if bare, err := object.Key(obj); err == nil && bare != "" && strings.HasSuffix(key, bare) {
		return strings.TrimSuffix(key, bare), bare
	}
	if i := strings.IndexByte(key, '|'); i >= 0 {
		return key[:i+1], key[i+1:]
	}
	return "", key
}

// moveUnchanged moves an object that has not changed.
func (b *batch) moveUnchanged(key string, obj any, owner, to *partition) {
	b.dispatcher(key, owner, to)
	size := owner.room.size(key)
	b.moved(key, owner, to, obj, obj)
	b.count(to, 1)
	to.room.has(key, size)
	b.steps = append(b.steps, table.Step{Op: table.Move, Key: key, Owner: to.config.ID})
}

// leave removes a partition. Its notifications are still delivered.
func (s *Informer) leave(p *partition) {
	if !p.isSynced() {
		close(p.synced) // nothing has to wait for it
	}
	s.queue.close(p.inbox)
	if s.hasStarted() {
		s.removed = append(s.removed, p)
		s.work.Go(func() { s.drainRemoved(p) })
		return
	}
	// Nothing is in its log.
	p.cancel()
	p.shared.End()
	s.part(p)
}

// part removes a partition from the registrations, when its notifications are all delivered, under applyMu.
func (s *Informer) part(p *partition) {
	for _, r := range s.registrations {
		r.part(p)
	}
	s.dropOwn(p.config.ID)
}

// dropOwn removes the log of handlers for one partition if there is neither the partition nor such a handler, under applyMu.
func (s *Informer) dropOwn(id string) {
	log := s.own[id]
	if log == nil || log.HasListeners() || s.partition(id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return // end waits for it
	}
	delete(s.own, id)
	if s.started {
		s.work.Go(log.End) // a handler that was removed may be in its last call
	}
}

// drainRemoved waits until everything in the shared log of a removed partition is delivered, and then ends the log.
func (s *Informer) drainRemoved(p *partition) {
	const often, seldom = 10 * time.Millisecond, time.Second
	for pause := often; ; pause = min(2*pause, seldom) {
		select {
		case <-p.ctx.Done():
			return
		case <-time.After(pause):
		}
		if s.isDrained(p) {
			p.cancel()
			p.shared.End()
			return
		}
	}
}

// isDrained reports whether everything in the shared log of a removed partition is delivered. If so, it removes the partition from the
// registrations.
func (s *Informer) isDrained(p *partition) bool {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.dropBarriers(p)
	if p.barriers.Len() > 0 || !p.shared.AllDelivered() {
		return false
	}
	s.removed = slices.DeleteFunc(s.removed, func(other *partition) bool { return other == p })
	s.part(p)
	return true
}

// startAll starts partitions and streams, under applyMu.
func (s *Informer) startAll(added []*partition, configs []StreamConfig) []*Stream {
	streams := make([]*Stream, len(configs))
	for i := range configs {
		streams[i] = &Stream{informer: s, config: configs[i], ended: make(chan struct{})}
		streams[i].notOlder = s.reached(configs[i].Prefix)
		streams[i].feeds.Store(&configs[i].Partitions)
		resumes := streams[i].setFloors() != "" // then there is nothing to wait for
		streams[i].brought.Store(resumes)
		for _, id := range configs[i].Partitions {
			p := s.partition(id)
			p.expecting = false
			if !resumes {
				p.awaited[streams[i]] = struct{}{}
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams, s.halted = append(slices.Clone(s.streams), streams...), nil
	for id, p := range s.routes.Load().partitions { // which do not wait any longer for streams that have ended, or that are for other partitions now
		maps.DeleteFunc(p.awaited, func(t *Stream, _ struct{}) bool {
			return !slices.Contains(s.streams, t) || !slices.Contains(t.partitions(), id)
		})
	}
	if !s.started {
		return streams
	}
	for _, p := range added {
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
func (s *Informer) Complete() {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.complete = true
	if s.hasStarted() {
		s.noteSynced()
	}
}

// relist has a stream begin again with a list, in which what is known is not decoded again. It is called under changing.
func (s *Informer) relist(t *Stream) {
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
