package leaderelection

import (
	"runtime"
	"testing"
	"time"

	"vedette.dev/internal/clock"
	"vedette.dev/internal/clock/clocktest"
)

// A leader that wakes after a suspend of the machine knows at once that it leads no more, whatever clock tells it.
func TestSuspend(t *testing.T) {
	for name, suspend := range map[string]func(*clocktest.Clock, time.Duration){
		"known":        func(c *clocktest.Clock, d time.Duration) { c.Jump(d, d) },
		"by the wall":  func(c *clocktest.Clock, d time.Duration) { c.Jump(0, d) },
		"wall was set": func(c *clocktest.Clock, d time.Duration) { c.Jump(d, -time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.add("a", nil)
				a.clock.Inexact = name == "by the wall"
				e.start(a)
				sleep(time.Second)
				suspend(a.clock, renew-2*time.Second)
				wantLeader(t, a, true)
				suspend(a.clock, 2*time.Second)
				ctx := a.context()
				select {
				case <-ctx.Done():
				default:
					t.Error("the context is alive")
				}
				if ctx.Err() == nil || a.IsLeader() {
					t.Errorf("%v, %v", ctx.Err(), a.IsLeader())
				}
				a.await(t)
			})
		})
	}
}

// The same for an elector without calls: it notices soon, though no timer is due.
func TestSuspendIsNoticed(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Second)
		a.link.setFate(always(fate{neverSent: true}))
		a.clock.Jump(time.Hour, time.Hour)
		sleep(500 * time.Millisecond)
		if a.ended.IsZero() {
			t.Error("the context is alive half a second after waking")
		}
		a.await(t)
	})
}

// Where suspends are known, changes of the wall clock have no effect.
func TestWallClockIsSet(t *testing.T) {
	for _, d := range []time.Duration{time.Hour, -time.Hour} {
		bubble(t, func(t *testing.T, e *election) {
			a := e.start(e.add("a", nil))
			sleep(time.Second)
			b := e.start(e.add("b", nil))
			for range 10 {
				sleep(5 * time.Second)
				a.clock.Jump(0, d)
				b.clock.Jump(0, -d)
				wantLeader(t, a, true)
				wantLeader(t, b, false)
			}
		})
	}
}

// Where they are not, a clock that is set may cost the leader its lease, but never makes it lead too long, or another too early.
func TestWallClockIsSetWhereSuspendsAreNotKnown(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a, b := e.add("a", nil), e.add("b", nil)
		a.clock.Inexact, b.clock.Inexact = true, true
		e.start(a)
		sleep(3 * time.Second)
		e.start(b)
		a.clock.Jump(0, -time.Hour)
		b.clock.Jump(0, time.Hour) // b must not believe that a's lease has ended
		sleep(time.Second)
		wantLeader(t, a, true)
		wantLeader(t, b, false)
		a.link.setFate(always(fate{neverSent: true})) // the last renewal was in second 4
		sleep(5 * time.Second)
		b.clock.Jump(0, time.Hour) // nor then, when it sees no renewal any more
		sleep(renew - 5*time.Second + time.Millisecond)
		wantLeader(t, a, false)
		wantLeader(t, b, false)
		sleep(lease)
		wantLeader(t, b, true)
		b.clock.Jump(0, -time.Hour)
		sleep(time.Minute)
		wantLeader(t, b, true)
		b.clock.Jump(0, time.Hour)
		wantLeader(t, b, false)
	})
}

// A process that was stopped, as by SIGSTOP, finds its leadership ended at the first question.
func TestStoppedProcess(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", releasing))
		sleep(time.Second)
		b := e.start(e.add("b", nil))
		sleep(10 * time.Second)
		a.clock.Stop()
		sleep(2 * lease)
		wantLeader(t, b, true)
		e.wantHolder("b", 1)
		a.clock.Continue()
		if a.IsLeader() || a.context().Err() == nil {
			t.Errorf("leads: %v, context: %v", a.IsLeader(), a.context().Err())
		}
		a.await(t)
		e.wantHolder("b", 1)
		wantLeader(t, b, true)
	})
}

// The clock of the machine goes on, and in a bubble the bubble's does.
func TestSystemClock(t *testing.T) {
	var c = &clock.System{}
	first := c.Now()
	if first.Exact != (runtime.GOOS == "linux") {
		t.Errorf("on %s suspends are known: %v", runtime.GOOS, first.Exact)
	}
	for range 100 {
		second := c.Now()
		if d := second.Asleep - first.Asleep; d < -time.Millisecond || d > time.Millisecond {
			t.Fatalf("the machine has slept %v", d)
		}
		if least, most := second.AtLeast(first), second.AtMost(first); least > most || most > time.Minute {
			t.Fatalf("between %v and %v", least, most)
		}
	}
	bubble(t, func(t *testing.T, _ *election) {
		first := c.Now()
		after, stop := c.After(time.Hour)
		defer stop()
		<-after
		if d := c.Now().AtLeast(first); d < time.Hour-time.Second || d > time.Hour+time.Second {
			t.Errorf("an hour is %v", d)
		}
	})
}
