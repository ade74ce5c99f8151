package cache

import (
	"runtime"
	"sync"
)

// spinLock is a sync.RWMutex that is tried some times before one sleeps for it.
//
// It is held for well under a microsecond, but whoever sleeps for it must be woken and then wait for a processor. If it
// is a writer that sleeps, because a reader was there, all readers who come meanwhile sleep too, until it has been woken; and
// the next writer finds them there, and sleeps. A few tries make that rare, and one who has tried in vain lets others run
// before he sleeps: the one who has the lock may be waiting for a processor.
type spinLock struct{ sync.RWMutex }

// The tries last about two microseconds.
const (
	spins  = 32
	pause  = 16
	yields = 64
	// A writer may have to wait for all readers each time that it lets others run, so that it does so less often.
	writerYields = 4
)

func (l *spinLock) lock() {
	for try := range spins + writerYields {
		if l.TryLock() {
			return
		}
		tryLater(try)
	}
	l.Lock()
}

func (l *spinLock) rlock() {
	for try := range spins + yields {
		if l.TryRLock() {
			return
		}
		tryLater(try)
	}
	l.RLock()
}

// tryLater is what to do after a try in vain.
func tryLater(try int) {
	if try < spins {
		idle()
	} else {
		runtime.Gosched()
	}
}

//go:noinline
func idle() {
	for range pause {
		nothing()
	}
}

//go:noinline
func nothing() {}
