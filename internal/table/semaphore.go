package table

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// longView is the number of rows from which a view is copied with a slot of the semaphore.
const longView = 256

// semaphore limits how many goroutines copy long views at once to the number of processors at the time when the table was
// made. More would not be faster, and a writer would have to wait for a processor behind all of them, some milliseconds
// for each.
//
// A goroutine that holds a slot only copies. It calls no code of users, which might need a slot itself.
type semaphore struct {
	waits atomic.Uint32 // how many goroutines have waited
	slots []sync.Mutex
}

func newSemaphore() semaphore { return semaphore{slots: make([]sync.Mutex, runtime.GOMAXPROCS(0))} }

// tryAcquire returns a locked slot, or nil if all slots are taken. The caller unlocks it.
func (s *semaphore) tryAcquire() *sync.Mutex {
	for i := range s.slots {
		if s.slots[i].TryLock() {
			return &s.slots[i]
		}
	}
	return nil
}

// acquire waits for a slot and returns it locked. Goroutines that wait for the same slot get it in the order in which they
// came.
func (s *semaphore) acquire() *sync.Mutex {
	slot := &s.slots[int(s.waits.Add(1)%uint32(len(s.slots)))]
	slot.Lock()
	return slot
}
