package mutex

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestOneAtATimeAndTimeGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mu, n := New(), 0
		var all sync.WaitGroup
		began := time.Now()
		for range 10 {
			all.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				was := n
				time.Sleep(time.Second) // a sync.Mutex would hang here
				n = was + 1
			})
		}
		all.Wait()
		if n != 10 || time.Since(began) != 10*time.Second {
			t.Errorf("%d in %v", n, time.Since(began))
		}
	})
}

func TestUnlockWithoutLock(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New().Unlock()
}
