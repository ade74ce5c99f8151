package workqueue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/internal/slotmap"
)

// openIntakeAt makes keys of a delayer go to its intake when so many wait.
func openIntakeAt[T comparable](d *delayer[T], n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.intake.openAt = n
}

// withIntake is a queue with a delayed for an hour and b, in the intake, for a minute.
func withIntake(t *testing.T) (*delayingQueue[string], *delayer[string]) {
	q := NewTypedDelayingQueue[string]()
	_, d := parts[string](q)
	openIntakeAt(d, 1)
	q.AddAfter("a", time.Hour)
	q.AddAfter("b", time.Minute)
	if len(d.intake.adds) != 1 {
		t.Fatalf("%d keys in the intake, want b alone", len(d.intake.adds))
	}
	return q.(*delayingQueue[string]), d
}

// TestBurstByWayOfTheIntake: of very many delayed keys each comes once, none too early and, in a bubble, none late.
func TestBurstByWayOfTheIntake(t *testing.T) {
	const producers, each = 8, 6000
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedDelayingQueue[string]()
		_, d := parts[string](q)
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
		if !d.intake.open.Load() {
			t.Fatalf("the intake is not open with %d keys", producers*each)
		}
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
		if d.intake.open.Load() || d.intake.adds != nil || d.intake.second != nil {
			t.Error("the intake is still open when no key is left")
		}
		q.ShutDown()
	})
}

// TestIntakeOfAClosedDelayer: what is there is dropped, and nothing comes in any more.
func TestIntakeOfAClosedDelayer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, d := withIntake(t)
		q.ShutDown()
		d.add("c", time.Second, 0) // as somebody who asked before whether the queue is shutting down
		time.Sleep(time.Hour)
		if len(d.intake.adds) != 0 || d.intake.next.Load() != never {
			t.Errorf("%d keys in the intake, the next due at %d", len(d.intake.adds), d.intake.next.Load())
		}
	})
}

// TestWhoeverLooksSeesTheIntake: a key in the intake is delayed like any other.
func TestWhoeverLooksSeesTheIntake(t *testing.T) {
	for name, look := range map[string]func(*delayingQueue[string]) bool{
		"due": func(q *delayingQueue[string]) bool {
			at, ok := q.Due("b")
			return ok && at.Equal(time.Now().Add(time.Minute))
		},
		"cancel": func(q *delayingQueue[string]) bool { return q.Cancel("b") },
		"find": func(q *delayingQueue[string]) bool {
			it, ok := q.Find("b")
			return ok && it.Due.Equal(time.Now().Add(time.Minute))
		},
		"snapshot": func(q *delayingQueue[string]) bool { return q.Snapshot(2).WaitingCount == 2 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, _ := withIntake(t)
				defer q.ShutDown()
				if !look(q) {
					t.Error("it did not see b")
				}
			})
		})
	}
}

// TestKeyThatComesDuringADelivery: the one who delivers sees to it that the alarm is set for it.
func TestKeyThatComesDuringADelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var came []string
		var d *delayer[string]
		start := time.Now()
		d = newDelayer(slotmap.NewHasher[string]("test"), newTimekeeper(nil), func(due []delivery[string]) {
			for _, k := range due {
				came = append(came, fmt.Sprint(k.item, " after ", time.Since(start)))
				if k.item == "a" {
					d.add("b", time.Second/2, 0)
				}
			}
		})
		openIntakeAt(d, 1)
		d.add("z", time.Hour, 0)
		d.add("a", time.Second, 0)
		d.mu.Lock()
		d.deliverDue(d.clock.now()+int64(time.Second), 1) // before the alarm does
		d.mu.Unlock()
		time.Sleep(time.Minute)
		d.close() // and with it whoever delivers
		if want := []string{"a after 0s", "b after 500ms"}; !slices.Equal(came, want) {
			t.Errorf("%v came, want %v", came, want)
		}
	})
}

// TestIntakeForgetsItsKeys: memory for the next keys must not keep the last ones alive.
func TestIntakeForgetsItsKeys(t *testing.T) {
	in := new(intake[string])
	in.init()
	for _, key := range []string{"a", "b"} {
		in.put(&delayedAdd[string]{item: key})
	}
	in.recycle(in.take())
	for _, add := range in.second[:cap(in.second)] {
		if add.item != "" {
			t.Errorf("%q is still there", add.item)
		}
	}
}
