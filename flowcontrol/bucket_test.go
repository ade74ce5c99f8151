package flowcontrol

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

func TestTokenBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewTokenBucketRateLimiter(10, 3)
		start := time.Now()
		for range 3 {
			if !l.TryAccept() {
				t.Fatal("the bucket is not full at first")
			}
		}
		if l.TryAccept() {
			t.Fatal("there was a fourth token")
		}
		l.Accept()
		if err := l.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != 200*time.Millisecond {
			t.Errorf("two more tokens took %v, want 200ms", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := l.Wait(ctx); err == nil {
			t.Error("Wait returned a token that the context could not wait for")
		}
		if d := time.Since(start); d != 200*time.Millisecond {
			t.Errorf("Wait took until %v to find that the token comes too late", d)
		}
		if l.QPS() != 10 {
			t.Errorf("QPS is %v", l.QPS())
		}
		l.Stop()
	})
}

func TestTokenBucketFollowsItsClock(t *testing.T) {
	clock := testclock.NewFakeClock(time.Unix(0, 0))
	active := NewTokenBucketRateLimiterWithClock(1, 1, clock)
	passive := NewTokenBucketPassiveRateLimiterWithClock(1, 1, clock)
	for range 2 {
		for _, l := range []PassiveRateLimiter{active, passive} {
			if !l.TryAccept() || l.TryAccept() {
				t.Fatal("there is not exactly one token")
			}
		}
		clock.Step(time.Second)
	}
	clock.Step(-time.Second)
	active.TryAccept()
	before := clock.Now()
	active.Accept() // sleeps on the clock, which moves it
	if d := clock.Since(before); d != time.Second {
		t.Errorf("Accept slept for %v, want 1s", d)
	}
}

func TestFakeLimiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		always := NewFakeAlwaysRateLimiter()
		always.Accept()
		if !always.TryAccept() || always.Wait(t.Context()) != nil {
			t.Error("the limiter that always accepts did not")
		}
		never := NewFakeNeverRateLimiter()
		if never.TryAccept() || never.Wait(t.Context()) == nil {
			t.Error("the limiter that never accepts did")
		}
		accepted := false
		go func() { never.Accept(); accepted = true }()
		synctest.Wait()
		if accepted {
			t.Error("Accept of the limiter that never accepts returned before Stop")
		}
		never.Stop()
		never.Stop() // must not panic
		synctest.Wait()
		if !accepted {
			t.Error("Stop did not end Accept")
		}
	})
}

func TestBackoffGrowsAndExpires(t *testing.T) {
	clock := testclock.NewFakeClock(time.Unix(1000, 0))
	b := NewFakeBackOff(time.Second, 10*time.Second, clock)
	if b.Get("a") != 0 || b.IsInBackOffSince("a", clock.Now()) {
		t.Error("an unknown id has a delay")
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 10, 10} {
		b.Next("a", clock.Now())
		if got := b.Get("a"); got != want*time.Second {
			t.Fatalf("the delay is %v, want %v", got, want*time.Second)
		}
	}
	failed := clock.Now()
	clock.Step(9 * time.Second)
	if !b.IsInBackOffSince("a", failed) || !b.IsInBackOffSinceUpdate("a", clock.Now()) {
		t.Error("the delay of 10s is over after 9s")
	}
	clock.Step(time.Second)
	if b.IsInBackOffSince("a", failed) || b.IsInBackOffSinceUpdate("a", clock.Now()) {
		t.Error("the delay of 10s is not over after 10s")
	}
	clock.Step(10 * time.Second) // 20s: not more than twice the maximum
	b.GC()
	if b.Get("a") == 0 {
		t.Error("GC removed an entry that had not expired")
	}
	clock.Step(time.Nanosecond)
	b.Next("a", clock.Now())
	if got := b.Get("a"); got != time.Second {
		t.Errorf("after a long peace the delay is %v, want 1s", got)
	}
	clock.Step(time.Hour)
	b.GC()
	if b.Get("a") != 0 {
		t.Error("GC left an entry that had expired")
	}
	b.Next("b", clock.Now())
	b.Next("c", clock.Now())
	b.Reset("b")
	b.DeleteEntry("c")
	if b.Get("b") != 0 || b.Get("c") != 0 {
		t.Error("Reset or DeleteEntry left the delay")
	}
}

func TestBackoffHasExpiredFunc(t *testing.T) {
	clock := testclock.NewFakeClock(time.Unix(1000, 0))
	b := NewFakeBackOff(time.Second, time.Minute, clock)
	b.HasExpiredFunc = func(event, last time.Time, max time.Duration) bool { return event.Sub(last) >= 5*time.Second }
	b.Next("a", clock.Now())
	clock.Step(5 * time.Second)
	b.Next("a", clock.Now())
	if got := b.Get("a"); got != time.Second {
		t.Errorf("the delay is %v, and should have begun anew", got)
	}
}

func TestBackoffJitterStaysInBounds(t *testing.T) {
	b := NewBackOffWithJitter(time.Second, time.Hour, 0.5)
	b.Next("a", time.Now())
	if d := b.Get("a"); d < time.Second || d > 1500*time.Millisecond {
		t.Errorf("the first delay is %v", d)
	}
	for range 100 {
		before := b.Get("a")
		b.Next("a", time.Now())
		if d := b.Get("a"); d < min(2*before, time.Hour) || d > time.Hour {
			t.Fatalf("the delay after %v is %v", before, d)
		}
	}
}

// Doubling must not pass what a Duration can hold.
func TestBackoffDoesNotOverflow(t *testing.T) {
	b := NewBackOff(time.Second, math.MaxInt64)
	for range 100 {
		b.Next("a", time.Now())
		if b.Get("a") < time.Second {
			t.Fatalf("the delay is %v", b.Get("a"))
		}
	}
	if b.Get("a") != math.MaxInt64 {
		t.Errorf("the delay is %v", b.Get("a"))
	}
}
