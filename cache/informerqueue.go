package cache

import (
	"slices"
	"sync"
)

// informerQueue is the DeltaFIFO of an informer as one of its reflectors sees it. A list brings only what the informer
// does not have already.
type informerQueue struct {
	*DeltaFIFO
	applier *applier
	codec   *codec
	// work is the goroutines of the informer's reflectors. It may be nil.
	work *sync.WaitGroup
	// within says which keys the lists of the reflector are about; nil means all.
	within func(key string) bool
	// number says which reflector it is that was the first, second and so on to bring a list; 0 if it has not. It belongs to
	// the lock of the DeltaFIFO.
	number int
	// queued is the version up to which everything from the reflector is queued, and applied one up to which it is in the store.
	// They are kept where the store has no version of its own, and belong to the same lock.
	queued, applied string
}

var _ refiller = (*informerQueue)(nil)

func (q *informerQueue) refill() refill {
	r := &queueRefill{queue: q}
	if q.transformer == nil { // which is called by one goroutine at a time, as users expect
		r.decoders = newDecoders(q.work)
	}
	return r
}

// Add is that of the DeltaFIFO.
func (q *informerQueue) Add(obj interface{}) error { return q.write(Added, obj) }

// Update is that of the DeltaFIFO.
func (q *informerQueue) Update(obj interface{}) error { return q.write(Updated, obj) }

// Delete is that of the DeltaFIFO.
func (q *informerQueue) Delete(obj interface{}) error { return q.write(Deleted, obj) }

// Bookmark is that of the DeltaFIFO.
func (q *informerQueue) Bookmark(resourceVersion string) error {
	err := q.DeltaFIFO.Bookmark(resourceVersion)
	q.reached(resourceVersion)
	return err
}

// write queues a change and notes how far the reflector is.
func (q *informerQueue) write(what DeltaType, obj any) error {
	version, versioned := "", false
	if q.unversioned {
		version, versioned = versionOf(obj) // before a transform has changed it
	}
	err := q.DeltaFIFO.write(what, obj)
	if err == nil && versioned {
		q.reached(version)
	}
	return err
}

func (q *informerQueue) reached(version string) {
	if !q.unversioned {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = version
}

// storeVersion is up to which version everything from the reflector is in the store. It may lag while much is queued.
func (q *informerQueue) storeVersion() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queue.len() == 0 && !q.applying {
		q.applied = q.queued
	}
	return q.applied
}

// Replace is for reflectors whose source hands out whole lists.
func (q *informerQueue) Replace(list []interface{}, resourceVersion string) error {
	r := &queueRefill{queue: q}
	for _, obj := range list {
		key, err := q.KeyOf(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		if err := r.add(&arrival{key: key, id: stampOf(obj), load: func() (any, error) { return obj, nil }}); err != nil {
			return err
		}
	}
	return r.commit(resourceVersion)
}

// queueRefill collects a new state. It holds what is new in it, and for the rest the objects that the informer has.
type queueRefill struct {
	queue *informerQueue
	// items is in pieces, so that what has been collected is never copied to make room for more.
	items [][]listedItem
	count int
	// unreadable are keys of which what there is stays.
	unreadable []string

	decoders *decoders // nil if the reflector decodes by itself
	mu       sync.Mutex
	failing  []UndecodableError // what decoders could not decode since settle was last called
	failures []UndecodableError // what they could not decode before
}

func (r *queueRefill) add(a *arrival) error {
	stored, have, ok := r.queue.applier.known(a.key)
	known := ok && have.same(a.id)
	if known && a.isHeld(stored) {
		r.put(listedItem{key: a.key, obj: stored, mark: a.id})
		return nil
	}
	if !known {
		stored = nil
	}
	if r.decoders != nil && a.raw != nil {
		it, raw := r.put(listedItem{key: a.key, mark: a.id}), a.raw.Clone()
		r.decoders.do(func() {
			obj, err := a.decode(raw)
			if err != nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.failing = append(r.failing, UndecodableError{Key: a.key, Err: err})
				return
			}
			r.finish(it, obj, stored)
		})
		return nil
	}
	obj, err := r.load(a.load)
	if err != nil {
		r.unreadable = append(r.unreadable, a.key)
		return err
	}
	it := listedItem{key: a.key, mark: a.id}
	r.finish(&it, obj, stored)
	r.put(it)
	return nil
}

// finish puts an object into an item, of which something is stored in the same version, or nil.
func (r *queueRefill) finish(it *listedItem, obj, stored any) {
	it.obj, it.restores = obj, stored != nil
	if it.restores && r.queue.codec.equal(stored, obj) {
		it.obj, it.restores = stored, false
	}
	packAway(it.obj) // a whole list of loose ones would take too much room
}

// settle waits for what is being decoded.
func (r *queueRefill) settle() {
	if r.decoders == nil {
		return
	}
	r.decoders.wait()
	if len(r.failing) == 0 {
		return
	}
	for _, f := range r.failing {
		r.unreadable = append(r.unreadable, f.Key)
	}
	r.failures, r.failing = append(r.failures, r.failing...), nil
	gone := func(it listedItem) bool { return it.obj == nil }
	for i, piece := range r.items {
		r.items[i] = slices.DeleteFunc(piece, gone)
	}
}

func (r *queueRefill) failed() []UndecodableError { return r.failures }

// The first piece of items is small, as many lists are; the others are as large as all before them, up to a limit.
const (
	firstPiece = 16
	mostPiece  = 4096
)

// put keeps an item, and returns where. It stays there until settle.
func (r *queueRefill) put(it listedItem) *listedItem {
	last := len(r.items) - 1
	if last < 0 || len(r.items[last]) == cap(r.items[last]) {
		r.items = append(r.items, make([]listedItem, 0, min(max(r.count, firstPiece), mostPiece)))
		last++
	}
	r.items[last] = append(r.items[last], it)
	r.count++
	return &r.items[last][len(r.items[last])-1]
}

// remove takes back what was added under a key, which is seldom: an object that is deleted while the rest still comes.
func (r *queueRefill) remove(key string) {
	r.settle()
	for i, piece := range r.items {
		r.items[i] = slices.DeleteFunc(piece, func(it listedItem) bool { return it.key == key })
	}
	r.unreadable = slices.DeleteFunc(r.unreadable, func(k string) bool { return k == key })
}

func (r *queueRefill) load(load func() (any, error)) (any, error) {
	obj, err := load()
	if transform := r.queue.transformer; err == nil && transform != nil {
		obj, err = transform(obj)
	}
	return obj, err
}

func (r *queueRefill) commit(version string) error {
	r.settle()
	f := r.queue.DeltaFIFO
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waitForRoom()
	f.waitForKnown()
	// Where nothing is queued or known, nothing can be missing.
	fresh := len(f.items.m) == 0 && r.queue.applier.table.Len() == 0
	if fresh {
		f.items.reserve(r.count)
	}
	queued := 0
	for _, piece := range r.items {
		for i := range piece {
			queued += r.enqueue(&piece[i])
		}
	}
	if !fresh {
		queued += f.deleteMissing(r.listed(), r.queue.within)
	}
	if r.queue.number == 0 {
		f.lists++
		r.queue.number = f.lists
	}
	f.replaced(version, queued)
	if version != "" {
		r.queue.queued = version
	}
	return nil
}

// enqueue queues an object of the list, if that is needed, and returns how many keys more are queued.
func (r *queueRefill) enqueue(it *listedItem) (more int) {
	f := r.queue.DeltaFIFO
	if f.items.m[it.key] == nil {
		// What was known when it was listed may have changed since, and the other way round.
		if _, have, ok := r.queue.applier.known(it.key); ok && have.same(it.mark) && !it.restores {
			return 0
		}
		more = 1
	}
	what := f.listed
	if it.restores {
		what = restored
	}
	f.append(it.key, Delta{what, it.obj}, it.mark)
	return more
}

// listed is the keys of all that is in the list.
func (r *queueRefill) listed() map[string]struct{} {
	listed := make(map[string]struct{}, r.count+len(r.unreadable))
	for _, piece := range r.items {
		for i := range piece {
			listed[piece[i].key] = struct{}{}
		}
	}
	for _, key := range r.unreadable {
		listed[key] = struct{}{}
	}
	return listed
}

// listedBy tells whether the list of the reflector was among the first so many.
func (q *informerQueue) listedBy(lists int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.number != 0 && q.number <= lists
}
