// Package mutex has a mutex for critical sections that last long.
package mutex

// Mutex is a mutual exclusion lock. Unlike with a sync.Mutex, a goroutine that waits for it is durably blocked in a
// testing/synctest bubble, so that time advances there while the holder sleeps.
type Mutex chan struct{}

// New returns an unlocked Mutex.
func New() Mutex { return make(Mutex, 1) }

// Lock locks m.
func (m Mutex) Lock() { m <- struct{}{} }

// Unlock unlocks m. It panics if m is not locked.
func (m Mutex) Unlock() {
	select {
	case <-m:
	default:
		panic("mutex: Unlock of an unlocked Mutex")
	}
}
