// Package turn has a mutex for those who hold it for long.
package turn

// Turn is taken by one at a time. Unlike a sync.Mutex, who waits for it counts as durably blocked in a testing/synctest bubble,
// so that time goes on there while somebody holds it and sleeps.
type Turn chan struct{}

// New returns a Turn that nobody has.
func New() Turn { return make(Turn, 1) }

// Lock waits for the turn and takes it.
func (t Turn) Lock() { t <- struct{}{} }

// Unlock gives it back. It must be held.
func (t Turn) Unlock() {
	select {
	case <-t:
	default:
		panic("turn: Unlock of a Turn that nobody has")
	}
}
