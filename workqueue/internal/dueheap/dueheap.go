// Package dueheap is a heap of small numbers (slots) ordered by an int64, which may be a due time or any other rank.
//
// Equal ranks leave in the order in which they came. A slot's rank can be read, moved or removed at any time. The
// cells are flat and free of pointers: a million of them cost the garbage collector nothing.
//
// A Heap is not safe for concurrent use.
package dueheap

// Heap holds each slot at most once. The zero value is empty and ready for use.
type Heap struct {
	// cells is a binary heap: the children of i are 2i+1 and 2i+2.
	cells []cell
	// at says where each slot is: its place in cells plus one; zero means absent.
	// Invariant: cells[at[s]-1].slot == s for each slot s in the heap.
	at  []uint32
	seq uint32
}

type cell struct {
	rank int64
	seq  uint32
	slot uint32
}

// keepCells is the number of cells whose memory is kept for the next load.
const keepCells = 1024

// before reports whether a leaves before b. Sequence numbers may wrap: only their distance counts.
func (a cell) before(b cell) bool {
	return a.rank < b.rank || a.rank == b.rank && int32(a.seq-b.seq) < 0
}

// Len returns the number of slots in the heap.
func (h *Heap) Len() int { return len(h.cells) }

// Min returns the slot that leaves next, and its rank.
func (h *Heap) Min() (slot uint32, rank int64, ok bool) {
	if len(h.cells) == 0 {
		return 0, 0, false
	}
	return h.cells[0].slot, h.cells[0].rank, true
}

// Rank returns the rank of a slot, and whether it is in the heap.
func (h *Heap) Rank(slot uint32) (int64, bool) {
	i, ok := h.find(slot)
	if !ok {
		return 0, false
	}
	return h.cells[i].rank, true
}

// Set puts a slot at a rank, behind all that have the same: a new one enters, a known one moves.
func (h *Heap) Set(slot uint32, rank int64) {
	h.seq++
	c := cell{rank: rank, seq: h.seq, slot: slot}
	i, ok := h.find(slot)
	if !ok {
		i = len(h.cells)
		h.cells = append(h.cells, c)
		h.grow(slot)
	}
	if !h.up(i, c) {
		h.down(i, c)
	}
}

// Remove takes a slot out, if it is there.
func (h *Heap) Remove(slot uint32) {
	i, ok := h.find(slot)
	if !ok {
		return
	}
	h.at[slot] = 0
	n := len(h.cells) - 1
	last := h.cells[n]
	h.cells = h.cells[:n]
	if i < n && !h.up(i, last) {
		h.down(i, last)
	}
	h.shrink()
}

func (h *Heap) find(slot uint32) (int, bool) {
	if int(slot) >= len(h.at) || h.at[slot] == 0 {
		return 0, false
	}
	return int(h.at[slot]) - 1, true
}

func (h *Heap) grow(slot uint32) {
	for int(slot) >= len(h.at) {
		h.at = append(h.at, 0)
	}
}

func (h *Heap) put(i int, c cell) {
	h.cells[i] = c
	h.at[c.slot] = uint32(i) + 1
}

// up moves c from the hole at i towards the root and reports whether it moved; if not, nothing was written.
func (h *Heap) up(i int, c cell) bool {
	start := i
	for i > 0 {
		parent := (i - 1) / 2
		if !c.before(h.cells[parent]) {
			break
		}
		h.put(i, h.cells[parent])
		i = parent
	}
	if i == start {
		return false
	}
	h.put(i, c)
	return true
}

// down moves c from the hole at i towards the leaves and writes it.
func (h *Heap) down(i int, c cell) {
	n := len(h.cells)
	for {
		least := 2*i + 1
		if least >= n {
			break
		}
		if right := least + 1; right < n && h.cells[right].before(h.cells[least]) {
			least = right
		}
		if !h.cells[least].before(c) {
			break
		}
		h.put(i, h.cells[least])
		i = least
	}
	h.put(i, c)
}

// shrink frees memory when most of it is unused. Cells are copied at most once for every four removals.
func (h *Heap) shrink() {
	if c := cap(h.cells); c > keepCells && len(h.cells) < c/4 {
		h.cells = append(make([]cell, 0, c/2), h.cells...)
	}
	if len(h.cells) == 0 && cap(h.at) > 2*keepCells {
		h.at = nil
	}
}
