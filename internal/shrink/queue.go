package shrink

// Queue is a first-in, first-out queue in one slice, which can be looked through and taken as a whole. It gives its memory back when it is
// empty. The zero value is empty.
type Queue[E any] struct {
	elems []E
	head  int // the elements before were taken out, and are zero
}

// keepRoom is the number of elements for which an empty queue keeps its memory.
const keepRoom = 1024

// Len returns the number of elements.
func (q *Queue[E]) Len() int { return len(q.elems) - q.head }

// All returns the elements. The slice is good until the queue changes.
func (q *Queue[E]) All() []E { return q.elems[q.head:] }

// Push adds an element.
func (q *Queue[E]) Push(e E) {
	if len(q.elems) == cap(q.elems) && q.head > len(q.elems)/2 {
		n := copy(q.elems, q.elems[q.head:])
		clear(q.elems[n:])
		q.elems, q.head = q.elems[:n], 0
	}
	q.elems = append(q.elems, e)
}

// Pop takes out the first element. The queue must not be empty.
func (q *Queue[E]) Pop() E {
	e := q.elems[q.head]
	q.Drop(1)
	return e
}

// Drop takes out the first n elements.
func (q *Queue[E]) Drop(n int) {
	clear(q.elems[q.head : q.head+n])
	q.head += n
	if q.head == len(q.elems) {
		q.head = 0
		if cap(q.elems) > keepRoom {
			q.elems = nil
		}
		q.elems = q.elems[:0]
	}
}

// Take returns all elements, with their memory.
func (q *Queue[E]) Take() []E { return q.Swap(nil) }

// Swap is Take, and gives the queue other memory.
func (q *Queue[E]) Swap(memory []E) []E {
	all := q.All()
	*q = Queue[E]{elems: memory}
	return all
}
