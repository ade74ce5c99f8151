package leaderelection

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	rl "vedette.dev/leaderelection/resourcelock"
)

func releasing(c *LeaderElectionConfig) { c.ReleaseOnCancel = true }

// One leads; when it is cancelled it gives the lock back, and another leads soon.
func TestOneLeadsAtATime(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", releasing))
		sleep(time.Second)
		b := e.start(e.add("b", releasing))
		sleep(time.Minute)
		wantLeader(t, a, true)
		wantLeader(t, b, false)
		e.wantHolder("a", 0)
		if a.GetLeader() != "a" || b.GetLeader() != "a" {
			t.Errorf("%q and %q lead", a.GetLeader(), b.GetLeader())
		}
		a.stop()
		wantLeader(t, a, false)
		e.wantHolder("", 0)
		sleep(time.Duration(2.2*float64(retry)) + time.Second)
		wantLeader(t, b, true)
		e.wantHolder("b", 1)
		b.mu.Lock()
		heard := slices.Clone(b.leaders)
		b.mu.Unlock()
		if s := strings.Join(heard, " "); s != "a b" && s != "a  b" {
			t.Errorf("OnNewLeader of b heard %q", heard)
		}
	})
}

func TestReleasedRecord(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", releasing))
		sleep(time.Minute)
		a.stop()
		record := rl.LeaseSpecToLeaderElectionRecord(&e.lease().Spec)
		if record.HolderIdentity != "" || record.LeaseDurationSeconds != 1 || record.LeaderTransitions != 0 || a.GetLeader() != "" {
			t.Errorf("%+v", record)
		}
	})
}

// Without ReleaseOnCancel the lease ends by itself.
func TestCancelWithoutRelease(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		b := e.add("b", nil)
		sleep(time.Second)
		e.start(b)
		sleep(10 * time.Second)
		a.stop()
		e.wantHolder("a", 0)
		sleep(lease - 2*time.Second)
		wantLeader(t, b, false)
		sleep(2*time.Second + 3*retry)
		wantLeader(t, b, true)
	})
}

func TestOnStoppedLeadingIsAlwaysCalled(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a, b := e.start(e.add("a", nil)), e.add("b", nil)
		sleep(time.Second)
		e.start(b)
		sleep(time.Minute)
		b.stop()
		if b.stops() != 1 || b.context() != nil {
			t.Errorf("b, which never led: OnStoppedLeading was called %d times", b.stops())
		}
		a.stop()
		if a.stops() != 1 {
			t.Errorf("a, which led: OnStoppedLeading was called %d times", a.stops())
		}
	})
}

// The leader stops leading RenewDeadline after it sent the last renewal that succeeded, not after it was answered.
func TestDeadlineCountsFromBeforeSending(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Second)
		began := time.Now().Add(-time.Second)
		a.link.setFate(writes(fate{back: 4 * time.Second})) // the renewal of second 2 is answered in second 6
		sleep(3 * time.Second)
		a.link.setFate(always(fate{neverSent: true}))
		sleep(8*time.Second - 2*time.Millisecond) // just before second 12
		wantLeader(t, a, true)
		if err := a.context().Err(); err != nil {
			t.Errorf("too early: %v", err)
		}
		sleep(3 * time.Millisecond)
		wantLeader(t, a, false)
		a.await(t)
		if d := a.ended.Sub(began); d < 12*time.Second-time.Millisecond || d > 12*time.Second+time.Millisecond {
			t.Errorf("the context of the work ended after %v, want 12s", d)
		}
		if cause := context.Cause(a.context()); !errors.Is(cause, ErrLost) {
			t.Errorf("the cause is %v", cause)
		}
	})
}

// What others believe begins when they see a record, whatever its times say.
func TestExpiryIsByTheObserversClock(t *testing.T) {
	for _, skew := range []time.Duration{-time.Hour, 0, time.Hour} {
		bubble(t, func(t *testing.T, e *election) {
			a := e.add("a", nil)
			a.clock.Jump(0, skew)
			e.start(a)
			sleep(3 * time.Second)
			a.link.setFate(always(fate{neverSent: true})) // the last renewal was in second 2
			b := e.start(e.add("b", nil))                 // sees it in second 3
			sleep(lease - time.Millisecond)
			wantLeader(t, b, false)
			sleep(retry/10 + time.Millisecond) // b looks again up to a tenth of a period after the end
			wantLeader(t, b, true)
			e.wantHolder("b", 1)
			if !a.ended.Before(b.since) {
				t.Errorf("a led until %v, b from %v on", a.ended, b.since)
			}
		})
	}
}

// While the lease is valid, a renewal is one request. If something else has changed the Lease, it is three.
func TestFastPath(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		metric := &countingMetric{}
		a := e.start(e.add("a", func(c *LeaderElectionConfig) { c.Metrics = metric }))
		sleep(time.Second)
		if got := a.link.methods(); got != "GET PUT" {
			t.Errorf("elected by %s", got)
		}
		sleep(3 * retry)
		if got := a.link.methods(); got != "PUT PUT PUT" {
			t.Errorf("renewed by %s", got)
		}
		e.edit(func(l *coordinationv1.Lease) { l.Annotations = map[string]string{"seen": "by hand"} })
		sleep(2 * retry)
		if got := a.link.methods(); got != "PUT GET PUT PUT" {
			t.Errorf("renewed by %s", got)
		}
		wantLeader(t, a, true)
		a.stop()
		if got := metric.String(); got != "off on slow off" {
			t.Errorf("metrics: %s", got)
		}
	})
}

func TestTransitionsGrowOnlyOnTakeOver(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Minute)
		a.stop()
		e.start(a) // the same elector finds its own record
		sleep(time.Second)
		wantLeader(t, a, true)
		e.wantHolder("a", 0)
		if n, ok := Term(a.context()); n != 0 || !ok {
			t.Errorf("term %d, %v", n, ok)
		}
		a.stop()
		b := e.start(e.add("b", nil))
		sleep(time.Minute)
		e.wantHolder("b", 1)
		if n, ok := Term(b.context()); n != 1 || !ok {
			t.Errorf("term %d, %v", n, ok)
		}
		if _, ok := Term(t.Context()); ok {
			t.Error("a term without an election")
		}
	})
}

// If the Lease changes between the look at it and the release, the release looks again.
func TestReleaseRetriesOnConflict(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", releasing))
		sleep(time.Second)
		a.link.methods()
		edited := false
		a.link.setFate(func(r *http.Request) fate {
			if r.Method == http.MethodPut && !edited {
				edited = true
				e.edit(func(l *coordinationv1.Lease) { l.Annotations = map[string]string{"edited": "by hand"} })
			}
			return fate{}
		})
		a.stop()
		e.wantHolder("", 0)
		if got := a.link.methods(); got != "GET PUT GET PUT" {
			t.Errorf("released by %s", got)
		}
	})
}

// Events are about the Lease.
func TestEvents(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		var events eventLog
		a := e.add("a", releasing)
		a.lock.LockConfig.EventRecorder = &events
		e.start(a)
		sleep(time.Second)
		uid := e.lease().UID
		a.stop()
		want := []string{
			"Lease default/election " + string(uid) + " Normal LeaderElection a became leader",
			"Lease default/election " + string(uid) + " Normal LeaderElection a stopped leading",
		}
		if !slices.Equal(events.all, want) {
			t.Errorf("%q, want %q", events.all, want)
		}
	})
}

func TestTwoRunsAtATime(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		synctest.Wait()
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		a.Run(t.Context())
	})
}
