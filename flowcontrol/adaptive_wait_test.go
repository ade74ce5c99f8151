package flowcontrol

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAdaptiveCancelledWaitTakesNoToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{MaxRate: 1, Burst: 1})
		a.Accept()
		start := time.Now()
		var waiters sync.WaitGroup
		for i := range 10 { // one of them has the turn when it gives up
			waiters.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*50*time.Millisecond)
				defer cancel()
				if err := a.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Wait returned %v", err)
				}
			})
		}
		waiters.Wait()
		a.Accept()
		if d := time.Since(start); d != time.Second {
			t.Errorf("the next token came after %v, want 1s", d)
		}
		if n := a.State().Waiting; n != 0 {
			t.Errorf("%d callers still wait", n)
		}
	})
}

func TestAdaptiveWaitSaysWhyItGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{MaxRate: 1, Burst: 1})
		a.Accept()
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("shutting down")
		time.AfterFunc(time.Millisecond, func() { cancel(why) })
		if err := a.Wait(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("Wait returned %v", err)
		}
		if err := a.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait with a context that is over returned %v", err)
		}
	})
}

func TestAdaptiveWaitFailsAtOnceWhenHeldTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{})
		a.Observe(Answer{StatusCode: 429, RetryAfter: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		err := a.Wait(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1m0s") {
			t.Errorf("Wait returned %v", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("it took %v to say so", d)
		}
	})
}

func TestAdaptiveServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{MaxRate: 10, Burst: 1})
		a.Accept()
		order := make(chan int, 20)
		for i := range 20 {
			go func() {
				a.Accept()
				order <- i
			}()
			synctest.Wait()
		}
		if a.TryAccept() {
			t.Error("TryAccept overtook those who wait")
		}
		for i := range 20 {
			if got := <-order; got != i {
				t.Fatalf("caller %d was served as number %d", got, i)
			}
		}
	})
}

// A token that becomes available while a caller waits is for that caller.
func TestAdaptiveTryAcceptDoesNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{MaxRate: 10})
		a.turn <- struct{}{} // as if another caller had the turn, and had not yet seen the tokens
		done := make(chan struct{})
		go func() { a.Accept(); close(done) }()
		synctest.Wait()
		if a.TryAccept() {
			t.Error("TryAccept overtook a caller that waits")
		}
		<-a.turn
		<-done
		if !a.TryAccept() {
			t.Error("TryAccept found no token though no caller waits")
		}
	})
}

// A Retry-After counts even when it comes too soon after a decrease to cause another.
func TestAdaptiveHoldsWithoutDecrease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{Recovery: time.Millisecond})
		a.Observe(tooMany)
		time.Sleep(time.Millisecond)
		a.Observe(ok)
		if !math.IsInf(a.State().Rate, 1) || !a.TryAccept() {
			t.Fatalf("not recovered: %+v", a.State())
		}
		a.Observe(holdOff)
		if a.TryAccept() {
			t.Error("a token was taken before the Retry-After had passed")
		}
		start := time.Now()
		a.Accept()
		if d := time.Since(start); d != holdOff.RetryAfter {
			t.Errorf("the next token came after %v", d)
		}
	})
}

// A caller that waits at a low rate is served sooner when the rate rises.
func TestAdaptiveRiseWakesTheWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{MinRate: 0.01, Recovery: time.Second})
		a.Observe(tooMany) // the rate is now the floor: a token in 100 s
		start := time.Now()
		done := make(chan struct{})
		go func() { a.Accept(); close(done) }()
		time.Sleep(2 * time.Second)
		a.Observe(ok) // past Recovery: no limit
		<-done
		if d := time.Since(start); d != 2*time.Second {
			t.Errorf("served after %v, want 2s", d)
		}
	})
}
