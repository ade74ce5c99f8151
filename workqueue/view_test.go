package workqueue

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func keysOf(items []Item[string]) (keys []string) {
	for _, it := range items {
		keys = append(keys, it.Key)
	}
	return keys
}

func TestSnapshotListsWhatIsQueuedProcessingAndDelayed(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		start := time.Now()
		for _, key := range []string{"p1", "p2", "q1", "q2", "q3"} {
			q.Add(key)
			pass(time.Second)
		}
		expect(t, q, "p1")
		pass(time.Second)
		expect(t, q, "p2")
		q.Add("p2") // asked for again: listed once, as processing
		q.AddAfter("w2", 20*time.Second)
		q.AddAfter("w1", 10*time.Second)
		q.AddAfter("w3", 30*time.Second)

		s := q.(TypedInspector[string]).Snapshot(0)
		if s.QueuedCount != 3 || s.ProcessingCount != 2 || s.WaitingCount != 3 || s.ShuttingDown {
			t.Errorf("counts: %+v", s)
		}
		if got := keysOf(s.Queued); !slices.Equal(got, []string{"q1", "q2", "q3"}) {
			t.Errorf("Queued is %v", got)
		}
		if got := keysOf(s.Processing); !slices.Equal(got, []string{"p1", "p2"}) {
			t.Errorf("Processing is %v", got)
		}
		if got := keysOf(s.Waiting); !slices.Equal(got, []string{"w1", "w2", "w3"}) {
			t.Errorf("Waiting is %v", got)
		}
		if !s.At.Equal(time.Now()) || !s.Queued[1].QueuedSince.Equal(start.Add(3*time.Second)) {
			t.Errorf("at %v, q2 since %v", s.At.Sub(start), s.Queued[1].QueuedSince.Sub(start))
		}
		if p := s.Processing[1]; !p.ProcessingSince.Equal(start.Add(6*time.Second)) || !p.QueuedSince.Equal(time.Now()) {
			t.Errorf("p2 is %+v", p)
		}
		if w := s.Waiting[0]; !w.Due.Equal(time.Now().Add(10*time.Second)) || !w.QueuedSince.IsZero() {
			t.Errorf("w1 is %+v", w)
		}
		q.ShutDown()
		if s := q.(TypedInspector[string]).Snapshot(0); !s.ShuttingDown || s.WaitingCount != 0 || s.QueuedCount != 3 {
			t.Errorf("after ShutDown: %+v", s)
		}
	})
}

// number is a key that people read as something else.
type number int

func (n number) String() string { return fmt.Sprintf("no. %d", int(n)) }

// silent is a queue that cannot be looked into.
type silent struct{ TypedInterface[number] }

func TestTextSnapshotHasTheKeysAsPeopleReadThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedRateLimitingQueue(DefaultTypedItemBasedRateLimiter[number]())
		defer q.ShutDown()
		q.Add(1)
		if got, _ := q.Get(); got != 1 {
			t.Fatalf("got %v", got)
		}
		q.Add(2)
		q.Add(3)
		q.AddRateLimited(4)
		q.AddAfter(5, time.Hour)
		plain := q.(TypedInspector[number]).Snapshot(1)
		s := TextSnapshot(q, 1)
		if s.QueuedCount != 2 || s.ProcessingCount != 1 || s.WaitingCount != 2 || !s.At.Equal(plain.At) || s.ShuttingDown {
			t.Errorf("counts: %+v", s)
		}
		for i, list := range s.lists() {
			want := plain.lists()[i][0]
			if len(list) != 1 || list[0] != (Item[string]{fmt.Sprint(want.Key), want.QueuedSince, want.ProcessingSince, want.Due, want.Retries, want.Priority, want.Tenant}) {
				t.Errorf("%+v, want what %+v says", list, want)
			}
		}
		if s.Processing[0].Key != "no. 1" || s.Queued[0].Key != "no. 2" || s.Waiting[0].Key != "no. 4" || s.Waiting[0].Retries != 1 {
			t.Errorf("got %+v", s)
		}
		if s := TextSnapshot(silent{q}, 0); s.QueuedCount != 2 || s.Queued != nil {
			t.Errorf("of a queue that only has a length: %+v", s)
		}
	})
}

func TestSnapshotListsTheOldestUpToItsLimitAndCountsAll(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		const n = 5000 // more than one batch of slots
		for i := range n {
			q.AddAfter(fmt.Sprintf("w%05d", i), time.Hour-time.Duration(i))
			if i%100 == 0 { // slow enough for exact times
				q.Add(fmt.Sprintf("q%05d", i))
				pass(time.Millisecond)
			}
		}
		s := q.(TypedInspector[string]).Snapshot(3)
		if s.WaitingCount != n || s.QueuedCount != n/100 || s.ProcessingCount != 0 {
			t.Errorf("counts %d, %d, %d", s.WaitingCount, s.QueuedCount, s.ProcessingCount)
		}
		if got := keysOf(s.Queued); !slices.Equal(got, []string{"q00000", "q00100", "q00200"}) {
			t.Errorf("Queued is %v", got)
		}
		if got := keysOf(s.Waiting); !slices.Equal(got, []string{"w00000", "w00100", "w00099"}) {
			t.Errorf("Waiting is %v", got)
		}
		for _, limit := range []int{0, -1, n + 1} {
			if s := q.(TypedInspector[string]).Snapshot(limit); len(s.Waiting) != n {
				t.Errorf("limit %d lists %d", limit, len(s.Waiting))
			}
		}
		if s := q.(TypedInspector[string]).Snapshot(0); !slices.IsSortedFunc(s.Waiting, func(a, b Item[string]) int { return a.Due.Compare(b.Due) }) {
			t.Error("Waiting is not in the order of due times")
		}
	})
}

func TestFindTellsWhatIsKnownOfAKey(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		i := q.(TypedInspector[string])
		if it, found := i.Find("a"); found || it.Key != "a" {
			t.Errorf("unknown: %+v, %v", it, found)
		}
		q.AddAfter("a", time.Second)
		if it, found := i.Find("a"); !found || !it.Due.Equal(time.Now().Add(time.Second)) || it.Key != "a" {
			t.Errorf("delayed: %+v, %v", it, found)
		}
		pass(time.Second)
		synctest.Wait()
		if it, found := i.Find("a"); !found || !it.Due.IsZero() || !it.QueuedSince.Equal(time.Now()) {
			t.Errorf("queued: %+v, %v", it, found)
		}
		expect(t, q, "a")
		if it, found := i.Find("a"); !found || !it.QueuedSince.IsZero() || !it.ProcessingSince.Equal(time.Now()) {
			t.Errorf("processing: %+v, %v", it, found)
		}
		q.Done("a")
		if it, found := i.Find("a"); found {
			t.Errorf("done: %+v", it)
		}
		r, ok := q.(TypedRateLimitingInterface[string])
		if !ok {
			return
		}
		r.AddRateLimited("a")
		q.(TypedCanceler[string]).Cancel("a")
		if it, found := i.Find("a"); !found || it.Retries != 1 { // only the limiter remembers it
			t.Errorf("failed: %+v, %v", it, found)
		}
		q.Add("a")
		if s := i.Snapshot(0); s.Queued[0].Retries != 1 {
			t.Errorf("failed and queued: %+v", s.Queued[0])
		}
	})
}

func TestFairQueueShowsTenantAndPriority(t *testing.T) {
	q := queueKinds[5].make(setup{}).(*Fair[string])
	defer q.ShutDown()
	seven := 7
	q.AddWithOpts(AddOpts{Priority: &seven}, "t1/a")
	q.AddWithOpts(AddOpts{Priority: &seven, After: time.Hour}, "t2/b")
	s := q.Snapshot(0)
	if it := s.Queued[0]; it.Tenant != "t1" || it.Priority != 7 {
		t.Errorf("queued: %+v", it)
	}
	if it := s.Waiting[0]; it.Tenant != "t2" || it.Priority != 7 {
		t.Errorf("waiting: %+v", it)
	}
	if it, _ := q.Find("t1/a"); it.Tenant != "t1" || it.Priority != 7 {
		t.Errorf("found: %+v", it)
	}
}

// Snapshot shows the priority of a delayed key; Find must show the same.
func TestFindShowsThePriorityOfADelayedKey(t *testing.T) {
	q, _ := NewFair(FairConfig[string]{})
	defer q.ShutDown()
	for _, priority := range []int{7, -7} {
		q.AddWithOpts(AddOpts{Priority: &priority, After: time.Hour}, "a")
		if it, _ := q.Find("a"); it.Priority != priority {
			t.Errorf("Find says %+v, want priority %d", it, priority)
		}
		q.Cancel("a")
	}
}
