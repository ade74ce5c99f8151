package engine

import (
	"slices"
	"sync"
	"time"

	"vedette.dev/internal/object"
	"vedette.dev/internal/shrink"
	"vedette.dev/rest"
)

// deltaQueue is the DeltaFIFO of an informer: what its reflectors have brought and the store does not have yet. Each
// partition has an inbox, which the goroutine of the partition empties. The policy of an inbox says what it keeps of a key
// that changes again before it is taken: all states, or only the newest.
//
// A key is in one inbox at a time. What comes while the key waits goes to the same inbox, whichever it is for, so that nothing is
// overtaken; so does what comes while the key is being applied, unless there is one inbox only.
type deltaQueue struct {
	buffers sync.Pool // of *[]byte
	events  sync.Pool // of *pendingEvent
	mu      sync.Mutex
	// Invariant: the keys that wait or, if events are coalesced, are being applied. A key that waits is in its inbox; one that is being
	// applied may have a next event.
	keys shrink.StringMap[*pendingEvent]
}

// pendingEvent is a change of a key on its way to the store.
type pendingEvent struct {
	key    string          // with the prefix of the stream
	rev    object.Revision // as it came, before a transform
	raw    *rest.Raw       // a copy; nil if obj is set
	obj    any
	stream *Stream
	epoch  uint64 // of the stream
	at     int64  // when the first of the events came that were coalesced into this one, as UnixNano; 0 if the inbox has the time

	// to is the partition that the routes in by name; nil if that has not been looked up.
	to *partition
	by *routes
	// err is why the object cannot be decoded.
	err error
	// size is the number of bytes that came.
	size int64
	// stored is, in a list, the object that the store has in the same version, but that a program may have written to.
	stored any
	// row is where the batch has the values of the object in the indexes, from 1 on; 0 if it does not have them.
	row int32
	// deleted says that the object was deleted, or has left its stream.
	deleted bool
	// replaced says, in a list, that the object came again.
	replaced bool
	taken    bool

	// beneath is a deletion that another stream has brought, and that counts if this event does not.
	beneath *pendingEvent
	// later is the next state of the key in an inbox that keeps all, and newest the last of them, in the first.
	later, newest *pendingEvent

	inbox *inbox
	next  *pendingEvent // what came while it was being applied
}

// bare returns the key without the prefix of the stream.
func (ev *pendingEvent) bare() string { return ev.key[len(ev.stream.config.Prefix):] }

// storable reports whether the object of an event may be stored.
func (ev *pendingEvent) storable() bool { return ev.err == nil && !ev.deleted }

// stays reports whether the store has the object of an event already, in memory that no program has written to.
func (ev *pendingEvent) stays() bool { return ev.stored != nil && object.Identical(ev.obj, ev.stored) }

// last returns the newest state of the key that came with the event.
func (ev *pendingEvent) last() *pendingEvent {
	if ev.newest != nil {
		return ev.newest
	}
	return ev
}

// newEvent returns an empty event.
func (q *deltaQueue) newEvent() *pendingEvent {
	if ev, ok := q.events.Get().(*pendingEvent); ok {
		return ev
	}
	return &pendingEvent{}
}

// largestBuffer is the size of the largest buffer that is used again.
const largestBuffer = 64 << 10

// buffer returns a buffer for the bytes of an event.
func (q *deltaQueue) buffer() []byte {
	if kept, ok := q.buffers.Get().(*[]byte); ok {
		return *kept
	}
	return nil
}

// release puts the buffer of a decoded object back into the pool: decoding has copied what the object keeps.
func (q *deltaQueue) release(raw *rest.Raw) {
	if cap(raw.Bytes) <= largestBuffer {
		buffer := raw.Bytes
		raw.Bytes = nil
		q.buffers.Put(&buffer)
	}
}

// inbox is the part of a deltaQueue for one partition: keys in the order in which they first changed.
type inbox struct {
	// keepAll is the policy: each state of a key is kept, or only the newest. An inbox that keeps all is the only one of its queue, and
	// is emptied as a whole.
	keepAll bool

	keys   shrink.Queue[*pendingEvent]
	spare  []*pendingEvent // the memory of what was taken last
	some   *sync.Cond      // there is something to take, or the inbox is closed
	change *sync.Cond      // something was taken or applied, or the inbox was closed
	closed bool
	// count is the number of events that wait, and since is when the first of them came.
	count int
	since int64 // as UnixNano
	// added and applied count the events that were put in, and those of them that are applied.
	added, applied uint64
	// version is that of the last event or bookmark, and moved says that a bookmark came after what was taken last.
	version string
	moved   bool
	// moving says that a bookmark is not applied.
	moving bool
	// coalesced is the number of events that were coalesced with another.
	coalesced uint64
}

func newDeltaQueue() *deltaQueue { return &deltaQueue{} }

func (q *deltaQueue) newInbox() *inbox {
	return &inbox{some: sync.NewCond(&q.mu), change: sync.NewCond(&q.mu)}
}

// put adds an event to an inbox. If most is not zero, it waits while so many events are in the inbox, unless stop returns true
// and the inbox was woken: then it goes on, so that nothing is dropped. It reports false if the inbox is closed.
func (q *deltaQueue) put(ev *pendingEvent, in *inbox, most int, stop func() bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for most > 0 && in.count >= most && !in.closed && !stop() {
		in.change.Wait()
	}
	before := q.keys.Get(ev.key)
	if before == nil && in.closed {
		return false
	}
	if before == nil {
		q.push(ev, in)
		in.counts(ev, 1)
		return true
	}
	ev.inbox = before.inbox
	switch {
	case !before.taken:
		before.join(ev)
	case before.next == nil:
		before.next = ev
		ev.inbox.counts(ev, 1)
	default:
		before.next.join(ev)
	}
	return true
}

func (q *deltaQueue) push(ev *pendingEvent, in *inbox) {
	ev.inbox = in
	q.keys.Put(ev.key, ev)
	in.keys.Push(ev)
	if in.keys.Len() == 1 {
		in.some.Signal()
	}
}

// counts counts an event that came, and the number of events that wait in addition.
func (in *inbox) counts(ev *pendingEvent, more int) {
	if in.count == 0 {
		if ev.at == 0 {
			ev.at = time.Now().UnixNano()
		}
		in.since = ev.at
	}
	in.count += more
	in.added += uint64(more)
	if ev.rev.Version != "" {
		in.version = ev.rev.Version
	}
	ev.stream.pending += more
}

// join adds a newer event to one that waits, as the policy of the inbox says.
func (ev *pendingEvent) join(n *pendingEvent) {
	if !ev.inbox.keepAll {
		ev.coalesce(n)
		return
	}
	last := ev.last()
	if last.storable() && n.storable() && last.rev.Same(n.rev) {
		ev.inbox.counts(n, 0) // it came twice
		return
	}
	last.later, ev.newest = n, n
	ev.inbox.counts(n, 1)
}

// coalesce replaces an event that waits by a newer one of the same key.
func (ev *pendingEvent) coalesce(n *pendingEvent) {
	ev.inbox.coalesced++
	if !n.supersedes(ev) {
		ev.keepBeneath(n)
		return
	}
	if n.stream != ev.stream {
		before := *ev
		ev.keepBeneath(&before)
		ev.stream.pending--
		n.stream.pending++
	}
	ev.deleted, ev.rev, ev.raw, ev.obj, ev.stream, ev.epoch = n.deleted, n.rev, n.raw, n.obj, n.stream, n.epoch
	ev.to, ev.by = n.to, n.by
}

// keepBeneath keeps an event that counts for less than ev if it is a deletion of another stream. It may be the only
// report of the deletion: ev does not count any more when its stream has brought a list.
func (ev *pendingEvent) keepBeneath(older *pendingEvent) {
	if !older.deleted {
		return
	}
	at := &ev.beneath
	for *at != nil && (*at).stream != older.stream {
		at = &(*at).beneath
	}
	if *at != nil { // the last one of each stream is enough
		*at = (*at).beneath
	}
	older.beneath, older.inbox, older.next = ev.beneath, nil, nil
	ev.beneath = older
}

// supersedes reports whether an event is newer than one that came before. Within a stream what comes later is. Of two streams
// one may be behind: then versions tell, and an object that left one of them for the other is there.
func (ev *pendingEvent) supersedes(before *pendingEvent) bool {
	if ev.stream == before.stream {
		return true
	}
	order, known := object.Compare(ev.rev.Version, before.rev.Version)
	switch {
	case !known:
		return true
	case order == 0:
		return !ev.deleted
	}
	return order > 0
}

// take waits until there is something, and takes events of at most so many keys, or of all if the inbox keeps all, with the
// version that the store is at when they are applied. After a bookmark there may be a version and no event. It reports false when
// the inbox is closed and empty.
func (q *deltaQueue) take(in *inbox, most int) (events []*pendingEvent, version string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for in.keys.Len() == 0 && !in.moved && !in.closed {
		in.some.Wait()
	}
	n := min(most, in.keys.Len())
	if n == 0 && !in.moved {
		return nil, "", false
	}
	if in.keepAll {
		events = in.keys.Swap(in.spare)
		in.spare = nil
		q.keys.Clear()
		in.count = 0
	} else {
		events = slices.Clone(in.keys.All()[:n])
		in.keys.Drop(n)
		in.count -= n
		for _, ev := range events {
			ev.taken = true
		}
		if in.keys.Len() > 0 {
			in.since = in.keys.All()[0].at
		}
	}
	in.moved = false
	in.change.Broadcast()
	return events, in.version, true
}

// done notes that events are applied.
func (q *deltaQueue) done(in *inbox, events []*pendingEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, ev := range events {
		for more := ev; more != nil; more = more.later {
			in.applied++
			more.stream.pending--
		}
		if in.keepAll {
			q.reuse(ev)
			continue
		}
		if next := ev.next; next != nil {
			q.push(next, in)
		} else {
			q.keys.Delete(ev.key)
		}
	}
	in.moving = in.moved
	if in.keepAll && cap(events) <= 2*defaultPending {
		clear(events)
		in.spare = events[:0]
	}
	in.change.Broadcast()
}

// reuse lets newEvent return the events of a key that were applied.
func (q *deltaQueue) reuse(ev *pendingEvent) {
	for ev != nil {
		later := ev.later
		*ev = pendingEvent{}
		q.events.Put(ev)
		ev = later
	}
}

// bookmark notes that everything up to a version was put into an inbox.
func (q *deltaQueue) bookmark(in *inbox, version string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	in.version, in.moved, in.moving = version, true, true
	in.some.Signal()
}

// drain waits until everything is applied that was put into an inbox before, or the inbox is closed.
func (q *deltaQueue) drain(in *inbox) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for added := in.added; (in.applied < added || in.moving) && !in.closed; {
		in.change.Wait()
	}
}

// isPending reports whether something of a key is not applied.
func (q *deltaQueue) isPending(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.keys.Get(key) != nil
}

// applied returns the version up to which everything that a stream has brought is applied, given the version up to which it was
// put into the queue. It may lag while there is much to apply.
func (q *deltaQueue) applied(t *Stream, received string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.pending == 0 {
		t.version = received
	}
	return t.version
}

// streams returns the streams of all that is not applied.
func (q *deltaQueue) streams() map[*Stream]struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := map[*Stream]struct{}{}
	for _, ev := range q.keys.All() {
		for _, first := range []*pendingEvent{ev, ev.next} {
			for at := first; at != nil; at = at.beneath {
				out[at.stream] = struct{}{}
			}
		}
	}
	return out
}

// close lets put and take return. What is in the inbox can still be taken.
func (q *deltaQueue) close(in *inbox) {
	q.mu.Lock()
	defer q.mu.Unlock()
	in.closed = true
	in.some.Broadcast()
	in.change.Broadcast()
}

// end closes an inbox when the informer ends. What is in it is forgotten, unless the inbox keeps all.
func (q *deltaQueue) end(in *inbox) {
	q.close(in)
	if in.keepAll {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, ev := range in.keys.Take() {
		q.keys.Delete(ev.key)
	}
	in.count = 0
}

// wake makes the goroutines that wait for room in an inbox call their stop function.
func (q *deltaQueue) wake(in *inbox) {
	q.mu.Lock()
	defer q.mu.Unlock()
	in.change.Broadcast()
}

// waiting returns the number of events that wait, when the first of them came, and how many were coalesced.
func (q *deltaQueue) waiting(in *inbox) (n int, since time.Time, coalesced uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if in.count > 0 {
		since = time.Unix(0, in.since)
	}
	return in.count, since, in.coalesced
}
