package fanout

// ring is a queue whose elements keep their places. It is made of blocks, and the memory of a block is released when its
// elements have been popped. The zero value is empty.
type ring[E any] struct {
	blocks []*[ringBlock]E
	head   uint64 // the place of the first element
	tail   uint64 // the place after the last
	// base is the place of the first element of the first block.
	base uint64
}

const ringBlock = 128

func (r *ring[E]) len() int { return int(r.tail - r.head) }

// push appends an element and returns its place, which it keeps.
func (r *ring[E]) push(e E) uint64 {
	if r.tail-r.base == uint64(len(r.blocks))*ringBlock {
		r.blocks = append(r.blocks, new([ringBlock]E))
	}
	place := r.tail
	r.tail++
	*r.at(place) = e
	return place
}

// at returns the element at a place. There must be one.
func (r *ring[E]) at(place uint64) *E {
	at := place - r.base
	return &r.blocks[at/ringBlock][at%ringBlock]
}

// front returns the first element. There must be one.
func (r *ring[E]) front() *E { return r.at(r.head) }

// pop removes and returns the first element. There must be one.
func (r *ring[E]) pop() E {
	e := r.front()
	out := *e
	*e = *new(E)
	r.head++
	switch {
	case r.head == r.tail:
		r.blocks, r.base = nil, r.tail
	case r.head-r.base == ringBlock:
		r.blocks[0] = nil
		r.blocks, r.base = r.blocks[1:], r.head
	}
	return out
}
