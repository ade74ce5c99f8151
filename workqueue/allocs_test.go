package workqueue

import (
	"fmt"
	"testing"
	"time"
)

// knownKeys are made once: to make them is not the queue's work.
func knownKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("tenant%d/%d", i%10, i)
	}
	return keys
}

// noAllocs runs a round until the queue has all the memory that it needs, and then counts. What is counted is the whole
// process, and the runtime now and then needs a goroutine for a timer; so it is the best of several counts that must be
// zero. A queue that allocates for its keys does so in all of them.
func noAllocs(t *testing.T, name string, round func()) {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for range 3 {
		round()
	}
	least := testing.AllocsPerRun(5, round)
	for tries := 0; least > 0 && tries < 5; tries++ {
		least = min(least, testing.AllocsPerRun(5, round))
	}
	if least != 0 {
		t.Errorf("%s: %v allocations in a round of 1000 keys, want none", name, least)
	}
}

func TestAddGetDoneAllocateNothing(t *testing.T) {
	keys := knownKeys(1000)
	for _, k := range queueKinds {
		q := k.make(setup{})
		noAllocs(t, k.name+", filled and emptied", func() {
			for _, key := range keys {
				q.Add(key)
			}
			for range keys {
				key, _ := q.Get()
				q.Done(key)
			}
		})
		for _, key := range keys {
			q.Add(key)
		}
		noAllocs(t, k.name+", going round", func() {
			for range keys {
				key, _ := q.Get()
				q.Add(key)
				q.Done(key)
			}
		})
		q.ShutDown()
	}
}

func TestAddAfterAllocatesNothing(t *testing.T) {
	keys := knownKeys(1000)
	for _, k := range queueKinds[2:] {
		q := k.make(setup{}).(TypedDelayingInterface[string])
		noAllocs(t, k.name, func() {
			for _, key := range keys {
				q.AddAfter(key, time.Microsecond)
			}
			for range keys { // each comes as soon as it is due
				key, _ := q.Get()
				q.Done(key)
			}
		})
		noAllocs(t, k.name+", cancelled", func() {
			for i, key := range keys {
				q.AddAfter(key, time.Hour+time.Duration(i)*time.Second)
			}
			for _, key := range keys {
				q.(TypedCanceler[string]).Cancel(key)
			}
		})
		q.ShutDown()
	}
}

func TestBackingOffAllocatesNothing(t *testing.T) {
	keys := knownKeys(1000)
	for _, k := range queueKinds[3:] {
		q := k.make(setup{}).(TypedRateLimitingInterface[string])
		noAllocs(t, k.name, func() {
			for _, key := range keys {
				q.AddRateLimited(key)
				q.Forget(key)
			}
			for range keys {
				key, _ := q.Get()
				q.Done(key)
			}
		})
		q.ShutDown()
	}
}
