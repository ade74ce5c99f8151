package timewheel

// bucket is a heap of cells in the plain sense of the word, in no order: whoever opens it goes through its memory from
// one end to the other, and not from timer to timer, each of which would be a cache miss.
type bucket struct {
	first *chunk
	min   int64 // no cell is due before
}

// chunk is a part of a bucket.
type chunk struct {
	next  *chunk // first in memory, so that the collector need not look at the rest
	n     int
	cells [chunkCells]cell
}

const (
	chunkCells = 15  // 256 bytes in all
	keepChunks = 256 // held for the next load, besides as many as the cells that are here would fill
)

func (b *bucket) add(c cell, spare *spareChunks) {
	if b.first == nil || b.first.n == chunkCells {
		b.grow(spare)
	}
	b.min = min(b.min, c.due)
	top := b.first
	top.cells[top.n] = c
	top.n++
}

func (b *bucket) grow(spare *spareChunks) {
	if b.first == nil {
		b.min = Never
	}
	next := spare.get()
	next.next, b.first = b.first, next
}

// each shows the cells of a chunk and those behind it.
func (k *chunk) each(visit func(cell)) {
	for ; k != nil; k = k.next {
		for _, c := range k.cells[:k.n] {
			visit(c)
		}
	}
}

// spareChunks holds chunks that no bucket uses.
type spareChunks struct {
	first *chunk
	n     int
}

func (s *spareChunks) get() *chunk {
	c := s.first
	if c == nil {
		return new(chunk)
	}
	s.first, c.next = c.next, nil
	s.n--
	return c
}

// putAll takes back a chunk and those behind it, whose cells count as gone, as long as there are fewer than most.
func (s *spareChunks) putAll(c *chunk, most int) {
	for c != nil && s.n < most { // the rest goes to the collector
		next := c.next
		c.n, c.next = 0, s.first
		s.first = c
		s.n++
		c = next
	}
	for s.n > most {
		s.first = s.first.next
		s.n--
	}
}
