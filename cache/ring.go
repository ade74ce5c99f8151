package cache

// ring is a queue in blocks, whose elements keep their places, and whose memory goes with them. The zero value is empty.
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

// at returns the element at a place, which there is.
func (r *ring[E]) at(place uint64) *E {
	at := place - r.base
	return &r.blocks[at/ringBlock][at%ringBlock]
}

func (r *ring[E]) front() *E { return r.at(r.head) }

// pop takes out the first element, which there is.
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
