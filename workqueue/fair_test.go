package workqueue

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// newTenants returns a fair queue of keys that look like tenant/name.
func newTenants(t *testing.T) *Fair[string] {
	q := queueKinds[5].make(setup{}).(*Fair[string])
	t.Cleanup(q.ShutDown)
	return q
}

func addAs(q *Fair[string], priority int, keys ...string) {
	q.AddWithOpts(AddOpts{Priority: &priority}, keys...)
}

// serve runs workers that call work for each key. The group is done when the queue is shut down and empty.
func serve(q TypedInterface[string], workers int, work func(key string)) *sync.WaitGroup {
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				work(key)
				q.Done(key)
			}
		})
	}
	return &group
}

func TestSmallTenantDoesNotWaitForALargeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTenants(t)
		for i := range 100_000 {
			q.Add(fmt.Sprintf("A/%d", i))
		}
		started := make(chan time.Time, 1)
		workers := serve(q, 10, func(key string) {
			if key == "B/1" {
				started <- time.Now()
			}
			if !q.ShuttingDown() {
				time.Sleep(10 * time.Millisecond)
			}
		})
		time.Sleep(35 * time.Millisecond)
		added := time.Now()
		q.Add("B/1")
		if waited := (<-started).Sub(added); waited > 50*time.Millisecond {
			t.Errorf("B waited %v behind A's backlog", waited)
		}
		q.ShutDown()
		workers.Wait()
	})
}

func TestTenantsTakeTurnsAndAreFirstInFirstOutEach(t *testing.T) {
	q := newTenants(t)
	for _, key := range []string{"A/1", "A/2", "A/3", "B/1", "B/2", "C/1"} {
		q.Add(key)
	}
	for _, want := range []string{"A/1", "B/1", "C/1", "A/2", "B/2", "A/3"} {
		expect(t, q, want)
		q.Done(want)
	}
}

func TestHigherPrioritiesGoFirst(t *testing.T) {
	q := newTenants(t)
	addAs(q, 0, "A/mid")
	addAs(q, -1, "A/low")
	addAs(q, 1, "B/high", "A/high")
	expect(t, q, "B/high", "A/high", "A/mid", "A/low")
}

// shares serves n turns of a queue that is always full of keys of the given priorities, and counts who got them.
func shares(t *testing.T, priorities []int, n int) map[int]int {
	q := newTenants(t)
	got, next := map[int]int{}, 0
	add := func(p int) { next++; addAs(q, p, fmt.Sprintf("A/%d", next)) }
	for _, p := range priorities {
		add(p)
		add(p)
	}
	for range n {
		key, p, _ := q.GetWithPriority()
		got[p]++
		q.Done(key)
		add(p)
	}
	return got
}

func TestLowestOfThreePrioritiesGetsItsShareUnderOverload(t *testing.T) {
	got := shares(t, []int{0, 10, 20}, 10_000)
	if got[0] < 500 || got[10] < 500 || got[20] < 8000 {
		t.Errorf("of 10,000 turns the priorities got %v", got)
	}
}

func TestManyPrioritiesDoNotStarveTheHighest(t *testing.T) {
	for _, n := range []int{17, 40, 200} {
		var priorities []int
		for p := range n {
			priorities = append(priorities, p)
		}
		got := shares(t, priorities, 10_000)
		if got[n-1] < 5000 || slices.ContainsFunc(priorities, func(p int) bool { return got[p] == 0 }) {
			t.Errorf("of 10,000 turns with %d priorities the highest got %d: %v", n, got[n-1], got)
		}
	}
}

func TestSlowTenantHoldsNoMoreThanItsShareOfWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTenants(t)
		for i := range 2000 {
			q.Add(fmt.Sprintf("slow/%d", i))
			q.Add(fmt.Sprintf("quick/%d", i))
		}
		var mu sync.Mutex
		slow, most, quick := 0, 0, 0
		workers := serve(q, 10, func(key string) {
			isSlow, pause := strings.HasPrefix(key, "slow"), time.Millisecond
			mu.Lock()
			if isSlow {
				slow, pause = slow+1, time.Second
				most = max(most, slow)
			} else {
				quick++
			}
			mu.Unlock()
			if q.ShuttingDown() {
				pause = 0
			}
			time.Sleep(pause)
			mu.Lock()
			if isSlow {
				slow--
			}
			mu.Unlock()
		})
		time.Sleep(300 * time.Millisecond)
		mu.Lock()
		if most > 6 || quick < 1000 { // the share is half of the ten, rounded up with the one that is asked for
			t.Errorf("slow held %d of 10 workers, quick was served %d times", most, quick)
		}
		mu.Unlock()
		q.ShutDown()
		workers.Wait()
	})
}

func TestHungKeyDoesNotStopItsTenant(t *testing.T) {
	q := newTenants(t)
	q.Add("A/hung")
	expect(t, q, "A/hung") // and no Done
	for i := range 50 {
		q.Add(fmt.Sprintf("A/%d", i))
		q.Add(fmt.Sprintf("B/%d", i))
	}
	served := map[byte]int{}
	for range 50 {
		key, _ := q.Get()
		served[key[0]]++
		q.Done(key)
	}
	if served['A'] < 20 || served['B'] < 20 {
		t.Errorf("of 50 turns the tenants got A %d, B %d", served['A'], served['B'])
	}
}

func TestHigherPriorityMovesAKeyAndALowerOneDoesNot(t *testing.T) {
	q := newTenants(t)
	addAs(q, 0, "A/1", "A/2", "A/3")
	addAs(q, 5, "A/3")
	addAs(q, -5, "A/3", "A/1")
	addAs(q, 5, "A/2")
	expect(t, q, "A/3", "A/2", "A/1")
	expectNothing(t, q)
	if err := q.queue.verify(); err != nil {
		t.Error(err)
	}
}

func TestAddTakesADelayedKeyInAtOnceWithTheHigherPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTenants(t)
		nine := 9
		q.AddWithOpts(AddOpts{After: time.Minute, Priority: &nine}, "A/1")
		q.Add("A/1")
		if key, p, _ := q.GetWithPriority(); key != "A/1" || p != 9 {
			t.Errorf("got %s with %d", key, p)
		}
		q.Done("A/1")
		pass(time.Hour)
		expectNothing(t, q) // there was one entry, and it is gone
	})
}

func TestOfADelayAndABackOffTheShorterCounts(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{time.Microsecond: time.Microsecond, time.Hour: time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			q, start := newTenants(t), time.Now()
			q.AddWithOpts(AddOpts{After: after, RateLimited: true}, "A/1")
			q.Get()
			if got := time.Since(start); got != want {
				t.Errorf("the key came after %v, want %v", got, want)
			}
		})
	}
}
