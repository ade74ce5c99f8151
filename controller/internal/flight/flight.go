// Package flight is a flight recorder: it records events of keys in a bounded amount of memory, and returns the events of
// one key.
//
//   - Recorder: all records, and the limit of their memory.
//   - Track: the records of one goroutine, 24 bytes each, in a ring. There is no state per key: the newest records stay, of
//     whichever keys, and writers do not wait for each other.
//   - Note: one record. Failures have a ring of their own, from which other records cannot displace them.
//
// A key is identified by its hash alone. Two keys with the same 64 bits are not distinguished.
package flight

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Note is an event of a key.
type Note struct {
	At time.Time
	// Took is its duration, up to about seventy minutes.
	Took time.Duration
	// Event and From are defined by the caller: the type of the event, and its origin.
	Event, From uint8
}

// record is a Note in a ring.
type record struct {
	hash  uint64
	at    int64  // nanoseconds since the recorder began
	took  uint32 // microseconds
	event uint8
	from  uint8
}

// Recorder records events of keys. It is safe for concurrent use.
type Recorder struct {
	began  time.Time
	budget func() int
	// limit is the last result of budget, asked the time of that call, and used the size of the rings of all tracks.
	limit, asked, used atomic.Int64

	mu     sync.Mutex
	tracks []*Track
	// failures and texts are for AddFailure.
	failures ring
	texts    texts
}

// Track receives notes. It is safe for concurrent use, and fastest if only one goroutine uses it.
type Track struct {
	recorder *Recorder
	mu       sync.Mutex
	ring     ring
	// So that two tracks do not share a cache line.
	_ [64]byte
}

// Shares of the budget, in eighths.
const (
	recentShare  = 4
	failureShare = 1
	textShare    = 3
)

// New returns a recorder. budget returns its limit in bytes, and is called before the recorder grows, at most once a second.
func New(budget func() int) *Recorder {
	r := &Recorder{began: time.Now(), budget: budget}
	r.ask()
	return r
}

// Track returns a new track.
func (r *Recorder) Track() *Track {
	t := &Track{recorder: r}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tracks = append(r.tracks, t)
	return t
}

// askEvery is the minimum time between two calls of budget, which may be expensive.
const askEvery = time.Second

// ask returns the budget.
func (r *Recorder) ask() int64 {
	now := int64(time.Since(r.began))
	if last := r.asked.Load(); last == 0 || now-last >= int64(askEvery) && r.asked.CompareAndSwap(last, now) {
		r.asked.CompareAndSwap(0, max(now, 1))
		r.limit.Store(int64(r.budget()))
	}
	return r.limit.Load()
}

// mayGrow reports whether the rings of tracks may take that many more bytes, and reserves them.
func (r *Recorder) mayGrow(bytes int) bool {
	if r.used.Add(int64(bytes)) <= r.ask()*recentShare/8 {
		return true
	}
	r.used.Add(-int64(bytes))
	return false
}

// mayGrowFailures reports whether the ring of failures may have that size.
func (r *Recorder) mayGrowFailures(size int) bool { return int64(size) <= r.ask()*failureShare/8 }

// Add records an event of the key with a hash.
func (t *Track) Add(hash uint64, n Note) {
	rec := t.recorder.pack(hash, n)
	t.mu.Lock()
	if t.ring.wantsToGrow() {
		if more := t.ring.growth(); t.ring.isEmpty() || t.recorder.mayGrow(more) {
			t.ring.grow()
		}
	}
	t.ring.add(rec)
	t.mu.Unlock()
}

// AddFailure records a failure and its message, in a ring of its own. If it was added to a track as well, Notes returns it once.
func (r *Recorder) AddFailure(hash uint64, n Note, words string) {
	rec := r.pack(hash, n)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failures.wantsToGrow() && (r.failures.isEmpty() || r.mayGrowFailures(r.failures.size()+r.failures.growth())) {
		r.failures.grow()
	}
	r.failures.add(rec)
	r.texts.put(hash, words, int(r.limit.Load())*textShare/8)
}

// Notes returns the events of a key, sorted by time and then by Event.
func (r *Recorder) Notes(hash uint64) []Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := r.collect(nil, &r.failures, hash)
	for _, t := range r.tracks {
		t.mu.Lock()
		notes = r.collect(notes, &t.ring, hash)
		t.mu.Unlock()
	}
	slices.SortFunc(notes, func(a, b Note) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Event, b.Event), cmp.Compare(a.From, b.From))
	})
	return slices.Compact(notes) // a failure may be on a track, too
}

// Text returns the message of the last failure of a key, or "" if there is none or it was evicted.
func (r *Recorder) Text(hash uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.texts.get(hash)
}

// Size returns the size of the recorder in bytes.
func (r *Recorder) Size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := r.failures.size() + r.texts.size
	for _, t := range r.tracks {
		t.mu.Lock()
		size += t.ring.size()
		t.mu.Unlock()
	}
	return size
}

func (r *Recorder) collect(notes []Note, from *ring, hash uint64) []Note {
	for rec := range from.each() {
		if rec.hash == hash {
			notes = append(notes, r.unpack(rec))
		}
	}
	return notes
}

func (r *Recorder) pack(hash uint64, n Note) record {
	took := min(max(n.Took.Microseconds(), 0), 1<<32-1)
	return record{hash: hash, at: int64(n.At.Sub(r.began)), took: uint32(took), event: n.Event, from: n.From}
}

func (r *Recorder) unpack(rec *record) Note {
	return Note{
		At:    r.began.Add(time.Duration(rec.at)),
		Took:  time.Duration(rec.took) * time.Microsecond,
		Event: rec.event,
		From:  rec.from,
	}
}
