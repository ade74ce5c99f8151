// Package flight is a flight recorder: it notes what happened to keys, within a fixed amount of memory, and tells it again
// for one of them.
//
//   - Recorder: notes go into a ring of 24 bytes each. Nothing is kept for each key, so that the newest notes stay, whichever
//     keys they are of. Notes of trouble have a ring of their own, which the others cannot push them out of.
//   - Note: what is told.
//
// A key is known by its hash alone. Two keys with the same 64 bits would be told as one.
package flight

import (
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
	// Count is a number that goes with it, such as that of failures.
	Count uint16
}

// record is a Note at rest.
type record struct {
	hash  uint64
	at    int64  // nanoseconds since the recorder began
	took  uint32 // microseconds
	count uint16
	what  uint8
	from  uint8
}

const (
	recordSize = 24
	// stripes is a power of two. All notes of a key are in one stripe, in their order.
	stripes = 8
	// firstRecords is how many a ring of a stripe begins with.
	firstRecords = 32
)

// Recorder notes what happened to keys. It is safe for concurrent use.
type Recorder struct {
	began  time.Time
	budget func() int
	// limit is what the budget was when it was last asked for.
	limit   atomic.Int64
	stripes [stripes]stripe
}

type stripe struct {
	mu      sync.Mutex
	recent  ring
	trouble ring
	texts   texts
	// So that two stripes do not share a cache line.
	_ [64]byte
}

// New returns a recorder. Budget tells how many bytes it may take, and is asked when it is about to grow: seldom.
func New(budget func() int) *Recorder {
	r := &Recorder{began: time.Now(), budget: budget}
	r.ask()
	return r
}

// ask asks for the budget, and returns it.
func (r *Recorder) ask() int {
	limit := r.budget()
	r.limit.Store(int64(limit))
	return limit
}

// shares of the budget, in eighths.
const (
	recentShare  = 4
	troubleShare = 1
	textShare    = 3
)

// Add notes something of the key with a hash.
func (r *Recorder) Add(hash uint64, n Note) {
	s := &r.stripes[hash%stripes]
	rec := r.pack(hash, n)
	s.mu.Lock()
	s.recent.add(rec, r.ask, recentShare)
	s.mu.Unlock()
}

// AddTrouble is Add for what went wrong, in words.
func (r *Recorder) AddTrouble(hash uint64, n Note, text string) {
	s := &r.stripes[hash%stripes]
	rec := r.pack(hash, n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble.add(rec, r.ask, troubleShare)
	s.texts.put(hash, text, int(r.limit.Load())*textShare/8/stripes)
}

// Notes returns what is known of a key, the oldest first.
func (r *Recorder) Notes(hash uint64) []Note {
	s := &r.stripes[hash%stripes]
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := r.collect(nil, &s.recent, hash)
	notes = r.collect(notes, &s.trouble, hash)
	slices.SortStableFunc(notes, func(a, b Note) int { return a.At.Compare(b.At) })
	return notes
}

// Text returns the last words of trouble of a key, empty if there are none or they had to make room.
func (r *Recorder) Text(hash uint64) string {
	s := &r.stripes[hash%stripes]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts.get(hash)
}

// Size is how many bytes the recorder takes.
func (r *Recorder) Size() int {
	size := 0
	for i := range r.stripes {
		s := &r.stripes[i]
		s.mu.Lock()
		size += (len(s.recent.records)+len(s.trouble.records))*recordSize + s.texts.size
		s.mu.Unlock()
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
	return record{hash: hash, at: int64(n.At.Sub(r.began)), took: uint32(took), count: n.Count, what: n.What, from: n.From}
}

func (r *Recorder) unpack(rec *record) Note {
	return Note{
		At:    r.began.Add(time.Duration(rec.at)),
		Took:  time.Duration(rec.took) * time.Microsecond,
		What:  rec.what,
		From:  rec.from,
		Count: rec.count,
	}
}
