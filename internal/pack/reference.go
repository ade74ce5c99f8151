package pack

import (
	"container/list"
	"sync/atomic"
)

// reference is an object from which others are copied. Those hold it, and when nobody does any more it is gone.
type reference struct {
	// data is how to make the reference of base.
	data string
	// base has the bytes of a root, which is a reference that is made of nothing. It is nil if this is a root. So it
	// takes two steps at most to make an object.
	base []byte

	// hot is the reference ready to be copied from, while a shelf has it. A shelf takes it back at any time.
	hot atomic.Pointer[window]

	// The packer's lock guards these. place is where shelf has it; both are nil if no shelf does. round is that of the
	// shelf when it was last used there. missed is when it was made, or last looked for and not on a shelf, on the
	// packer's clock.
	place  *list.Element
	shelf  *shelf
	round  int64
	missed int64

	wear wear
}

// fill makes w a window of the reference, in the memory that w has as far as that suffices.
func (r *reference) fill(w *window) error {
	b, err := unpack(w.bytes[:0], r.base, r.data, true)
	if err != nil {
		return err
	}
	w.fill(b)
	return nil
}

// shelf keeps the windows of those references that were used last, as far as they fit. The packer's lock guards it.
type shelf struct {
	recent   list.List // of *reference, the last used first
	size     int       // of the windows
	maxSize  int
	maxCount int
	round    int64 // counts trims
}

// put takes a reference, or makes it the last used if it has it already. It returns the window that is in use, which
// is not the given one if somebody else made one in the meantime.
func (s *shelf) put(r *reference, w *window) *window {
	if r.shelf != nil {
		r.shelf.recent.MoveToFront(r.place)
		r.round = r.shelf.round
		return r.hot.Load()
	}
	r.hot.Store(w)
	r.shelf, r.place, r.round = s, s.recent.PushFront(r), s.round
	s.size += w.size()
	for s.recent.Len() > 1 && (s.size > s.maxSize || s.recent.Len() > s.maxCount) {
		s.drop(s.recent.Back().Value.(*reference))
	}
	return w
}

// capacity is about how many references find room.
func (s *shelf) capacity() int64 {
	return int64(s.recent.Len()) * int64(s.maxSize) / int64(max(s.size, 1))
}

// trim lets go of those that were not used since the last time but one, down to a size.
func (s *shelf) trim(size int) {
	for s.size > size {
		r := s.recent.Back().Value.(*reference)
		if s.round-r.round < 2 {
			break
		}
		s.drop(r)
	}
	s.round++
}

func (s *shelf) drop(r *reference) {
	s.recent.Remove(r.place)
	s.size -= r.hot.Swap(nil).size()
	r.shelf, r.place = nil, nil
}

// first appends the n last used to out.
func (s *shelf) first(n int, out []candidate) []candidate {
	for e := s.recent.Front(); e != nil && n > 0; e, n = e.Next(), n-1 {
		r := e.Value.(*reference)
		out = append(out, candidate{r, r.hot.Load()})
	}
	return out
}

// candidate is a reference that may serve, with its window: the shelf may take that back while somebody looks at it.
type candidate struct {
	ref    *reference
	window *window
}
