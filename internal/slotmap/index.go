package slotmap

// index finds slots by hash. It is one table while it is small and 64 of them when it is large, each with the hashes
// that begin alike, so that to grow a large one never takes longer than to fill a 64th of it anew.
type index struct {
	tables []table
	bits   uint8 // of the hash that choose the table: 0 or splitBits
	live   int
	// floor is the number of cells below which a single table does not shrink.
	floor int
}

// table is an open-addressing hash table with linear probing. Its length is zero or a power of two.
// Invariant: every slot is in one cell, which is reached from its hash without crossing an empty cell.
type table struct {
	cells []cell
	live  int
}

type cell struct {
	hash uint32
	slot uint32 // plus one; zero is an empty cell
}

const (
	minCells  = 16
	splitBits = 6
	splitAt   = 1 << 13 // cells in a single table that is full: from here on there are 64
	// A table is doubled when more than half of it is in use: the runs of cells that collide stay short. It is halved
	// when less than an eighth is.
	maxLoad, minLoad = 2, 8
)

// at returns the table for a hash, or nil if the index is empty.
func (x *index) at(hash uint32) *table {
	if len(x.tables) == 0 {
		return nil
	}
	return &x.tables[hash>>(32-x.bits)]
}

// add puts in a slot that is not there.
func (x *index) add(hash, slot uint32) {
	if len(x.tables) == 0 {
		x.tables = make([]table, 1)
	}
	t := x.at(hash)
	if (t.live+1)*maxLoad > len(t.cells) {
		if x.bits == 0 && len(t.cells) >= splitAt {
			x.spread(splitBits)
			t = x.at(hash)
		}
		if (t.live+1)*maxLoad > len(t.cells) {
			t.resize(max(minCells, 2*len(t.cells)))
		}
	}
	t.link(cell{hash: hash, slot: slot + 1})
	t.live++
	x.live++
}

// remove takes out a slot that is there, and gives memory back when much of it is unused.
func (x *index) remove(hash, slot uint32) {
	t := x.at(hash)
	t.unlink(hash, slot)
	t.live--
	x.live--
	if t.live*minLoad < len(t.cells) {
		x.shrink(t)
	}
}

func (x *index) shrink(t *table) {
	floor := minCells
	if x.bits == 0 {
		floor = max(floor, x.floor)
	}
	if n := len(t.cells); n > floor {
		t.resize(n / 2)
	}
	if x.bits > 0 && x.live*minLoad < splitAt {
		x.spread(0)
	}
}

// spread builds the index anew with 1<<bits tables.
func (x *index) spread(bits uint8) {
	old := x.tables
	x.tables, x.bits = make([]table, 1<<bits), bits
	cells := minCells
	for cells < max(x.floor, 2*maxLoad*x.live)>>bits {
		cells *= 2
	}
	for i := range x.tables {
		x.tables[i].cells = make([]cell, cells)
	}
	for i := range old {
		for _, c := range old[i].cells {
			if c.slot != 0 {
				t := x.at(c.hash)
				if (t.live+1)*maxLoad > len(t.cells) {
					t.resize(2 * len(t.cells))
				}
				t.link(c)
				t.live++
			}
		}
	}
}

// link puts c into the first empty cell from its home on.
func (t *table) link(c cell) {
	mask := uint32(len(t.cells) - 1)
	i := c.hash & mask
	for t.cells[i].slot != 0 {
		i = (i + 1) & mask
	}
	t.cells[i] = c
}

// unlink empties the cell of a slot and moves later cells of the run back, so that no tombstone is needed.
func (t *table) unlink(hash, slot uint32) {
	mask := uint32(len(t.cells) - 1)
	i := hash & mask
	for t.cells[i].slot != slot+1 {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; t.cells[j].slot != 0; j = (j + 1) & mask {
		home := t.cells[j].hash & mask
		// The cell may move to i unless its home lies behind i.
		if (j-home)&mask >= (j-i)&mask {
			t.cells[i] = t.cells[j]
			i = j
		}
	}
	t.cells[i] = cell{}
}

// resize builds the table anew with n cells, from the hashes it holds: no key is hashed again.
func (t *table) resize(n int) {
	old := t.cells
	t.cells = make([]cell, n)
	for _, c := range old {
		if c.slot != 0 {
			t.link(c)
		}
	}
}
