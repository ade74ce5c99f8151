package cache

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// relist is a new state of all that a stream covers. Objects that the store has in the same revision, and that no program has written
// to, are not decoded.
type relist struct {
	stream *Stream
	// listed has every object of the list: its event, or nil if what is stored stays.
	listed map[string]*pendingEvent
	// events are those of listed, in the order in which they came. They lie in pieces, so that a long list is not copied to make room.
	events [][]pendingEvent
	count  int

	decoders *decoders          // nil if the reflector decodes by itself
	failures []UndecodableError // of decoders
}

// The first piece of events is small, as many lists are; the others are as large as all before them, up to a limit.
const (
	firstPiece = 16
	mostPiece  = 4096
)

// newRelist begins a list. What the stream has brought before is applied first, where every state of an object counts.
func newRelist(t *Stream) *relist {
	s := t.informer
	// Most of what is stored is in the list again.
	r := &relist{stream: t, listed: make(map[string]*pendingEvent, s.indexer.table.Len()/max(1, s.streamCount()))}
	if s.only != nil {
		s.queue.drain(s.only.inbox)
	}
	// A transform is called by one goroutine at a time, as users expect. The partitions of a stream that they share call it at the same
	// time in any case.
	if t.config.Shared || s.only != nil && s.transforming == nil {
		r.decoders = newDecoders(&s.work)
	}
	return r
}

// add takes an object of the list. An object that cannot be decoded is listed, and what the store has of it stays: its error is
// returned by add, or by failed.
func (r *relist) add(a *listItem) error {
	t := r.stream
	s := t.informer
	routes := s.routes.Load()
	to, key := routes.only, a.key
	if to == nil {
		env := envelopeOf(a.key, a.rev, a.raw, a.obj)
		if t.stranger(&env) {
			return nil
		}
		if to = routes.find(t, &env); to == nil {
			return nil // if it is known, it will be missing
		}
		key = t.config.Prefix + a.key
	}
	var stored any
	if obj, have, owner, ok := s.known(key); ok && have.same(a.rev) && owner == to {
		if a.isHeld(obj) {
			r.remove(a.key)
			r.listed[key] = nil
			return nil
		}
		stored = obj
	}
	ev := r.put(pendingEvent{key: key, rev: a.rev, stream: t, obj: a.obj, to: to, by: routes, stored: stored})
	if a.raw != nil {
		ev.size = int64(len(a.raw.Bytes))
	}
	if r.decoders != nil && a.raw != nil {
		raw := a.raw.CloneInto(s.queue.buffer())
		r.decoders.do(func() {
			ev.obj, ev.err = a.decode(raw)
			s.queue.release(raw)
			r.finish(ev)
		})
		return nil
	}
	ev.obj, ev.err = a.load()
	r.finish(ev)
	return ev.err
}

// finish makes what is stored of an object that is decoded.
func (r *relist) finish(ev *pendingEvent) {
	s := r.stream.informer
	if ev.err == nil {
		ev.obj, ev.err = s.transformed(ev.obj)
	}
	if ev.err == nil && ev.stored != nil && s.codec.equal(ev.stored, ev.obj) {
		ev.obj = ev.stored
	}
	packAway(ev.obj) // a whole list of uncompressed ones would take too much room
}

// put keeps an event, and returns where it is.
func (r *relist) put(ev pendingEvent) *pendingEvent {
	if before := r.listed[ev.key]; before != nil {
		before.replaced = true
	}
	last := len(r.events) - 1
	if last < 0 || len(r.events[last]) == cap(r.events[last]) {
		r.events = append(r.events, make([]pendingEvent, 0, min(max(r.count, firstPiece), mostPiece)))
		last++
	}
	r.events[last] = append(r.events[last], ev)
	r.count++
	at := &r.events[last][len(r.events[last])-1]
	r.listed[ev.key] = at
	return at
}

// remove takes back what was added under a key.
func (r *relist) remove(key string) {
	key = r.stream.config.Prefix + key
	if before := r.listed[key]; before != nil {
		before.replaced = true
	}
	delete(r.listed, key)
}

// failed returns, after commit, the objects that could not be decoded and whose errors add has not returned.
func (r *relist) failed() []UndecodableError { return r.failures }

// wait waits for decoders, and notes what they could not decode.
func (r *relist) wait() {
	if r.decoders == nil {
		return
	}
	r.decoders.wait()
	for ev := range r.all() {
		if ev.err != nil && ev.size > 0 { // else the error was returned by add
			r.failures = append(r.failures, UndecodableError{Key: ev.bare(), Err: ev.err})
		}
	}
}

// all calls yield with each event that was not replaced by another.
func (r *relist) all() func(yield func(*pendingEvent) bool) {
	return func(yield func(*pendingEvent) bool) {
		for _, piece := range r.events {
			for i := range piece {
				if ev := &piece[i]; !ev.replaced && !yield(ev) {
					return
				}
			}
		}
	}
}

// commit replaces all that the stream covers by what was added, as of a version.
func (r *relist) commit(version string) error {
	t := r.stream
	r.wait()
	if order, known := compareVersions(version, fmt.Sprint(t.highest)); known && t.highest > 0 && order < 0 {
		return fmt.Errorf("the list is of version %s, but version %d is known already", version, t.highest)
	}
	t.floors = nil
	t.informer.replace(r, version)
	return nil
}

// replace applies a list, one partition after the other.
func (s *informer) replace(r *relist, version string) {
	t, at := r.stream, time.Now()
	epoch := t.epoch.Add(1)
	byPartition := map[*partition][]*pendingEvent{}
	for ev := range r.all() {
		ev.epoch = epoch
		list := byPartition[ev.to]
		if list == nil {
			list = make([]*pendingEvent, 0, r.count/len(t.partitions())+1)
		}
		byPartition[ev.to] = append(list, ev)
	}
	s.applyMu.Lock()
	s.overtake(t, version)
	s.applyMu.Unlock()
	for {
		routes, feeds := s.routes.Load(), t.feeds.Load()
		for _, id := range *feeds {
			if p := routes.partitions[id]; p != nil {
				s.replaceIn(p, r, byPartition[p], version, at)
				delete(byPartition, p)
			}
		}
		if s.routes.Load() == routes && t.feeds.Load() == feeds {
			break
		}
		// Objects may have moved to a partition in which nothing was looked for that is missing in the list.
	}
	for p, events := range byPartition { // which the stream does not feed any more
		s.replaceIn(p, r, events, version, at)
	}
	s.listed(t)
}

// replaceIn applies the part of a list that is for one partition.
func (s *informer) replaceIn(p *partition, r *relist, events []*pendingEvent, version string, at time.Time) {
	began, t := time.Now(), r.stream
	p.applying.Lock()
	defer p.applying.Unlock()
	b := p.newBatch(len(events))
	defer p.keep(b)
	b.lockFor(events)
	b.setVersion(version)
	b.initial = !p.isSynced()
	if s.feeds(t, p) { // else its objects are those of other streams
		b.missing(p, r, version)
	}
	bytes := int64(0)
	for _, ev := range events {
		bytes += ev.size
		if ev.err == nil {
			b.follow(ev)
		}
	}
	b.commit()
	s.codec.noteSize(s.indexer.table.Len())
	s.applyMu.Unlock()
	b.report()
	p.applied(len(events), bytes, at)
	s.processed(p, began)
}

// feeds reports whether a stream has objects for a partition, under applyMu.
func (s *informer) feeds(t *Stream, p *partition) bool {
	return s.partition(p.config.ID) == p && slices.Contains(t.partitions(), p.config.ID)
}

// listed notes that a stream has brought a list.
func (s *informer) listed(t *Stream) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
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

// streamStore is a Stream as its reflector sees it.
type streamStore struct{ *Stream }

var (
	_ ReflectorStore         = streamStore{}
	_ ReflectorBookmarkStore = streamStore{}
	_ relister               = streamStore{}
	_ frameTaker             = streamStore{}
)

func (t streamStore) relist() storeRelist { return newRelist(t.Stream) }

// Bookmark notes that everything up to a version was brought.
func (t streamStore) Bookmark(resourceVersion string) error {
	if s := t.informer; s.versioned {
		s.queue.bookmark(s.only.inbox, resourceVersion)
	}
	return nil
}

// The others are there because a ReflectorStore has them: a reflector calls take and relist instead.

func (t streamStore) Add(obj interface{}) error {
	return t.take(&event{what: watch.Added, object: obj})
}

func (t streamStore) Update(obj interface{}) error {
	return t.take(&event{what: watch.Modified, object: obj})
}

func (t streamStore) Delete(obj interface{}) error {
	return t.take(&event{what: watch.Deleted, object: obj})
}

func (t streamStore) Replace(list []interface{}, resourceVersion string) error {
	r := t.relist()
	for _, obj := range list {
		key, err := MetaNamespaceKeyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		if err := r.add(&listItem{key: key, rev: revisionOf(obj), obj: obj, load: func() (any, error) { return obj, nil }}); err != nil {
			return err
		}
	}
	return r.commit(resourceVersion)
}

func (t streamStore) Resync() error { return nil } // partitions do it
