package slotmap

import "vedette.dev/internal/fresh"

// index finds slots by hash. It is one table while it is small and 64 of them when it is large, each with the hashes
// that begin alike, so that to grow a large one never takes longer than to fill a 64th of it anew.
type index struct {
	one  table   // while it is small
	many []table // when it is large, by the first splitBits of the hash; else nil
	live int
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
	splitAt   = 1 << 16 // cells in a single table that is full: from here on there are 64
	minLoad   = 8       // a table is halved when less than one cell in so many is in use
)

// at returns the table for a hash.
func (x *index) at(hash uint32) *table {
	if x.many == nil {
		return &x.one
	}
	return &x.many[hash>>(32-splitBits)]
}

// add puts in a slot that is not there.
func (x *index) add(hash, slot uint32) {
	x.put(cell{hash: hash, slot: slot + 1})
	x.live++
}

func (x *index) put(c cell) {
	t := x.at(c.hash)
	if t.live >= x.room(len(t.cells)) {
		t = x.grow(t, c.hash)
	}
	t.link(c)
	t.live++
}

// room is how many slots a table takes before it grows. While it is small only half of its cells are used, so that the
// runs of those that collide stay short; a large one is in no cache, and the smaller it is the better.
func (x *index) room(cells int) int {
	if x.many == nil {
		return cells / 2
	}
	return cells - cells/4
}

// grow makes room for a hash, and returns the table for it.
func (x *index) grow(t *table, hash uint32) *table {
	if x.many == nil && len(t.cells) >= splitAt {
		x.split()
		return x.at(hash)
	}
	t.resize(max(minCells, 2*len(t.cells)))
	return t
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
	if x.many == nil {
		floor = max(floor, x.floor)
	}
	if n := len(t.cells); n > floor {
		t.resize(n / 2)
	}
	if x.many != nil && x.live*minLoad < splitAt {
		x.join()
	}
}

// split moves the cells of the one table to many.
func (x *index) split() {
	old := x.one
	x.one, x.many = table{}, make([]table, 1<<splitBits)
	for i := range x.many {
		x.many[i].cells = fresh.Slice[cell](len(old.cells) >> splitBits)
	}
	x.take(old)
}

// join undoes split.
func (x *index) join() {
	old := x.many
	x.one, x.many = table{cells: fresh.Slice[cell](splitAt / 2)}, nil
	for _, t := range old {
		x.take(t)
	}
}

func (x *index) take(old table) {
	for _, c := range gathered(old.cells) {
		x.put(c)
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
	t.cells = fresh.Slice[cell](n)
	for _, c := range gathered(old) {
		t.link(c)
	}
}

// gathered moves the cells in use to the front of a table that nobody needs any more. Which cells are in use cannot be
// foretold, so to look and to link in one loop took a good third longer, in branches that the processor got wrong.
func gathered(cells []cell) []cell {
	n := 0
	for _, c := range cells {
		cells[n] = c
		if c.slot != 0 {
			n++
		}
	}
	return cells[:n]
}
