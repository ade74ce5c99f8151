package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/object"
	"vedette.dev/internal/perturb"
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

	decoders *decoders                    // nil if the reflector decodes by itself
	failures []listwatch.UndecodableError // of decoders
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
	r := &relist{stream: t, listed: make(map[string]*pendingEvent, s.table.Len()/max(1, s.streamCount()))}
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

// Add takes an object of the list. An object that cannot be decoded is listed, and what the store has of it stays: its error is
// returned by Add, or by Failed.
func (r *relist) Add(a *listwatch.Item) error {
	t := r.stream
	s := t.informer
	routes := s.routes.Load()
	to, key := routes.only, a.Key
	if to == nil {
		env := envelopeOf(a.Key, a.Rev, a.Raw, a.Obj)
		if t.isUnexpected(&env) {
			return nil
		}
		if to = routes.find(t, &env); to == nil {
			return nil // if it is known, it will be missing
		}
		key = t.config.Prefix + a.Key
	}
	var stored any
	if obj, have, owner, ok := s.known(key); ok && have.Same(a.Rev) && owner == to {
		if a.IsHeld(obj) {
			r.Remove(a.Key)
			r.listed[key] = nil
			return nil
		}
		stored = obj
	}
	ev := r.put(pendingEvent{key: key, rev: a.Rev, stream: t, obj: a.Obj, to: to, by: routes, stored: stored})
	if a.Raw != nil {
		ev.size = int64(len(a.Raw.Bytes))
	}
	if r.decoders != nil && a.Raw != nil {
		raw := a.Raw.CloneInto(s.queue.buffer())
		r.decoders.do(func() {
			ev.obj, ev.err = a.Decode(raw)
			s.queue.release(raw)
			r.finish(ev)
		})
		return nil
	}
	ev.obj, ev.err = a.Load()
	r.finish(ev)
	return ev.err
}

// finish makes what is stored of an object that is decoded.
func (r *relist) finish(ev *pendingEvent) {
	s := r.stream.informer
	if ev.err == nil {
		ev.obj, ev.err = s.transformed(ev.obj)
	}
	if ev.err == nil && ev.stored != nil && s.codec.Equal(ev.stored, ev.obj) {
		ev.obj = ev.stored
	}
	codec.Compress(ev.obj) // a whole list of uncompressed ones would take too much room
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

// Remove removes what was added under a key.
func (r *relist) Remove(key string) {
	key = r.stream.config.Prefix + key
	if before := r.listed[key]; before != nil {
		before.replaced = true
	}
	delete(r.listed, key)
}

// Failed returns, after Commit, the objects that could not be decoded and whose errors Add has not returned.
func (r *relist) Failed() []listwatch.UndecodableError { return r.failures }

// wait waits for decoders, and notes what they could not decode.
func (r *relist) wait() {
	if r.decoders == nil {
		return
	}
	r.decoders.wait()
	for ev := range r.all() {
		if ev.err != nil && ev.size > 0 { // else the error was returned by Add
			r.failures = append(r.failures, listwatch.UndecodableError{Key: ev.bare(), Err: ev.err})
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

// Commit replaces all that the stream covers by what was added, as of a version.
func (r *relist) Commit(version string) error {
	t := r.stream
	r.wait()
	least := max(t.highest, t.notOlder)
	if order, known := object.Compare(version, fmt.Sprint(least)); known && least > 0 && order < 0 {
		return fmt.Errorf("the list is of version %s, but version %d is known already", version, least)
	}
	t.floors = nil
	t.informer.replace(r, version)
	return nil
}

// replace applies a list, one partition after the other.
func (s *Informer) replace(r *relist, version string) {
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
	perturb.Point()
	s.applyMu.Lock()
	s.overtake(t, version)
	s.applyMu.Unlock()
	for {
		routes, feeds := s.routes.Load(), t.feeds.Load()
		for _, id := range *feeds {
			if p := routes.partitions[id]; p != nil {
				perturb.Point()
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
	perturb.Point()
	s.listed(t)
}

// replaceIn applies the part of a list that is for one partition.
func (s *Informer) replaceIn(p *partition, r *relist, events []*pendingEvent, version string, at time.Time) {
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
	s.codec.NoteSize(s.table.Len())
	s.applyMu.Unlock()
	b.report()
	p.applied(len(events), bytes, at)
	s.processed(p, began)
}

// feeds reports whether a stream has objects for a partition, under applyMu.
func (s *Informer) feeds(t *Stream, p *partition) bool {
	return s.partition(p.config.ID) == p && slices.Contains(t.partitions(), p.config.ID)
}

// listed notes that a stream has brought a list.
func (s *Informer) listed(t *Stream) {
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

// decoders decode the objects of a list on several processors, beside the goroutine that reads the list. Each goroutine takes a bundle at
// a time: one for each object would have to grow its stack for each.
type decoders struct {
	work   *sync.WaitGroup // of the informer, which waits for it when it ends
	slots  chan struct{}   // has room for as many as may decode at the same time
	all    sync.WaitGroup
	bundle []func()
}

const bundleSize = 128

// newDecoders returns nil if there is one processor only: then the goroutine that reads decodes.
func newDecoders(work *sync.WaitGroup) *decoders {
	n := runtime.GOMAXPROCS(0)
	if n < 2 || work == nil {
		return nil
	}
	return &decoders{work: work, slots: make(chan struct{}, n)}
}

// do calls a function on another goroutine, or in wait. It waits while all processors are busy.
func (d *decoders) do(decode func()) {
	d.bundle = append(d.bundle, decode)
	if len(d.bundle) < bundleSize {
		return
	}
	bundle := d.bundle
	d.bundle = make([]func(), 0, bundleSize)
	d.slots <- struct{}{}
	d.all.Add(1)
	d.work.Go(func() {
		defer func() {
			<-d.slots
			d.all.Done()
		}()
		for _, decode := range bundle {
			decode()
		}
	})
}

// wait returns when everything is decoded.
func (d *decoders) wait() {
	for _, decode := range d.bundle {
		decode()
	}
	d.bundle = d.bundle[:0]
	d.all.Wait()
}
