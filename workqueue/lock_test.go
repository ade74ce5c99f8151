package workqueue

import (
	"sync"
	"testing"
)

// TestMutexExcludes: what a sync.Mutex protects, the mutex of the queues protects too, and no waiter is left asleep.
func TestMutexExcludes(t *testing.T) {
	const goroutines, each = 32, 2000
	mu := newMutex()
	n, inside := 0, 0
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				mu.Lock()
				if inside++; inside != 1 {
					t.Errorf("%d goroutines hold the lock", inside)
				}
				n++
				inside--
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n != goroutines*each {
		t.Errorf("%d of %d increments", n, goroutines*each)
	}
	if mu.state.Load() != unlocked {
		t.Error("the lock is held when all goroutines have ended")
	}
}
