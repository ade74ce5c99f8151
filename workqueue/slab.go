package workqueue

// slab holds elements under numbers that are used again. An element that is removed stays as it is until its number is.
type slab[E any] struct {
	elems []E
	free  []uint32
}

func (s *slab[E]) at(id uint32) *E { return &s.elems[id] }

func (s *slab[E]) add() (id uint32) {
	if n := len(s.free); n > 0 {
		id = s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	var zero E
	s.elems = append(s.elems, zero)
	return uint32(len(s.elems) - 1)
}

func (s *slab[E]) remove(id uint32) { s.free = append(s.free, id) }

// trim frees the memory of a slab that is empty and was large.
func (s *slab[E]) trim() {
	if len(s.free) == len(s.elems) && cap(s.elems) > 2*keepKeys {
		*s = slab[E]{}
	}
}

// chain is a list of small numbers (slots, flows), each in one chain at most. Its links are kept beside it, by number,
// and may be shared by any chains that have no number in common.
type chain struct{ head, tail uint32 } // plus one; zero is none

type link struct{ prev, next uint32 } // plus one; zero is none

// linksFor makes room for a number.
func linksFor(links []link, id uint32) []link {
	for int(id) >= len(links) {
		links = append(links, link{})
	}
	return links
}

func (c *chain) empty() bool { return c.head == 0 }

func (c *chain) first() uint32 { return c.head - 1 }

func (c *chain) pushBack(links []link, id uint32) {
	links[id] = link{prev: c.tail}
	if c.tail != 0 {
		links[c.tail-1].next = id + 1
	} else {
		c.head = id + 1
	}
	c.tail = id + 1
}

func (c *chain) pushFront(links []link, id uint32) {
	links[id] = link{next: c.head}
	if c.head != 0 {
		links[c.head-1].prev = id + 1
	} else {
		c.tail = id + 1
	}
	c.head = id + 1
}

func (c *chain) remove(links []link, id uint32) {
	l := links[id]
	if l.prev != 0 {
		links[l.prev-1].next = l.next
	} else {
		c.head = l.next
	}
	if l.next != 0 {
		links[l.next-1].prev = l.prev
	} else {
		c.tail = l.prev
	}
	links[id] = link{}
}
