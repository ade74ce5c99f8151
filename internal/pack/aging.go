package pack

import "sync/atomic"

// aging decides when a base no longer fits its group: the objects have changed, or it was an unusual one from the beginning (a pod that had
// not started, when the others are running).
//
// How small the objects of a group could be is not known, so it is a heuristic. The bytes that objects take in excess of a good one are
// summed up; when the sum is greater than the budget, which is half of the length of a base at first, there is a new base. If that helps
// no more than the last one did, the objects of the group are not very alike, and the budget of the next base is twice as large.
type aging struct {
	budget   int64  // of excess bytes
	previous uint64 // what objects took of their length with the base before, in 1/1024; 0 if there was none
	excess   atomic.Int64
	in       atomic.Uint64 // bytes of the objects
	out      atomic.Uint64 // bytes of the objects as they are packed
}

// maxBudget bounds the budget, in lengths of an object, since groups change in the end.
const maxBudget = 64

// excess returns what a packed object takes in excess of a good one. Even that has some new words: a UID, names, times.
func excess(length, size int) int { return max(size-length/16-128, 0) }

// add counts an object, and reports whether the base still fits.
func (a *aging) add(length, size int) bool {
	a.in.Add(uint64(length))
	a.out.Add(uint64(size))
	return a.excess.Add(int64(excess(length, size))) <= a.budget
}

// start sets the budget of the first base of a group, which has this length.
func (a *aging) start(length int) { a.budget = int64(length) / 2 }

// succeed sets the budget of the base that takes the place of old.
func (a *aging) succeed(old *aging, length int) {
	a.start(length)
	a.previous = old.out.Load() * 1024 / max(old.in.Load(), 1)
	if old.previous != 0 && a.previous > old.previous*3/4 {
		a.budget = min(max(2*old.budget, a.budget), maxBudget*int64(length))
	}
}
