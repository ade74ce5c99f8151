package timewheel

// nearHeap orders cells by due time. Unlike dueheap it does not know where a slot is, for to keep that up to date would
// cost a cache miss for each move.
type nearHeap []cell

const (
	arity = 4 // the children of i are 4i+1 … 4i+4 and share a cache line or two
	// Below this many cells, memory is kept for the next load.
	keepCells = 1024
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
