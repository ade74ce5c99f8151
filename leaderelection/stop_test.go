package leaderelection

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// slowly is work that takes its time to stop.
func slowly(d time.Duration) func(context.Context) {
	return func(ctx context.Context) {
		<-ctx.Done()
		time.Sleep(d)
	}
}

// The lock is given back after the work has stopped, and renewed until then.
func TestReleaseComesAfterTheWork(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel, c.Callbacks.OnStartedLeading = true, slowly(time.Minute)
		}))
		sleep(time.Second)
		b := e.start(e.add("b", nil))
		sleep(10 * time.Second)
		a.cancel()
		sleep(time.Minute - time.Millisecond)
		e.wantHolder("a", 0)
		wantLeader(t, a, true)
		if a.context().Err() == nil || a.stops() != 0 {
			t.Errorf("the context of the work has not ended, or OnStoppedLeading was called %d times while it went on", a.stops())
		}
		sleep(2 * time.Millisecond)
		e.wantHolder("", 0)
		wantLeader(t, a, false)
		if a.stops() != 1 {
			t.Errorf("OnStoppedLeading was called %d times", a.stops())
		}
		sleep(3 * retry)
		wantLeader(t, b, true)
	})
}

// The lease is lost while the work winds down after a cancel: Run waits no longer than until another may lead.
func TestLossWhileWindingDown(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel, c.Callbacks.OnStartedLeading = true, slowly(5*time.Minute)
		}))
		sleep(time.Second)
		b := e.start(e.add("b", nil))
		a.cancel()
		sleep(10 * time.Second) // the last renewal was in second 10
		a.link.setFate(always(fate{refused: true}))
		sleep(lease - time.Second - time.Millisecond)
		if a.stops() != 0 {
			t.Error("OnStoppedLeading was called too early")
		}
		sleep(2 * time.Millisecond)
		if a.stops() != 1 || b.IsLeader() {
			t.Errorf("OnStoppedLeading was called %d times before another could lead", a.stops())
		}
		a.await(t)
		sleep(3 * retry) // b may have seen the last renewal that much later
		wantLeader(t, b, true)
		sleep(5 * time.Minute)
	})
}

// Work that does not return after a loss: OnStoppedLeading is called when another may lead; a second Run waits for it.
func TestWorkThatIgnoresItsContext(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		dog := NewLeaderHealthzAdaptor(5 * time.Second)
		if err := dog.Check(nil); err != nil {
			t.Error(err)
		}
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel, c.Callbacks.OnStartedLeading, c.WatchDog = true, func(context.Context) { time.Sleep(5 * time.Minute) }, dog
		}))
		sleep(time.Second)
		a.link.setFate(always(fate{refused: true}))
		sleep(renew) // and a second
		if a.context().Err() == nil || a.stops() != 0 {
			t.Errorf("the context of the work has not ended, or OnStoppedLeading was called %d times", a.stops())
		}
		sleep(lease - renew - time.Second - time.Millisecond)
		if a.stops() != 0 {
			t.Error("OnStoppedLeading was called too early")
		}
		sleep(time.Millisecond)
		a.await(t)
		if a.stops() != 1 {
			t.Errorf("OnStoppedLeading was called %d times", a.stops())
		}
		a.link.setFate(nil)
		e.wantHolder("a", 0) // not given back
		if err := dog.Check(nil); err != nil {
			t.Errorf("unhealthy too early: %v", err)
		}
		e.start(a)
		sleep(10 * time.Second)
		wantLeader(t, a, false)
		if err := dog.Check(nil); err == nil || !strings.Contains(err.Error(), "still works as the leader") || !strings.Contains(err.Error(), "default/election") {
			t.Errorf("healthy: %v", err)
		}
		sleep(5 * time.Minute)
		wantLeader(t, a, true)
		if err := dog.Check(nil); err != nil || dog.Name() != "leaderElection" {
			t.Errorf("%s is unhealthy: %v", dog.Name(), err)
		}
		a.stop()
	})
}

func TestStopTimeout(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel, c.StopTimeout, c.Callbacks.OnStartedLeading = true, 20*time.Second, slowly(time.Minute)
		}))
		sleep(time.Second)
		a.cancel()
		sleep(20*time.Second - time.Millisecond)
		wantLeader(t, a, true)
		sleep(2 * time.Millisecond)
		a.await(t)
		wantLeader(t, a, false)
		e.wantHolder("a", 0) // the work goes on: the lock is not given back
		if a.stops() != 1 {
			t.Errorf("OnStoppedLeading was called %d times", a.stops())
		}
		sleep(time.Minute)
		if err := a.Check(0); err != nil {
			t.Errorf("the work has returned: %v", err)
		}
	})
}

// Programs return from OnStartedLeading at once, and lead all the same.
func TestWorkThatReturnsEarly(t *testing.T) {
	for name, work := range map[string]func(context.Context){
		"return": func(context.Context) {},
		"Goexit": func(context.Context) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.start(e.add("a", func(c *LeaderElectionConfig) { c.ReleaseOnCancel, c.Callbacks.OnStartedLeading = true, work }))
				sleep(5 * time.Minute)
				wantLeader(t, a, true)
				if err := a.Check(0); err != nil || a.context().Err() != nil {
					t.Errorf("%v, %v", err, a.context().Err())
				}
				a.stop()
				e.wantHolder("", 0)
			})
		})
	}
}

// A panic of the work gives the lock back and goes on, out of Run.
func TestPanicInTheWork(t *testing.T) {
	boom := errors.New("boom")
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel = true
			c.Callbacks.OnStartedLeading = func(context.Context) {
				time.Sleep(time.Minute)
				panic(boom)
			}
		}))
		sleep(5 * time.Minute)
		a.await(t)
		err, ok := a.panicked.(error)
		if !ok || !errors.Is(err, boom) || !strings.Contains(err.Error(), "OnStartedLeading panicked: boom") || !strings.Contains(err.Error(), "stop_test.go") {
			t.Errorf("panic with %v", a.panicked)
		}
		e.wantHolder("", 0)
		if a.stops() != 0 || a.context().Err() == nil || a.IsLeader() {
			t.Errorf("OnStoppedLeading was called %d times; the context is %v", a.stops(), a.context().Err())
		}
	})
}

func TestPanicInOnNewLeader(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel = true
			c.Callbacks.OnNewLeader = func(string) { panic("boom") }
		}))
		sleep(time.Minute)
		a.await(t)
		p, ok := a.panicked.(*PanicError)
		if !ok || p.Callback != "OnNewLeader" || p.Value != "boom" || p.Unwrap() != nil {
			t.Errorf("panic with %v", a.panicked)
		}
		e.wantHolder("", 0)
	})
}

// OnNewLeader may be slow: renewals continue, and it gets the newest leader.
func TestSlowOnNewLeader(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.Callbacks.OnNewLeader = func(string) { time.Sleep(10 * time.Minute) }
		}))
		sleep(5 * time.Minute)
		wantLeader(t, a, true)
		a.cancel()
		sleep(time.Second)
		if a.stops() != 1 {
			t.Error("OnStoppedLeading waited for OnNewLeader")
		}
		a.await(t)
	})
}
