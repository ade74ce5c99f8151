// Package flight is a flight recorder: it notes what happened to keys, within a fixed amount of memory, and tells it again
// for one of them.
//
//   - Recorder: what is known, and how much memory it may take.
//   - Track: where one goroutine puts its notes, 24 bytes each, in a ring. Nothing is kept for each key, so that the newest notes
//     stay, whichever keys they are of; and nobody waits for another who writes.
//   - Note: what is told. Notes of trouble have a ring of their own, which the others cannot push them out of.
//
// A key is known by its hash alone. Two keys with the same 64 bits would be told as one.
package flight

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Note is one thing that happened to a key.
type Note struct {
	At time.Time
	// Took is how long it took, up to some seventy minutes.
	Took time.Duration
	// What and From are the caller's: what happened, and where it came from.
	What, From uint8
}

// record is a Note at rest.
type record struct {
	hash uint64
	at   int64  // nanoseconds since the recorder began
	took uint32 // microseconds
	what uint8
	from uint8
}

// Recorder notes what happened to keys. It is safe for concurrent use.
type Recorder struct {
	began  time.Time
	budget func() int
	// limit is what the budget was when it was last asked for, asked when that was, and used what the rings of all tracks take.
	limit, asked, used atomic.Int64

	mu     sync.Mutex
	tracks []*Track
	// What follows is for trouble.
	trouble ring
	texts   texts
}

// Track is where notes are put. One that is used by one goroutine is quick; it is safe for any number.
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
	troubleShare = 1
	textShare    = 3
)

// New returns a recorder. Budget tells how many bytes it may take, and is asked when it is about to grow, once a second at most.
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

// askEvery is how often the budget is asked for at most: who knows it may have to look at a lot.
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

// mayGrow tells whether the rings of tracks may take so many bytes more, and takes note if they may.
func (r *Recorder) mayGrow(bytes int) bool {
	if r.used.Add(int64(bytes)) <= r.ask()*recentShare/8 {
		return true
	}
	r.used.Add(-int64(bytes))
	return false
}

// mayGrowTrouble is mayGrow for the ring of trouble, which would then be so large.
func (r *Recorder) mayGrowTrouble(size int) bool { return int64(size) <= r.ask()*troubleShare/8 }

// Add notes something of the key with a hash.
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

// AddTrouble notes what went wrong, in words, where it outlives what goes well. It may be put on a track as well, and is told once.
func (r *Recorder) AddTrouble(hash uint64, n Note, words string) {
	rec := r.pack(hash, n)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trouble.wantsToGrow() && (r.trouble.isEmpty() || r.mayGrowTrouble(r.trouble.size()+r.trouble.growth())) {
		r.trouble.grow()
	}
	r.trouble.add(rec)
	r.texts.put(hash, words, int(r.limit.Load())*textShare/8)
}

// Notes returns what is known of a key, the oldest first, and of the same moment the smallest What.
func (r *Recorder) Notes(hash uint64) []Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := r.collect(nil, &r.trouble, hash)
	for _, t := range r.tracks {
		t.mu.Lock()
		notes = r.collect(notes, &t.ring, hash)
		t.mu.Unlock()
	}
	slices.SortFunc(notes, func(a, b Note) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.What, b.What), cmp.Compare(a.From, b.From))
	})
	return slices.Compact(notes) // trouble may be on a track, too
}

// Text returns the last words of trouble of a key, empty if there are none or they had to make room.
func (r *Recorder) Text(hash uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.texts.get(hash)
}

// Size is how many bytes the recorder takes.
func (r *Recorder) Size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := r.trouble.size() + r.texts.size
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
	return record{hash: hash, at: int64(n.At.Sub(r.began)), took: uint32(took), what: n.What, from: n.From}
}

func (r *Recorder) unpack(rec *record) Note {
	return Note{
		At:   r.began.Add(time.Duration(rec.at)),
		Took: time.Duration(rec.took) * time.Microsecond,
		What: rec.what,
		From: rec.from,
	}
}
