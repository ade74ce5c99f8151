package pack

import "sync/atomic"

// wear tells when a reference no longer fits its family: the objects changed, or it was an unusual one from the
// beginning (a pod that had not started, when the others are running).
//
// Nobody knows how small the objects of a family can become, so it is a wager. What objects take more than a good one
// would is summed up, and when that is worth a new reference, there is a new one. If that helps no more than the last
// did, the family is just not very alike, and the next has twice the time.
type wear struct {
	budget int64  // of excess
	before uint64 // what objects took of their length when the last reference was there, in 1/1024; 0 if there was none
	excess atomic.Int64
	in     atomic.Uint64
	out    atomic.Uint64
}

// maxPatience bounds the budget, in lengths of an object: families change in the end.
const maxPatience = 64

// excess is what a packed object takes more than a good one does. Even that has some new words: a UID, names, times.
func excess(length, size int) int { return max(size-length/16-128, 0) }

// add counts an object, and says whether the reference still serves.
func (w *wear) add(length, size int) bool {
	w.in.Add(uint64(length))
	w.out.Add(uint64(size))
	return w.excess.Add(int64(excess(length, size))) <= w.budget
}

// first is for the first reference of a family, which is this long.
func (w *wear) first(length int) { w.budget = int64(length) / 2 }

// follow is for the one after old.
func (w *wear) follow(old *wear, length int) {
	w.first(length)
	w.before = old.out.Load() * 1024 / max(old.in.Load(), 1)
	if old.before != 0 && w.before > old.before*3/4 {
		w.budget = min(max(2*old.budget, w.budget), maxPatience*int64(length))
	}
}
