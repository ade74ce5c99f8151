package cache

import "sync/atomic"

// writing tells those who read without a lock whether anything was written meanwhile. Who writes has the lock of the table. It is
// meant to be short: of an update it is the two words of the object.
type writing struct {
	count atomic.Uint64 // is odd while something is written
	all   bool          // several things are written as one
}

// begin and end are around one thing. Writing may be nil, if nobody reads.
func (w *writing) begin() {
	if w != nil && !w.all {
		w.count.Add(1)
	}
}

func (w *writing) end() { w.begin() }

// beginAll and endAll are around several things, of which a reader sees all or nothing.
func (w *writing) beginAll() {
	w.count.Add(1)
	w.all = true
}

func (w *writing) endAll() {
	w.all = false
	w.count.Add(1)
}

// look returns a count for still, and false if something is being written.
func (w *writing) look() (count uint64, calm bool) {
	count = w.count.Load()
	return count, count%2 == 0
}

// still tells whether nothing was written since look.
func (w *writing) still(count uint64) bool { return w.count.Load() == count }
