package slotmap

// index finds slots by hash. It is an open-addressing hash table with linear probing, at most half full so that probe
// sequences stay short. Its length is zero or a power of two.
//
// Invariant: every slot is in one cell, which is reached from its hash without crossing an empty cell.
type index struct {
	cells []cell
	live  int
	// floor is the number of cells below which the table does not shrink.
	floor int
}

type cell struct {
	hash uint32
	slot uint32 // plus one; zero is an empty cell
}

const (
	minCells = 16
	minLoad  = 8 // the table is halved when less than one cell in so many is in use
)

// add puts in a slot that is not there.
func (x *index) add(hash, slot uint32) {
	if 2*x.live >= len(x.cells) {
		x.resize(max(minCells, 2*len(x.cells)))
	}
	x.link(cell{hash: hash, slot: slot + 1})
	x.live++
}

// remove takes out a slot that is there, and frees memory when much of it is unused.
func (x *index) remove(hash, slot uint32) {
	x.unlink(hash, slot)
	x.live--
	if n := len(x.cells); x.live*minLoad < n && n/2 >= max(minCells, x.floor) {
		x.resize(n / 2)
	}
}

// link puts c into the first empty cell of its probe sequence.
func (x *index) link(c cell) {
	mask := uint32(len(x.cells) - 1)
	i := c.hash & mask
	for x.cells[i].slot != 0 {
		i = (i + 1) & mask
	}
	x.cells[i] = c
}

// unlink empties the cell of a slot and moves later cells of the probe sequence back, so that no tombstone is needed.
func (x *index) unlink(hash, slot uint32) {
	mask := uint32(len(x.cells) - 1)
	i := hash & mask
	for x.cells[i].slot != slot+1 {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; x.cells[j].slot != 0; j = (j + 1) & mask {
		first := x.cells[j].hash & mask
		// The cell may move to i unless its probe sequence starts behind i.
		if (j-first)&mask >= (j-i)&mask {
			x.cells[i] = x.cells[j]
			i = j
		}
	}
	x.cells[i] = cell{}
}

// resize builds the table anew with n cells, from the hashes it holds: no key is hashed again.
func (x *index) resize(n int) {
	old := x.cells
	x.cells = make([]cell, n)
	// Write to the new memory before it is read: a page that is read first is mapped to the kernel's page of zeros, and
	// the write that follows has to take that mapping back on all processors, at ten times the cost of a page fault.
	clear(x.cells)
	for _, c := range old {
		if c.slot != 0 {
			x.link(c)
		}
	}
}
