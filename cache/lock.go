package cache

import "sync"

// spinLock is a sync.RWMutex that is tried some times before one sleeps for it.
//
// It is held for well under a microsecond, but whoever sleeps for it must be woken and then wait for a processor. If it
// is a writer that sleeps, because a reader was there, all readers who come meanwhile sleep too, until it has been woken.
// A few tries make that rare.
type spinLock struct{ sync.RWMutex }

// The tries last about two microseconds.
const (
	spins = 32
	pause = 16
)

func (l *spinLock) lock() {
	for range spins {
		if l.TryLock() {
			return
		}
		idle()
	}
	l.Lock()
}

func (l *spinLock) rlock() {
	for range spins {
		if l.TryRLock() {
			return
		}
		idle()
	}
	l.RLock()
}

//go:noinline
func idle() {
	for range pause {
		nothing()
	}
}

//go:noinline
func nothing() {}
