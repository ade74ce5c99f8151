package table

// chunkLen is the length of a chunk. A writer copies one chunk when a view is using it, and the list of chunks: longer
// chunks make the former dearer, shorter ones the latter.
const chunkLen = 256

// vector is a dense array with copy-on-write: a reader takes its list of chunks under the read lock, in constant time, and
// reads it without a lock. A writer that finds a part in use by a view replaces it by a copy.
//
// The zero value is empty. Methods that change a vector are called under the write lock, after epochs.beginWrite.
type vector[E any] struct {
	// Invariant: all chunks but the last have chunkLen elements, the last has at least one.
	chunks []chunk[E]
	n      int
	epoch  uint64 // of the write that made this list of chunks
}

type chunk[E any] struct {
	elems []E
	epoch uint64 // of the write that made elems
}

// at returns element i.
func (v *vector[E]) at(i uint32) E { return v.chunks[i/chunkLen].elems[i%chunkLen] }

// set replaces element i.
func (v *vector[E]) set(i uint32, elem E, ep *epochs) {
	v.own(i/chunkLen, ep)[i%chunkLen] = elem
}

// push appends an element.
func (v *vector[E]) push(elem E, ep *epochs) {
	v.ownChunks(ep)
	last := v.n / chunkLen
	if last == len(v.chunks) {
		v.chunks = append(v.chunks, chunk[E]{epoch: ep.current})
	}
	v.own(uint32(last), ep)
	c := &v.chunks[last]
	c.elems = append(c.elems, elem)
	v.n++
}

// swapRemove removes element i and moves the last element to its place. It returns the element that it moved, and false if
// i was the last.
func (v *vector[E]) swapRemove(i uint32, ep *epochs) (moved E, ok bool) {
	last := uint32(v.n - 1)
	if i != last {
		moved, ok = v.at(last), true
		v.set(i, moved, ep)
	}
	v.pop(ep)
	return moved, ok
}

// pop removes the last element, and gives memory back when most of it is unused.
func (v *vector[E]) pop(ep *epochs) {
	v.ownChunks(ep)
	last := len(v.chunks) - 1
	elems := v.own(uint32(last), ep)
	clear(elems[len(elems)-1:])
	elems = elems[:len(elems)-1]
	v.n--
	switch {
	case len(elems) == 0:
		v.chunks[last] = chunk[E]{}
		v.chunks = shrunk(v.chunks[:last])
	case last == 0:
		v.chunks[0].elems = shrunk(elems)
	default:
		v.chunks[last].elems = elems
	}
}

// own returns the elements of chunk number i after it has made sure that no view uses them.
func (v *vector[E]) own(i uint32, ep *epochs) []E {
	c := &v.chunks[i]
	if !ep.owns(c.epoch) {
		v.ownChunks(ep)
		c = &v.chunks[i]
		elems := make([]E, len(c.elems), cap(c.elems))
		copy(elems, c.elems)
		c.elems, c.epoch = elems, ep.current
	}
	return c.elems
}

// ownChunks makes sure that no view uses the list of chunks.
func (v *vector[E]) ownChunks(ep *epochs) {
	if !ep.owns(v.epoch) {
		chunks := make([]chunk[E], len(v.chunks), len(v.chunks)+1)
		copy(chunks, v.chunks)
		v.chunks, v.epoch = chunks, ep.current
	}
}

// shrunk returns s, or a smaller copy if s uses less than a quarter of its capacity.
func shrunk[E any](s []E) []E {
	if cap(s) <= 16 || len(s)*4 >= cap(s) {
		return s
	}
	return append(make([]E, 0, 2*len(s)), s...)
}
