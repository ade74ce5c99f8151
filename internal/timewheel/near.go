package timewheel

import "slices"

// near holds the cells that are due soon, in order. Most of them come in the order in which they are due, because delays
// of one kind are equal and buckets are opened one after the other, so that they only have to queue up; the others are
// in a heap.
type near struct {
	row  []cell // in order, from head on
	head int
	rest nearHeap
}

func (n *near) len() int { return len(n.row) - n.head + len(n.rest) }

func (n *near) push(c cell) {
	if n.head < len(n.row) && c.before(n.row[len(n.row)-1]) {
		n.rest.push(c)
		return
	}
	n.row = append(n.row, c)
}

// extend adds a bucket whose cells are all due after those that are here.
func (n *near) extend(chunks *chunk) {
	from := len(n.row)
	for ; chunks != nil; chunks = chunks.next {
		n.row = append(n.row, chunks.cells[:chunks.n]...)
	}
	slices.SortFunc(n.row[from:], func(a, b cell) int {
		if a.before(b) {
			return -1
		}
		return 1 // no two are alike
	})
}

// first is the cell that is due first. There must be one.
func (n *near) first() cell {
	if n.inRow() {
		return n.row[n.head]
	}
	return n.rest[0]
}

// inRow tells whether the first cell is that of the row.
func (n *near) inRow() bool {
	return n.head < len(n.row) && (len(n.rest) == 0 || n.row[n.head].before(n.rest[0]))
}

// pop drops the first cell.
func (n *near) pop() {
	if !n.inRow() {
		n.rest.pop()
		return
	}
	if n.head++; n.head >= keepCells/4 && n.head > len(n.row)/2 || n.head == len(n.row) {
		n.moveUp()
	}
}

// moveUp takes the room of the cells that have left into use again, or gives it back if it is much.
func (n *near) moveUp() {
	row := n.row[:0]
	if left := len(n.row) - n.head; cap(n.row) > keepRow && left < cap(n.row)/4 {
		row = make([]cell, 0, left)
	}
	n.row, n.head = append(row, n.row[n.head:]...), 0
}

// all are the cells, in no order.
func (n *near) all() []cell { return append(slices.Clone(n.row[n.head:]), n.rest...) }

// clear drops all cells, and keeps their room if that is not much.
func (n *near) clear() {
	n.head = len(n.row)
	n.moveUp()
	n.rest = n.rest.emptied()
}

// nearHeap orders cells by due time. Unlike dueheap it does not know where a slot is, for to keep that up to date would
// cost a cache miss for each move.
type nearHeap []cell

const (
	arity = 4 // the children of i are 4i+1 … 4i+4 and share a cache line or two
	// Below this many cells, memory is kept for the next load.
	keepCells = 1024
	keepRow   = 4 * keepCells // more, for those that have left are there for a while
)

// before tells whether a leaves before b. Sequence numbers may wrap: only their distance counts.
func (a cell) before(b cell) bool {
	return a.due < b.due || a.due == b.due && int32(a.seq-b.seq) < 0
}

func (h *nearHeap) push(c cell) {
	cells := append(*h, c)
	*h = cells
	i := len(cells) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if !c.before(cells[parent]) {
			break
		}
		cells[i] = cells[parent]
		i = parent
	}
	cells[i] = c
}

// pop drops the first cell.
func (h *nearHeap) pop() {
	cells := *h
	n := len(cells) - 1
	c := cells[n]
	cells = cells[:n]
	if n > 0 {
		cells.sink(c)
	}
	if cap(cells) > keepCells && n < cap(cells)/4 {
		cells = append(make([]cell, 0, cap(cells)/2), cells...)
	}
	*h = cells
}

// emptied is the heap without its cells, and without its memory if that was much.
func (h nearHeap) emptied() nearHeap {
	if cap(h) > keepCells {
		return nil
	}
	return h[:0]
}

// sink puts c into the hole at the root and lets it find its place.
func (h nearHeap) sink(c cell) {
	i, n := 0, len(h)
	for {
		child := arity*i + 1
		if child >= n {
			break
		}
		least := child
		for j := child + 1; j < min(child+arity, n); j++ {
			if h[j].before(h[least]) {
				least = j
			}
		}
		if !h[least].before(c) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = c
}
