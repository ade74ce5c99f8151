package cache

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/table"
)

// known returns what the store has under a key, who it is, and which partition it is in.
func (s *PartitionedInformer) known(key string) (obj any, have stamp, home string, ok bool) {
	obj, home, ok = s.indexer.table.GetOwned(key)
	if !ok {
		return nil, stamp{}, "", false
	}
	return obj, s.stampOf(key, obj), home, true
}

// stampOf is who an object in the store is.
func (s *PartitionedInformer) stampOf(key string, obj any) stamp {
	if s.ids == nil {
		return stampOf(obj)
	}
	s.ids.mu.RLock()
	defer s.ids.mu.RUnlock()
	return s.ids.m.m[key]
}

// rowEnvelope is the envelope of an object in the store.
func (s *PartitionedInformer) rowEnvelope(bare, key string, obj any) Envelope {
	return envelopeOf(bare, s.stampOf(key, obj), nil, obj)
}

// lockFor takes telling when all is known of the objects of letters that code of the user says: the values in the indexes that there
// are. It is not called under telling, which a user may want, and for which other partitions would wait.
func (s *PartitionedInformer) lockFor(letters []*letter) {
	if s.detector != nil {
		for _, l := range letters {
			if l.storable() && !isPacked(l.obj) {
				s.detector.AddObject(l.obj)
			}
		}
	}
	for {
		set := s.indexer.table.Indexes()
		values := make([][]string, 0, len(letters)*set.Len())
		for _, l := range letters {
			if l.storable() {
				from := len(values)
				values, l.indexErr = set.AppendValues(values, l.key, l.obj)
				l.values = values[from:len(values):len(values)]
			}
		}
		s.telling.Lock()
		if s.indexer.table.Indexes() == set {
			return
		}
		s.telling.Unlock() // one was added meanwhile
	}
}

// storable reports whether the object of a letter may be stored.
func (l *letter) storable() bool { return l.err == nil && l.what != watch.Deleted }

// deliver applies the letters of a tray and tells of them.
func (s *PartitionedInformer) deliver(p *partition, letters []*letter) {
	s.lockFor(letters)
	defer s.telling.Unlock()
	b := s.newPlacing(len(letters))
	bytes := int64(0)
	for _, l := range letters {
		if l.raw != nil {
			l.size = int64(len(l.raw.Bytes))
		}
		bytes += l.size
		b.follow(l)
	}
	b.commit()
	s.codec.noteSize(s.indexer.table.Len())
	p.applied(len(letters), bytes, letters[0].at)
}

// replace applies a new state of all that a stream covers, one partition after the other.
func (s *PartitionedInformer) replace(r *streamRefill, version string) {
	t := r.stream
	t.epoch.Add(1)
	byPartition := map[*partition][]*letter{}
	for _, l := range r.order {
		if !l.replaced {
			l.epoch = t.epoch.Load()
			byPartition[l.to] = append(byPartition[l.to], l)
		}
	}
	s.telling.Lock()
	s.overtake(t, version)
	s.telling.Unlock()
	for _, id := range t.partitions() {
		if p := s.partition(id); p != nil {
			s.replaceIn(p, r, byPartition[p], version)
			delete(byPartition, p)
		}
	}
	for p, letters := range byPartition { // of partitions that have changed since
		s.replaceIn(p, r, letters, version)
	}
	s.listed(t)
}

func (s *PartitionedInformer) replaceIn(p *partition, r *streamRefill, letters []*letter, version string) {
	s.lockFor(letters)
	defer s.telling.Unlock()
	b := s.newPlacing(len(letters))
	b.initial = !p.isSynced()
	b.missing(p, r, version)
	bytes := int64(0)
	for _, l := range letters {
		bytes += l.size
		if l.err == nil {
			b.follow(l)
		}
	}
	b.commit()
	p.applied(len(letters), bytes, time.Time{})
}

// listed notes that a stream has brought a list.
func (s *PartitionedInformer) listed(t *Stream) {
	s.telling.Lock()
	defer s.telling.Unlock()
	t.brought.Store(true)
	t.relisting.Store(false)
	for _, id := range t.partitions() {
		if p := s.partition(id); p != nil {
			delete(p.awaited, t)
			p.noteSynced()
		}
	}
	s.noteSynced()
}

// placing is a batch on its way into the store and the logs.
type placing struct {
	*PartitionedInformer
	initial bool // it is the first list of its partition

	steps  []table.Step
	values [][]string     // of those that are put, in each index
	failed table.Errors   // of index functions
	gone   []string       // keys whose identity is to be forgotten
	lanes  []laneNotices  // in the order in which they were first needed
	pinned []string       // keys whose pins are to be moved to the end of their lane
	freed  []*partition   // limited ones that have lost an object
	room   int            // how many letters there are
	counts map[string]int // how many objects more the partitions have than in the store
}

// laneNotices are notices for a log.
type laneNotices struct {
	log     *processor
	notices []notice
}

func (b *placing) tell(log *processor, n notice) {
	if !log.listened.Load() {
		return
	}
	for i := range b.lanes {
		if b.lanes[i].log == log {
			b.lanes[i].notices = append(b.lanes[i].notices, n)
			return
		}
	}
	room := 1
	if len(b.lanes) == 0 {
		room = max(room, b.room) // most are for one lane
	}
	b.lanes = append(b.lanes, laneNotices{log, append(make([]notice, 0, room), n)})
}

// newPlacing returns an empty batch with room for what so many letters bring.
func (s *PartitionedInformer) newPlacing(letters int) placing {
	return placing{
		PartitionedInformer: s,
		steps:               make([]table.Step, 0, letters),
		room:                letters,
	}
}

// follow finds out what a letter changes, if anything.
func (b *placing) follow(l *letter) {
	if l.err != nil && l.what != watch.Deleted || l.isVoid() {
		if l.beneath != nil {
			b.follow(l.beneath)
		}
		return // what there is stays
	}
	obj, have, at, was := b.known(l.key)
	if was && l.outdated(have) {
		return
	}
	var home *partition
	if was {
		home = b.partition(at)
	}
	if l.what == watch.Deleted {
		switch {
		case !was:
		case l.stream.config.Leaves && l.id.version == have.version:
			// The change that made it leave this stream is the one that brought it to another.
		case l.stream.config.Fixed && home.config.ID != l.stream.partitions()[0] && !l.newer(have):
			// It has left this stream for the one that has it.
		case l.stream.mayMove():
			b.hold(l.key, have, l.stream, l.id.version, l.last(obj, have))
		default:
			b.remove(l.key, home, l.last(obj, have))
		}
		return
	}
	delete(b.holds, l.key)
	to := b.destination(l)
	switch {
	case to == nil && was:
		b.remove(l.key, home, obj)
	case to == nil:
	case !was:
		b.insert(l, to)
	case have.other(l.id):
		b.remove(l.key, home, DeletedFinalStateUnknown{l.key, obj})
		b.insert(l, to)
	case have.same(l.id) && home == to:
		if l.stored != nil && !identical(l.obj, obj) {
			b.put(l, to) // handlers do not hear of it: on the server nothing has changed
		}
	default:
		b.update(l, obj, have, home, to)
	}
}

// isVoid reports whether a list has come since that says what a letter says, or more.
func (l *letter) isVoid() bool {
	if l.epoch != l.stream.epoch.Load() {
		return true
	}
	if len(l.stream.overtaken) == 0 {
		return false
	}
	v, err := strconv.ParseUint(l.id.version, 10, 64)
	if err != nil {
		return false
	}
	env := envelopeOf(l.bare, l.id, l.raw, l.obj)
	return slices.ContainsFunc(l.stream.overtaken, func(f floor) bool {
		return v <= f.version && (f.covers == nil || f.covers(&env))
	})
}

// overtake notes that a list has come, which says more than what streams that have ended have brought before, under telling.
func (s *PartitionedInformer) overtake(t *Stream, version string) {
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return
	}
	for old := range s.mailbox.streams() {
		if old != t && old.stopping.Load() && old.config.Prefix == t.config.Prefix {
			old.overtaken = append(old.overtaken, floor{v, t.config.Covers})
		}
	}
}

// outdated tells whether a letter says less than what is known.
func (l *letter) outdated(have stamp) bool {
	order, known := compareVersions(l.id.version, have.version)
	return known && order < 0
}

// newer tells whether a letter certainly says more than what is known.
func (l *letter) newer(have stamp) bool {
	order, known := compareVersions(l.id.version, have.version)
	return known && order > 0
}

// last is the last state of an object that is deleted, of which a state is known. If it is another that was deleted, one that
// took its place and of which nobody heard, then so was this one before.
func (l *letter) last(known any, have stamp) any {
	if l.err != nil || l.obj == nil || have.other(l.id) {
		return DeletedFinalStateUnknown{l.key, known}
	}
	return l.obj
}

// destination is the partition that a letter is for now.
func (b *placing) destination(l *letter) *partition {
	routes := b.routes.Load()
	if l.by != routes {
		env := envelopeOf(l.bare, l.id, l.raw, l.obj)
		l.to, l.by = routes.find(l.stream, &env), routes
	}
	return l.to
}

func (b *placing) insert(l *letter, to *partition) {
	if !b.admits(to, l) {
		return
	}
	lane := b.lane(l.key, nil, to)
	n := notice{key: l.key, new: l.obj, what: added, initial: b.initial, home: to}
	b.tell(lane.shared, n)
	b.tell(to.own, n)
	b.put(l, to)
}

func (b *placing) update(l *letter, obj any, have stamp, home, to *partition) {
	if home != to && !b.admits(to, l) {
		b.remove(l.key, home, obj)
		return
	}
	lane := b.lane(l.key, home, to)
	n := notice{key: l.key, old: obj, new: l.obj, what: updated, home: to}
	if !have.same(l.id) {
		b.tell(lane.shared, n)
	}
	if home == to {
		b.tell(to.own, n)
	} else {
		b.moved(l.key, home, to, obj, l.obj)
	}
	b.put(l, to)
}

// moved tells the handlers of single partitions that an object has come and gone.
func (b *placing) moved(key string, home, to *partition, old, obj any) {
	b.tell(home.own, notice{key: key, old: old, what: deleted, home: home})
	b.tell(to.own, notice{key: key, new: obj, what: added, home: to})
	home.movedOut++
	to.movedIn++
	b.leaves(key, home)
}

// leaves notes that an object is in a partition no longer.
func (b *placing) leaves(key string, home *partition) {
	home.room.gone(key)
	b.count(home, -1)
	if home.room.full != nil && !slices.Contains(b.freed, home) {
		b.freed = append(b.freed, home)
	}
}

// remove takes an object out, of which last is the last state.
func (b *placing) remove(key string, home *partition, last any) {
	lane := b.lane(key, home, nil)
	n := notice{key: key, old: last, what: deleted, home: home}
	b.tell(lane.shared, n)
	b.tell(home.own, n)
	b.drop(key, home)
}

// drop takes an object out without a word.
func (b *placing) drop(key string, home *partition) {
	delete(b.holds, key)
	b.leaves(key, home)
	b.steps = append(b.steps, table.Step{Op: table.Delete, Key: key})
	b.gone = append(b.gone, key)
}

func (b *placing) put(l *letter, to *partition) {
	to.room.has(l.key, l.size)
	b.steps = append(b.steps, table.Step{Op: table.Put, Key: l.key, Object: l.obj, Owner: to.config.ID})
	b.values = append(b.values, l.values...)
	b.failed.Add(l.indexErr)
	if b.ids != nil {
		b.gone = slices.DeleteFunc(b.gone, func(k string) bool { return k == l.key })
		b.ids.mu.Lock()
		b.ids.m.put(l.key, l.id)
		b.ids.mu.Unlock()
	}
}

func (b *placing) count(p *partition, more int) {
	if p.room.limits.MaxObjects == 0 {
		return
	}
	if b.counts == nil {
		b.counts = map[string]int{}
	}
	b.counts[p.config.ID] += more
}

func (b *placing) objects(p *partition) int {
	return b.indexer.table.CountOwned(p.config.ID) + b.counts[p.config.ID]
}

// admits tells whether a partition has room for an object that it has not got.
func (b *placing) admits(to *partition, l *letter) bool {
	if to.room.limits.MaxObjects == 0 && to.room.limits.MaxBytes == 0 {
		return true
	}
	if !to.room.admits(b.objects(to), l.size) {
		return false
	}
	b.count(to, 1)
	return true
}

// missing removes what a partition has from a stream and a list of it has not. What is newer than the list came another way.
func (b *placing) missing(p *partition, r *streamRefill, version string) {
	v, err := b.indexer.table.ByIndex(PartitionIndex, p.config.ID)
	if err != nil {
		return
	}
	defer v.Release()
	t := r.stream
	for row := range v.Rows() {
		key := row.Key()
		if _, listed := r.listed[key]; listed || !strings.HasPrefix(key, t.config.Prefix) {
			continue
		}
		have := b.stampOf(key, row.Object)
		if order, known := compareVersions(have.version, version); known && order > 0 {
			continue
		}
		if t.config.Covers != nil {
			env := b.rowEnvelope(key[len(t.config.Prefix):], key, row.Object)
			if !t.config.Covers(&env) {
				continue
			}
		}
		last := DeletedFinalStateUnknown{key, row.Object}
		if t.mayMove() {
			b.hold(key, have, t, version, last)
			continue
		}
		b.remove(key, p, last)
	}
}

// commit writes the batch to the store in one step, and then tells of it.
func (b *placing) commit() {
	if len(b.steps) > 0 {
		b.indexer.table.Commit(b.indexer.table.Indexes(), b.steps, b.values, table.Version{})
	}
	if err := b.failed.Err(); err != nil {
		b.indexErrors++
		b.lastError = err
	}
	if b.ids != nil && len(b.gone) > 0 {
		b.ids.mu.Lock()
		for _, key := range b.gone {
			b.ids.m.remove(key)
		}
		b.ids.mu.Unlock()
	}
	for _, lane := range b.lanes {
		lane.log.append(lane.notices)
	}
	b.movePins()
	for _, p := range b.freed {
		b.fillUp(p)
	}
}
