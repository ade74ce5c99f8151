package table

import "sync/atomic"

// epochs records which parts of vectors a view may be using. Every write has an epoch, one more than the write before, and
// every part carries the epoch of the write that made it.
type epochs struct {
	views    atomic.Int64  // views that were not released, plus viewTaken for each that was ever taken
	lastView atomic.Uint64 // the epoch in which the newest view was taken
	current  uint64        // the epoch of the newest write
	frozen   uint64        // a view may use parts of this epoch and older ones
	unviewed bool          // there is no view
	copies   semaphore     // limits how many views are copied at once
}

// enter is called, under the read lock, by a reader that takes a view.
func (ep *epochs) enter() {
	ep.views.Add(viewTaken + 1)
	ep.lastView.Store(ep.current)
}

// leave is called when a view is released.
func (ep *epochs) leave() { ep.views.Add(-1) }

// viewTaken is above any number of views that are in use, so that one addition counts both: readers pay nothing for the second count.
const viewTaken = 1 << 24

// inUse returns the number of views that were not released.
func (ep *epochs) inUse() int64 { return ep.views.Load() % viewTaken }

// beginWrite starts a write, under the write lock. No view can be taken until the lock is released. A view that is released
// during the write costs at most a copy that was not needed.
func (ep *epochs) beginWrite() {
	ep.current++
	ep.frozen = ep.lastView.Load()
	ep.unviewed = ep.inUse() == 0
}

// owns reports whether the writer may change a part in place.
func (ep *epochs) owns(epoch uint64) bool { return ep.unviewed || epoch > ep.frozen }
