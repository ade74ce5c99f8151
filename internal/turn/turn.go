// Package turn has a mutex for long critical sections.
package turn

// Turn is a mutex. Unlike with a sync.Mutex, a goroutine that waits for it is durably blocked in a testing/synctest bubble, so
// that time advances there while the holder sleeps.
type Turn chan struct{}

// New returns an unlocked Turn.
func New() Turn { return make(Turn, 1) }

// Lock locks t.
func (t Turn) Lock() { t <- struct{}{} }

// Unlock unlocks t. It panics if t is not locked.
func (t Turn) Unlock() {
	select {
	case <-t:
	default:
		panic("turn: Unlock of an unlocked Turn")
	}
}
