package workqueue

import (
	"testing"
	"testing/synctest"
	"time"
)

// These tests read like points 63 to 68 of the notes on client-go's semantics, for every kind of queue.

func TestManyAddsBeforeGetAreOneItem(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		for range 5 {
			q.Add("a")
		}
		if q.Len() != 1 {
			t.Errorf("Len is %d, want 1", q.Len())
		}
		expect(t, q, "a")
		expectNothing(t, q)
	})
}

func TestAddsWhileProcessingAreOneMoreRunAfterDone(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		expect(t, q, "a")
		for range 5 {
			q.Add("a")
		}
		expectNothing(t, q) // not while the first worker holds it
		q.Done("a")
		expect(t, q, "a")
		q.Done("a")
		expectNothing(t, q)
	})
}

func TestKeyThatComesBackGoesToTheEnd(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		q.Add("b")
		expect(t, q, "a")
		q.Add("a")
		q.Done("a")
		expect(t, q, "b", "a")
	})
}

func TestGetBlocksUntilThereIsAKey(t *testing.T) {
	for _, k := range queueKinds {
		synctest.Test(t, func(t *testing.T) {
			q := k.make(setup{})
			got := make(chan string, 1)
			go func() {
				key, _ := q.Get()
				got <- key
			}()
			synctest.Wait()
			select {
			case key := <-got:
				t.Fatalf("%s: Get of an empty queue returned %q", k.name, key)
			default:
			}
			q.Add("a")
			if key := <-got; key != "a" {
				t.Errorf("%s: Get returned %q", k.name, key)
			}
			q.ShutDown()
		})
	}
}

func TestLenCountsNeitherProcessingNorDelayed(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		q.Add("b")
		if d, ok := q.(TypedDelayingInterface[string]); ok {
			d.AddAfter("c", time.Hour)
		}
		expect(t, q, "a")
		if q.Len() != 1 {
			t.Errorf("Len is %d, want 1", q.Len())
		}
	})
}

func TestQueuedKeysAreHandedOutAfterShutDown(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		q.Add("b")
		q.ShutDown()
		q.ShutDown() // twice does no harm
		expect(t, q, "a", "b")
		for range 2 {
			if key, shutdown := q.Get(); key != "" || !shutdown {
				t.Errorf("Get returned %q, %v", key, shutdown)
			}
		}
	})
}

func TestShutDownEndsSleepingWorkers(t *testing.T) {
	for _, k := range queueKinds {
		synctest.Test(t, func(t *testing.T) {
			q := k.make(setup{})
			for range 10 {
				go func() {
					if _, shutdown := q.Get(); !shutdown {
						t.Errorf("%s: Get returned a key", k.name)
					}
				}()
			}
			synctest.Wait()
			q.ShutDown() // a worker that sleeps on would be found by the end of the bubble
		})
	}
}

func TestAllAddsAreIgnoredAfterShutDown(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.ShutDown()
		q.Add("a")
		if d, ok := q.(TypedDelayingInterface[string]); ok {
			d.AddAfter("b", 0)
			d.AddAfter("c", time.Nanosecond)
		}
		if r, ok := q.(TypedRateLimitingInterface[string]); ok {
			r.AddRateLimited("d")
		}
		if f, ok := q.(*Fair[string]); ok {
			f.AddWithOpts(AddOpts{After: time.Nanosecond, RateLimited: true}, "e", "f")
		}
		if key, shutdown := q.Get(); !shutdown {
			t.Errorf("Get returned %q", key)
		}
		if s := q.(TypedInspector[string]).Snapshot(0); s.WaitingCount != 0 || !s.ShuttingDown {
			t.Errorf("snapshot %+v", s)
		}
	})
}

func TestKeyAddedWhileProcessingIsHandedOutAgainAfterShutDown(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		expect(t, q, "a")
		q.Add("a")
		q.ShutDown()
		q.Done("a")
		expect(t, q, "a")
	})
}
