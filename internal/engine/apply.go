package engine

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
)

// known returns what the store has under a key, its revision, and the partition that owns it.
func (s *Informer) known(key string) (obj any, have object.Revision, owner *partition, ok bool) {
	if s.only != nil {
		if obj, ok = s.table.Get(key); ok {
			owner = s.only
		}
	} else {
		var id string
		if obj, id, ok = s.table.GetOwned(key); ok {
			owner = s.partition(id)
		}
	}
	if !ok {
		return nil, object.Revision{}, nil, false
	}
	return obj, s.revisionOf(key, obj), owner, true
}

// revisionOf returns the revision of an object in the store.
func (s *Informer) revisionOf(key string, obj any) object.Revision {
	if s.revisions == nil {
		return object.Of(obj)
	}
	return s.revisions.get(key)
}

// rowEnvelope returns the envelope of an object in the store.
func (s *Informer) rowEnvelope(bare, key string, obj any) Envelope {
	return envelopeOf(bare, s.revisionOf(key, obj), nil, obj)
}

// objectsOf returns a view of the objects of a partition.
func (s *Informer) objectsOf(p *partition) table.View {
	if s.only != nil {
		return s.table.All()
	}
	v, _ := s.table.ByIndex(PartitionIndex, p.config.ID) // there is such an index
	return v
}

// deliver applies the events of an inbox, after which the store is at a version.
func (s *Informer) deliver(p *partition, events []*pendingEvent, version string) {
	began := time.Now()
	p.applying.Lock()
	defer p.applying.Unlock()
	b := p.newBatch(len(events))
	defer p.keep(b)
	b.lockFor(events)
	b.setVersion(version)
	count, bytes := 0, int64(0)
	for _, first := range events {
		for ev := first; ev != nil; ev = ev.later {
			if ev.raw != nil {
				ev.size = int64(len(ev.raw.Bytes))
			}
			count++
			bytes += ev.size
		}
		b.follow(first)
	}
	b.commit()
	s.codec.NoteSize(s.table.Len())
	s.applyMu.Unlock()
	b.report()
	var since time.Time
	if len(events) > 0 {
		since = time.Unix(0, events[0].at)
	}
	p.applied(count, bytes, since)
	s.processed(p, began)
}

// processed calls Config.Processed, if the informer is not divided.
func (s *Informer) processed(p *partition, began time.Time) {
	if s.config.Processed == nil || s.only == nil {
		return
	}
	waiting, _, _ := s.queue.waiting(p.inbox)
	s.config.Processed(waiting, began)
}

// keyState is what is known of a key while a batch is made.
type keyState struct {
	obj    any
	rev    object.Revision
	owner  *partition
	exists bool
	from   *pendingEvent // the event that brought obj; nil if it is in the store
}

// follow finds out what the events of a key change.
func (b *batch) follow(first *pendingEvent) {
	var k keyState
	k.obj, k.rev, k.owner, k.exists = b.known(first.key)
	before := k
	for ev := first; ev != nil; ev = ev.later {
		b.step(&k, ev)
	}
	b.write(first.key, &before, &k)
}

// step finds out what one event changes.
func (b *batch) step(k *keyState, ev *pendingEvent) {
	if ev.err != nil && !ev.deleted || ev.isVoid() {
		if ev.beneath != nil {
			b.step(k, ev.beneath)
		}
		return
	}
	if k.exists && b.only == nil && ev.outdated(k.rev) {
		return
	}
	if ev.deleted {
		b.deletion(k, ev)
		return
	}
	delete(b.deferred, ev.key)
	to := b.destination(ev)
	switch {
	case to == nil && k.exists:
		b.remove(ev.key, k, k.obj)
		b.addTombstone(ev.key, ev.stream, ev.rev.Version, "")
	case to == nil:
	case !k.exists && b.hasTombstone(ev):
	case !k.exists:
		b.insert(k, ev, to)
	case k.rev.Other(ev.rev):
		b.remove(ev.key, k, object.Tombstone{Key: ev.key, Obj: k.obj})
		b.insert(k, ev, to)
	case k.rev.Same(ev.rev) && k.owner == to:
		if ev.stored != nil && !object.Identical(ev.obj, k.obj) {
			b.set(k, ev, to) // no handler is called: on the server nothing has changed
		}
	default:
		b.update(k, ev, to)
	}
}

// deletion finds out what the event of an object changes that was deleted, or has left its stream.
func (b *batch) deletion(k *keyState, ev *pendingEvent) {
	t := ev.stream
	switch {
	case !k.exists:
	case t.config.Leaves && ev.rev.Version == k.rev.Version:
		// The change that made it leave this stream is the one that brought it to another.
	case t.config.Fixed && k.owner.config.ID != b.routes.Load().fixedID(t) && !ev.newer(k.rev):
		// It has left this stream for the one that has it.
	case t.mayMove():
		b.deferDelete(ev.key, deferredDelete{have: k.rev, stream: t, version: ev.rev.Version, newest: ev.rev.Version, last: ev.finalState(k)})
	default:
		b.remove(ev.key, k, ev.finalState(k))
		b.addTombstone(ev.key, t, ev.rev.Version, "")
	}
}

// isVoid reports whether a list that came later supersedes an event.
func (ev *pendingEvent) isVoid() bool {
	if ev.epoch != ev.stream.epoch.Load() {
		return true
	}
	if len(ev.stream.overtaken) == 0 {
		return false
	}
	v, err := strconv.ParseUint(ev.rev.Version, 10, 64)
	if err != nil {
		return false
	}
	env := envelopeOf(ev.bare(), ev.rev, ev.raw, ev.obj)
	return slices.ContainsFunc(ev.stream.overtaken, func(f floor) bool {
		return v <= f.version && (f.covers == nil || f.covers(&env))
	})
}

// overtake notes that a list of t supersedes the events up to its version that streams that have ended have brought, under applyMu.
func (s *Informer) overtake(t *Stream, version string) {
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	running := s.streams // also those that stop for a moment, to list again
	s.mu.Unlock()
	for old := range s.queue.streams() {
		if !slices.Contains(running, old) && old.config.Prefix == t.config.Prefix {
			old.overtaken = append(old.overtaken, floor{v, t.config.Covers})
		}
	}
}

// outdated reports whether an event is certainly older than what is known.
func (ev *pendingEvent) outdated(have object.Revision) bool {
	order, known := object.Compare(ev.rev.Version, have.Version)
	return known && order < 0
}

// newer reports whether an event is certainly newer than what is known.
func (ev *pendingEvent) newer(have object.Revision) bool {
	order, known := object.Compare(ev.rev.Version, have.Version)
	return known && order > 0
}

// finalState returns the last state of an object that is deleted, of which a state is known. If the event is the deletion of another object
// with the same name, whose creation was missed, the known object was deleted before it.
func (ev *pendingEvent) finalState(k *keyState) any {
	if ev.err != nil || ev.obj == nil || k.rev.Other(ev.rev) {
		return object.Tombstone{Key: ev.key, Obj: k.obj}
	}
	return ev.obj
}

// destination returns the partition that an event is for now.
func (b *batch) destination(ev *pendingEvent) *partition {
	routes := b.routes.Load()
	if routes.only != nil {
		return routes.only
	}
	if ev.by != routes {
		env := envelopeOf(ev.bare(), ev.rev, ev.raw, ev.obj)
		ev.to, ev.by = routes.find(ev.stream, &env), routes
	}
	return ev.to
}

// set makes the object of an event the state of its key.
func (b *batch) set(k *keyState, ev *pendingEvent, owner *partition) {
	*k = keyState{obj: ev.obj, rev: ev.rev, owner: owner, exists: true, from: ev}
}

func (b *batch) insert(k *keyState, ev *pendingEvent, to *partition) {
	if !b.admits(to, ev) {
		return
	}
	n := fanout.Notification{Key: ev.key, New: ev.obj, Type: fanout.Added, Initial: b.initial, Partition: to.label}
	b.notify(b.logOf(ev.key, nil, to), n)
	b.notify(to.own, n)
	b.set(k, ev, to)
}

func (b *batch) update(k *keyState, ev *pendingEvent, to *partition) {
	if k.owner != to && !b.admits(to, ev) {
		b.remove(ev.key, k, k.obj)
		b.addTombstone(ev.key, ev.stream, ev.rev.Version, "")
		return
	}
	log := b.logOf(ev.key, k.owner, to)
	n := fanout.Notification{
		Key: ev.key, Old: k.obj, New: ev.obj, Type: fanout.Updated, Sync: k.rev.Version == ev.rev.Version, Partition: to.label,
	}
	if !k.rev.Same(ev.rev) {
		b.notify(log, n)
	}
	if k.owner == to {
		b.notify(to.own, n)
	} else {
		b.moved(ev.key, k.owner, to, k.obj, ev.obj)
	}
	b.set(k, ev, to)
}

// moved notifies the handlers of single partitions that an object has come and gone.
func (b *batch) moved(key string, from, to *partition, old, obj any) {
	b.notify(from.own, fanout.Notification{Key: key, Old: old, Type: fanout.Deleted, Partition: from.label})
	b.notify(to.own, fanout.Notification{Key: key, New: obj, Type: fanout.Added, Partition: to.label})
	from.movedOut++
	to.movedIn++
	b.leaves(key, from)
}

// leaves notes that an object is not in a partition any more.
func (b *batch) leaves(key string, owner *partition) {
	owner.room.gone(key)
	b.count(owner, -1)
	if owner.room.full != nil && !slices.Contains(b.freed, owner) {
		b.freed = append(b.freed, owner)
	}
}

// remove takes an object out, of which last is the last state.
func (b *batch) remove(key string, k *keyState, last any) {
	n := fanout.Notification{Key: key, Old: last, Type: fanout.Deleted, Partition: k.owner.label}
	b.notify(b.logOf(key, k.owner, nil), n)
	b.notify(k.owner.own, n)
	b.drop(key, k)
}

// removeKnown takes out the object of a key, of which last is the last state.
func (b *batch) removeKnown(key string, last any) {
	var k keyState
	k.obj, k.rev, k.owner, k.exists = b.known(key)
	before := k
	b.remove(key, &k, last)
	b.write(key, &before, &k)
}

// drop takes an object out without a notification.
func (b *batch) drop(key string, k *keyState) {
	delete(b.deferred, key)
	b.leaves(key, k.owner)
	*k = keyState{}
}

// write adds what became of a key to the batch.
func (b *batch) write(key string, before, k *keyState) {
	switch {
	case !k.exists && !before.exists:
	case !k.exists:
		b.steps = append(b.steps, table.Step{Op: table.Delete, Key: key})
		b.revisions.remove(key)
	case k.from == nil: // as it was
	default:
		b.put(k)
	}
}

func (b *batch) put(k *keyState) {
	ev := k.from
	k.owner.room.has(ev.key, ev.size)
	if ev.row == 0 {
		b.index(ev) // it is not the last event of its key
	}
	b.steps = append(b.steps, table.Step{Op: table.Put, Key: ev.key, Object: ev.obj, Owner: k.owner.config.ID})
	if from, n := int(ev.row)-1, b.indexes.Len(); from == len(b.values) && !b.scattered {
		b.values = b.prepared[: from+n : from+n] // all so far are in the order in which they were prepared
	} else {
		b.scattered = true
		b.values = append(b.values, b.prepared[from:from+n]...)
	}
	b.failed.Add(b.unindexed[ev])
	b.revisions.put(ev.key, ev.rev)
}

func (b *batch) count(p *partition, more int) {
	if p.room.limits.MaxObjects == 0 {
		return
	}
	if b.counts == nil {
		b.counts = map[string]int{}
	}
	b.counts[p.config.ID] += more
}

func (b *batch) objects(p *partition) int {
	return b.table.CountOwned(p.config.ID) + b.counts[p.config.ID]
}

// admits reports whether a partition has room for an object that it does not have.
func (b *batch) admits(to *partition, ev *pendingEvent) bool {
	if to.room.limits.MaxObjects == 0 && to.room.limits.MaxBytes == 0 {
		return true
	}
	if !to.room.admits(b.objects(to), ev.size) {
		return false
	}
	b.count(to, 1)
	return true
}

// missing removes the objects that a partition has from a stream and that are not in a list of the stream. An object that is newer than the list
// came from another stream.
func (b *batch) missing(p *partition, r *relist, version string) {
	if b.table.Len() == 0 {
		return
	}
	v := b.objectsOf(p)
	defer v.Release()
	t := r.stream
	for row := range v.Rows() {
		key := row.Key()
		if _, listed := r.listed[key]; listed || !strings.HasPrefix(key, t.config.Prefix) {
			continue
		}
		k := keyState{obj: row.Object, rev: b.revisionOf(key, row.Object), owner: p, exists: true}
		if order, known := object.Compare(k.rev.Version, version); b.only == nil && known && order > 0 {
			continue
		}
		if t.config.Covers != nil {
			env := b.rowEnvelope(key[len(t.config.Prefix):], key, row.Object)
			if !t.config.Covers(&env) {
				continue
			}
		}
		last := object.Tombstone{Key: key, Obj: row.Object}
		if t.mayMove() {
			b.deferDelete(key, deferredDelete{have: k.rev, stream: t, version: version, newest: k.rev.Version, last: last})
			continue
		}
		b.removeKnown(key, last)
		b.addTombstone(key, t, k.rev.Version, "") // on the server there may be the state that was known
	}
}
