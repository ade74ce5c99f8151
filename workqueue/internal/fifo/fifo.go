// Package fifo is a first-in, first-out queue in chunks: growth copies nothing, and memory goes back as it empties.
package fifo

// chunkSize makes a chunk of 4-byte elements 2 KB.
const chunkSize = 512

// Queue is empty and ready for use as a zero value. It is not safe for concurrent use.
type Queue[E any] struct {
	head, tail *chunk[E]
	// spare is the last chunk that ran empty: a queue that stays short moves from one to the other and back.
	spare *chunk[E]
	// next is the place in head of the element that leaves next, end the place in tail behind the last one.
	next, end int
	n         int
}

type chunk[E any] struct {
	elems [chunkSize]E
	next  *chunk[E]
}

// Len is the number of elements.
func (q *Queue[E]) Len() int { return q.n }

// Push adds an element at the end.
func (q *Queue[E]) Push(e E) {
	if q.tail == nil || q.end == chunkSize {
		q.extend()
	}
	q.tail.elems[q.end] = e
	q.end++
	q.n++
}

// Pop takes the first element out and clears its place. It must not be called on an empty queue.
func (q *Queue[E]) Pop() E {
	var zero E
	e := q.head.elems[q.next]
	q.head.elems[q.next] = zero
	q.next++
	q.n--
	if q.next == chunkSize || q.n == 0 {
		q.advance()
	}
	return e
}

func (q *Queue[E]) extend() {
	c := q.spare
	if c == nil {
		c = new(chunk[E])
	}
	q.spare = nil
	if q.tail == nil {
		q.head, q.next = c, 0
	} else {
		q.tail.next = c
	}
	q.tail, q.end = c, 0
}

// advance leaves a chunk that ran empty. The last one is used again from its start.
func (q *Queue[E]) advance() {
	q.next = 0
	if q.n == 0 {
		q.end = 0
		return
	}
	q.spare, q.head = q.head, q.head.next
	q.spare.next = nil
}
