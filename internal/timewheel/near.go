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

// keepRow is the number of cells whose room is kept: those that have left are in it for a while.
const keepRow = 4 * keepCells

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
