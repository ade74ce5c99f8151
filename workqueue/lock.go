package workqueue

import "sync/atomic"

// mutex is a mutual exclusion lock that is never handed over: Unlock wakes a waiter, but the next goroutine that calls
// Lock may be faster. At most one waiter is being woken at a time.
//
// A sync.Mutex hands the lock over once a waiter has waited for a millisecond. With many producers and workers, that is
// always so: each operation then waits for a goroutine to be scheduled (a lock convoy), which takes ten times as long as
// the operation itself.
type mutex struct {
	state atomic.Int32
	// wake has room for one token. A token that no goroutine waits for makes the next waiter try once more.
	wake chan struct{}
}

// The states of a mutex.
const (
	unlocked int32 = iota
	locked
	contended // locked, and goroutines may wait
)

func newMutex() mutex { return mutex{wake: make(chan struct{}, 1)} }

// Lock locks m.
func (m *mutex) Lock() {
	if m.state.CompareAndSwap(unlocked, locked) {
		return
	}
	for m.state.Swap(contended) != unlocked {
		<-m.wake
	}
}

// Unlock unlocks m.
func (m *mutex) Unlock() {
	if m.state.Swap(unlocked) == contended {
		select {
		case m.wake <- struct{}{}:
		default:
		}
	}
}
