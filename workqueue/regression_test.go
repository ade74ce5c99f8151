package workqueue

import (
	"testing"
	"testing/synctest"
	"time"
)

// Each test in this file is the smallest one for a bug that this package once had.

// A failure inside the window moves an add that is pending for later to the end of the window; the timer must move too.
func TestFailureInsideTheWindowBringsALaterAddForward(t *testing.T) {
	for _, k := range queueKinds[4:] {
		synctest.Test(t, func(t *testing.T) {
			q := k.make(setup{limiter: NewTypedItemFastSlowRateLimiter[string](50*time.Millisecond, time.Hour, 100)}).(TypedRateLimitingInterface[string])
			defer q.ShutDown()
			q.AddRateLimited("a") // the window ends after 50 ms
			q.(TypedCanceler[string]).Cancel("a")
			q.AddAfter("a", 70*time.Millisecond)
			q.AddAfter("b", 20*time.Millisecond) // fires the timer once, which is then set for the 70 ms
			pass(20 * time.Millisecond)
			expect(t, q, "b")
			q.AddRateLimited("a")
			expectWithin(t, arrivals(q), 30*time.Millisecond)
		})
	}
}

// slowLimiter lets a test do something while the queue waits for When.
type slowLimiter struct {
	TypedRateLimiter[string]
	asked, answer chan struct{}
	fail          bool
}

func newSlowLimiter() *slowLimiter {
	return &slowLimiter{
		TypedRateLimiter: NewTypedItemFastSlowRateLimiter[string](50*time.Millisecond, time.Hour, 100),
		asked:            make(chan struct{}), answer: make(chan struct{}),
	}
}

func (l *slowLimiter) When(key string) time.Duration {
	l.asked <- struct{}{}
	<-l.answer
	if l.fail {
		panic("no answer")
	}
	return l.TypedRateLimiter.When(key)
}

// whileAsked calls meanwhile in the middle of an AddRateLimited of a, and expects the key 50 ms later.
func whileAsked(t *testing.T, fail bool, before, meanwhile func(q TypedRateLimitingInterface[string])) {
	for _, k := range queueKinds[4:] {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newSlowLimiter()
				l.fail = fail
				q := k.make(setup{limiter: l}).(TypedRateLimitingInterface[string])
				defer q.ShutDown()
				before(q)
				go quietly(func() { q.AddRateLimited("a") })
				<-l.asked
				meanwhile(q)
				l.answer <- struct{}{}
				synctest.Wait()
				at := arrivals(q)
				expectWithin(t, at, 50*time.Millisecond)
			})
		})
	}
}

// Forget clears the limiter and leaves the queue as it is, so it must not swallow an AddRateLimited under way.
func TestForgetWhileTheLimiterIsAskedDoesNotLoseTheKey(t *testing.T) {
	whileAsked(t, false, func(TypedRateLimitingInterface[string]) {}, func(q TypedRateLimitingInterface[string]) { q.Forget("a") })
}

// Two failures at once, of which the first was of a key that was queued at the time.
func TestFailureWhileTheLimiterIsAskedForAQueuedKeyIsNotLost(t *testing.T) {
	whileAsked(t, false, func(q TypedRateLimitingInterface[string]) { q.Add("a") }, func(q TypedRateLimitingInterface[string]) {
		key, _ := q.Get()
		q.AddRateLimited(key)
		q.Done(key)
	})
}

// The first caller gets a panic; the second did nothing wrong and relies on its add.
func TestFailureWhileTheLimiterPanicsForAnotherIsNotLost(t *testing.T) {
	whileAsked(t, true, func(TypedRateLimitingInterface[string]) {}, func(q TypedRateLimitingInterface[string]) { q.AddRateLimited("a") })
}

// Two keys fail, forget, and the window of the limiter is closed under a second failure.
func TestForgetAfterASecondFailureWhileTheLimiterIsAskedLosesNothing(t *testing.T) {
	whileAsked(t, false, func(TypedRateLimitingInterface[string]) {}, func(q TypedRateLimitingInterface[string]) {
		q.AddRateLimited("a")
		q.Forget("a")
	})
}

// A low priority that was served all the time was not passed over, so a high one goes first when it comes.
func TestHighPriorityGoesFirstAfterALongTimeOfLowOnes(t *testing.T) {
	q, _ := NewFair(FairConfig[int]{})
	defer q.ShutDown()
	for i := range 100 {
		q.Add(i)
	}
	for i := range 50 {
		expect(t, q, i)
	}
	high := 1
	q.AddWithOpts(AddOpts{Priority: &high}, 1000)
	expect(t, q, 1000)
}

// Times are right after ShutDown too, when no timer runs any more.
func TestAgesAreRightAfterShutDownOfABusyQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTyped[int]()
		for i := range 1000 {
			q.Add(i)
		}
		q.ShutDown()
		pass(time.Hour)
		q.Get()
		if age := time.Since(q.Snapshot(0).Processing[0].ProcessingSince); age > 10*time.Millisecond {
			t.Errorf("a key that was just taken is shown as held for %v", age)
		}
	})
}

// moodyTenants returns a fair queue with one key in a worker's hands that was added again, and whose Tenant panics at
// Done.
func moodyTenants(t *testing.T) (q *Fair[string], done func()) {
	fail := false
	q, err := NewFair(FairConfig[string]{Tenant: func(string) string {
		if fail {
			panic("no tenant")
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	q.Add("a")
	expect(t, q, "a")
	q.Add("a")
	return q, func() {
		fail = true
		quietly(func() { q.Done("a") })
		fail = false
	}
}

// The key is then neither queued nor processing; a later Add must not treat it as queued.
func TestTenantThatPanicsInDoneDoesNotBlockTheKey(t *testing.T) {
	q, done := moodyTenants(t)
	defer q.ShutDown()
	done()
	q.Add("a")
	q.Done("a") // in case that it is still taken for processing
	expect(t, q, "a")
	if err := q.queue.verify(); err != nil {
		t.Error(err)
	}
}

func TestTenantThatPanicsInDoneDoesNotBlockTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := moodyTenants(t)
		over := drain(q)
		done()
		q.Done("a") // in case that it is still taken for processing
		if !isOver(over) {
			t.Error("the drain is not over, but no key is processing")
			q.ShutDown()
		}
	})
}

// What Push refused is not known: Find would show a key that neither waits nor is worked on.
func TestKeyThatTheStoreRefusedIsNotKnown(t *testing.T) {
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: &brokenStore{refuse: true}})
	quietly(func() { q.Add("a") })
	if it, found := q.Find("a"); found {
		t.Errorf("Find says %+v", it)
	}
	if n := q.keys.Len(); n != 0 {
		t.Errorf("%d keys are known, want none", n)
	}
}
