package workqueue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/internal/keyhash"
)

// TestBurstOfDelayedKeysComesOnTime: of very many delayed keys each comes once, none too early and, in a bubble, none
// late.
func TestBurstOfDelayedKeysComesOnTime(t *testing.T) {
	const producers, each = 8, 6000
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedDelayingQueue[string]()
		var wg sync.WaitGroup
		due := make([]map[string]time.Time, producers)
		for p := range producers {
			due[p] = make(map[string]time.Time, each)
			wg.Go(func() {
				for i := range each {
					key, delay := fmt.Sprint(p, "/", i), time.Duration(1+rand.IntN(int(time.Second)))
					due[p][key] = time.Now().Add(delay)
					q.AddAfter(key, delay)
				}
			})
		}
		wg.Wait()
		for range producers * each {
			key, _ := q.Get()
			var p, i int
			if _, err := fmt.Sscanf(key, "%d/%d", &p, &i); err != nil {
				t.Fatal(err)
			}
			at, ok := due[p][key]
			if delete(due[p], key); !ok {
				t.Fatalf("%s came twice", key)
			}
			if now := time.Now(); !now.Equal(at) {
				t.Fatalf("%s came %v after it was due", key, now.Sub(at))
			}
			q.Done(key)
		}
		q.ShutDown()
	})
}

// TestClosedDelayerTakesNoKeys: an AddAfter that had asked whether the queue is shutting down before it was.
func TestClosedDelayerTakesNoKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedDelayingQueue[string]()
		_, d := parts[string](q)
		q.AddAfter("a", time.Second)
		q.ShutDown()
		d.add("b", time.Second, 0)
		time.Sleep(time.Hour)
		if n := d.wait.keys.Len(); n != 0 || d.wait.next() != never {
			t.Errorf("%d keys are delayed, the first until %d", n, d.wait.next())
		}
	})
}

// TestKeyThatIsDelayedDuringADelivery: the timer is set for it when the delivery is over.
func TestKeyThatIsDelayedDuringADelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var came []string
		var d *delayer[string]
		start := time.Now()
		d = newDelayer(keyhash.New[string]("test"), newQueueClock(nil), func(due []delivery[string]) {
			for _, k := range due {
				came = append(came, fmt.Sprint(k.item, " after ", time.Since(start)))
				if k.item == "a" {
					d.add("b", time.Second/2, 0)
				}
			}
		})
		d.add("z", time.Hour, 0)
		d.add("a", time.Second, 0)
		time.Sleep(time.Minute)
		d.close()
		if want := []string{"a after 1s", "b after 1.5s"}; !slices.Equal(came, want) {
			t.Errorf("%v came, want %v", came, want)
		}
	})
}

// TestAddAfterWaitsWhileKeysAreTooLate: a producer that is faster than the deliveries is slowed down, and no other.
func TestAddAfterWaitsWhileKeysAreTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := make(chan struct{}) // the first delivery takes until it is closed
		d := newDelayer(keyhash.New[string]("test"), newQueueClock(nil), func([]delivery[string]) { <-busy })
		defer d.close()
		expect := func(want time.Duration) {
			t.Helper()
			start := time.Now()
			if d.add("z", time.Hour, 0); time.Since(start) != want {
				t.Errorf("AddAfter took %v, want %v", time.Since(start), want)
			}
		}
		d.add("a", time.Millisecond, 0)
		d.add("b", 2*time.Millisecond, 0)
		pass(2*time.Millisecond + time.Duration(tooLate))
		expect(0)
		pass(1)
		expect(backPressure)
		close(busy)
		synctest.Wait()
		expect(0)
	})
}
