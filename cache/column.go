package cache

import "sync/atomic"

// chunkRows is a compromise: what a writer copies when a reader is using a chunk, against what it copies of the spine.
const chunkRows = 256

// column is a dense array that readers copy while a writer goes on: they take its spine under the read lock, in no time,
// and read it without any lock. A writer that finds a part in use puts a copy in its place and leaves the old to them.
// The zero value is empty. Methods that change it are called under the write lock, after sharing.begin.
type column[E any] struct {
	// Invariant: all chunks but the last have chunkRows rows, the last has at least one.
	spine []chunk[E]
	n     int
	epoch uint64 // when this spine was made
}

type chunk[E any] struct {
	rows  []E
	epoch uint64 // when these rows were made
}

// at returns row i.
func (c *column[E]) at(i uint32) E { return c.spine[i/chunkRows].rows[i%chunkRows] }

// set changes row i.
func (c *column[E]) set(i uint32, v E, s *sharing) {
	c.own(i/chunkRows, s)[i%chunkRows] = v
}

// push adds a row at the end.
func (c *column[E]) push(v E, s *sharing) {
	c.ownSpine(s)
	last := c.n / chunkRows
	if last == len(c.spine) {
		c.spine = append(c.spine, chunk[E]{epoch: s.epoch})
	}
	c.own(uint32(last), s)
	k := &c.spine[last]
	k.rows = append(k.rows, v)
	c.n++
}

// swapRemove takes row i out and puts the last one in its place, which it returns unless i was the last.
func (c *column[E]) swapRemove(i uint32, s *sharing) (moved E, ok bool) {
	last := uint32(c.n - 1)
	if i != last {
		moved, ok = c.at(last), true
		c.set(i, moved, s)
	}
	c.pop(s)
	return moved, ok
}

// pop takes out the last row, and gives memory back when much of it is unused.
func (c *column[E]) pop(s *sharing) {
	c.ownSpine(s)
	last := len(c.spine) - 1
	rows := c.own(uint32(last), s)
	clear(rows[len(rows)-1:])
	rows = rows[:len(rows)-1]
	c.n--
	switch {
	case len(rows) == 0:
		c.spine[last] = chunk[E]{}
		c.spine = shrunk(c.spine[:last])
	case last == 0:
		c.spine[0].rows = shrunk(rows)
	default:
		c.spine[last].rows = rows
	}
}

// own returns the rows of a chunk, which may be written from now on.
func (c *column[E]) own(chunk uint32, s *sharing) []E {
	k := &c.spine[chunk]
	if !s.owns(k.epoch) {
		c.ownSpine(s)
		k = &c.spine[chunk]
		rows := make([]E, len(k.rows), cap(k.rows))
		copy(rows, k.rows)
		k.rows, k.epoch = rows, s.epoch
	}
	return k.rows
}

func (c *column[E]) ownSpine(s *sharing) {
	if !s.owns(c.epoch) {
		spine := make([]chunk[E], len(c.spine), len(c.spine)+1)
		copy(spine, c.spine)
		c.spine, c.epoch = spine, s.epoch
	}
}

// shrunk moves a slice that uses less than a quarter of its room.
func shrunk[E any](in []E) []E {
	if cap(in) <= 16 || len(in)*4 >= cap(in) {
		return in
	}
	return append(make([]E, 0, 2*len(in)), in...)
}

// sharing knows which parts of columns readers may be using. Parts are stamped with the epoch of the write that made
// them.
type sharing struct {
	readers atomic.Int64  // views in use
	viewed  atomic.Uint64 // the epoch in which the latest view was taken
	epoch   uint64        // of the latest write
	frozen  uint64        // parts made up to this epoch may be in a view
	alone   bool          // no view is in use
	turns   turns         // of those who copy from views
}

// enter is called under the read lock by a reader that will go on without it.
func (s *sharing) enter() {
	s.readers.Add(1)
	s.viewed.Store(s.epoch)
}

// leave is called when the reader is done.
func (s *sharing) leave() { s.readers.Add(-1) }

// begin starts a write. New readers cannot enter until it is over, and those who leave meanwhile only make it too
// careful.
func (s *sharing) begin() {
	s.epoch++
	s.frozen = s.viewed.Load()
	s.alone = s.readers.Load() == 0
}

func (s *sharing) owns(epoch uint64) bool { return s.alone || epoch > s.frozen }
