package timewheel

// nearHeap orders the slots of the current millisecond by due time. Unlike dueheap it does not know where a slot is, for
// to keep that up to date would cost a cache miss for each move. A cell whose timer has gone elsewhere is left in place
// and passed over when it comes up, within a millisecond.
type nearHeap struct {
	cells []cell
	seq   uint32
}

type cell struct {
	due  int64
	seq  uint32
	slot uint32
}

const (
	arity = 4 // the children of i are 4i+1 … 4i+4 and share a cache line or two
	// Below this many cells, memory is kept for the next load.
	keepCells = 1024
)

// before tells whether a leaves before b. Sequence numbers may wrap: only their distance counts.
func (a cell) before(b cell) bool {
	return a.due < b.due || a.due == b.due && int32(a.seq-b.seq) < 0
}

// push returns the sequence number by which the cell is known.
func (h *nearHeap) push(slot uint32, due int64) (seq uint32) {
	h.seq++
	c := cell{due: due, seq: h.seq, slot: slot}
	i := len(h.cells)
	h.cells = append(h.cells, c)
	for i > 0 {
		parent := (i - 1) / arity
		if !c.before(h.cells[parent]) {
			break
		}
		h.cells[i] = h.cells[parent]
		i = parent
	}
	h.cells[i] = c
	return c.seq
}

// pop drops the first cell.
func (h *nearHeap) pop() {
	n := len(h.cells) - 1
	c := h.cells[n]
	h.cells = h.cells[:n]
	if n > 0 {
		h.sink(c)
	}
	if cap(h.cells) > keepCells && n < cap(h.cells)/4 {
		h.cells = append(make([]cell, 0, cap(h.cells)/2), h.cells...)
	}
}

// sink puts c into the hole at the root and lets it find its place.
func (h *nearHeap) sink(c cell) {
	i, n := 0, len(h.cells)
	for {
		child := arity*i + 1
		if child >= n {
			break
		}
		least := child
		for j := child + 1; j < min(child+arity, n); j++ {
			if h.cells[j].before(h.cells[least]) {
				least = j
			}
		}
		if !h.cells[least].before(c) {
			break
		}
		h.cells[i] = h.cells[least]
		i = least
	}
	h.cells[i] = c
}
