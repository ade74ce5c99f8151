package leaderelection

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	rl "vedette.dev/leaderelection/resourcelock"
)

func coordinated(c *LeaderElectionConfig) { c.Coordinated, c.ReleaseOnCancel = true, true }

// assign makes a replica the holder, as the API server does.
func (e *election) assign(identity string) {
	e.t.Helper()
	e.edit(func(l *coordinationv1.Lease) { assignTo(l, identity) })
}

func assignTo(l *coordinationv1.Lease, identity string) {
	seconds, strategy := int32(5), coordinationv1.OldestEmulationVersion
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds, l.Spec.Strategy = &identity, &seconds, &strategy
	l.Spec.RenewTime, l.Spec.AcquireTime, l.Spec.PreferredHolder = &metav1.MicroTime{Time: time.Now()}, nil, nil
}

// prefer asks the holder to give way to another replica.
func (e *election) prefer(identity string) {
	e.t.Helper()
	e.edit(func(l *coordinationv1.Lease) { l.Spec.PreferredHolder = &identity })
}

// held makes the lock one that was held before, so that the next leader need not wait.
func (e *election) held() {
	e.t.Helper()
	e.edit(func(l *coordinationv1.Lease) { n := int32(6); l.Spec.LeaseTransitions = &n })
}

// A lock that is free, expired or missing is not taken; only one that the server has assigned is.
func TestCoordinatedWaitsForTheServer(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a := e.start(e.add("a", coordinated))
		sleep(time.Minute)
		wantLeader(t, a, false)
		e.assign("b") // does not exist, and never renews
		sleep(time.Minute)
		wantLeader(t, a, false)
		e.wantHolder("b", 6)
		if err := e.server.Delete(t.Context(), e.lease(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		sleep(time.Minute)
		wantLeader(t, a, false)
		for _, method := range []string{http.MethodPut, http.MethodPost} {
			if got := a.link.count(method); got != 0 {
				t.Errorf("%d requests %s without being the holder", got, method)
			}
		}
	})
}

// count returns the number of requests with a method.
func (l *link) count(method string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.sent {
		if m == method {
			n++
		}
	}
	return n
}

func TestCoordinatedLeads(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a := e.start(e.add("a", coordinated))
		sleep(time.Minute)
		e.assign("a")
		sleep(3 * retry)
		wantLeader(t, a, true)
		e.wantHolder("a", 7)
		if n, ok := Term(a.context()); n != 7 || !ok {
			t.Errorf("term %d, %v", n, ok)
		}
		sleep(time.Hour)
		wantLeader(t, a, true)
		record := rl.LeaseSpecToLeaderElectionRecord(&e.lease().Spec)
		if record.Strategy != coordinationv1.OldestEmulationVersion || record.LeaseDurationSeconds != 15 || record.AcquireTime.IsZero() {
			t.Errorf("the renewed record is %+v", record)
		}
		a.stop()
		record = rl.LeaseSpecToLeaderElectionRecord(&e.lease().Spec)
		if record.HolderIdentity != "" || record.Strategy != coordinationv1.OldestEmulationVersion {
			t.Errorf("the released record is %+v", record)
		}
	})
}

// That the server has named a replica begins no term: its own renewal has to succeed.
func TestCoordinatedTermBeginsWithARenewal(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a := e.add("a", coordinated)
		a.link.setFate(writes(fate{refused: true}))
		e.start(a)
		e.assign("a")
		sleep(time.Minute)
		wantLeader(t, a, false)
		if a.context() != nil || a.link.count(http.MethodPut) == 0 {
			t.Error("a led before it has renewed, or did not try to")
		}
		a.link.setFate(nil)
		sleep(3 * retry) // though it has expired: no other was named
		wantLeader(t, a, true)
	})
}

// An update that was sent before the server has named another replica is a conflict.
func TestCoordinatedRaceWithTheServer(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a := e.add("a", coordinated)
		e.assign("a")
		a.link.setFate(writes(fate{there: time.Second}))
		e.start(a)
		sleep(time.Second / 2)
		e.assign("b")
		sleep(time.Minute)
		wantLeader(t, a, false)
		e.wantHolder("b", 6)
	})
}

// A leader whose Lease names another preferred holder stops its work, and then releases the lock.
func TestCoordinatedPreferredHolder(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		returned := time.Time{}
		a := e.add("a", func(c *LeaderElectionConfig) {
			coordinated(c)
			c.Callbacks.OnStartedLeading = func(ctx context.Context) {
				<-ctx.Done()
				time.Sleep(3 * time.Second)
				returned = time.Now()
			}
		})
		e.assign("a")
		e.start(a)
		b := e.start(e.add("b", coordinated))
		sleep(time.Minute)
		wantLeader(t, a, true)
		e.prefer("a")
		sleep(time.Minute)
		wantLeader(t, a, true) // it is the preferred one
		e.prefer("b")
		sleep(retry)
		wantLeader(t, a, false)
		wantLeader(t, b, false)
		if cause := context.Cause(a.context()); !errors.Is(cause, ErrLost) || !errors.Is(cause, errPreferred) {
			t.Errorf("the cause is %v", cause)
		}
		e.wantHolder("a", 7) // the work goes on
		a.await(t)
		if returned.IsZero() || time.Since(returned) > time.Second {
			t.Errorf("the work has returned at %v", returned)
		}
		e.wantHolder("", 7)
		e.assign("b")
		sleep(3 * retry)
		wantLeader(t, b, true)
		e.wantHolder("b", 8)
	})
}

// Without ReleaseOnCancel the lease is left to expire, and is not taken again.
func TestCoordinatedPreferredHolderWithoutRelease(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a := e.add("a", func(c *LeaderElectionConfig) { c.Coordinated = true })
		e.assign("a")
		e.start(a)
		sleep(time.Second)
		wantLeader(t, a, true)
		e.prefer("b")
		a.await(t)
		e.wantHolder("a", 7)
		e.start(a)
		sleep(time.Hour)
		wantLeader(t, a, false)
		e.wantHolder("a", 7)
	})
}

// A lock that the server has created may have been deleted while another replica held it: its holder waits for
// LeaseDuration before it leads. A leader that is cut off from the server has stopped by then.
func TestCoordinatedDeletedLock(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a, b := e.add("a", coordinated), e.add("b", coordinated)
		e.assign("a")
		e.start(a)
		e.start(b)
		sleep(time.Second)
		wantLeader(t, a, true)
		a.link.setFate(always(fate{neverSent: true}))
		e.recreate("b")
		began := time.Now()
		sleep(lease - time.Millisecond)
		wantLeader(t, b, false)
		sleep(3 * retry)
		wantLeader(t, b, true)
		e.wantHolder("b", 1)
		if a.ended.IsZero() || !a.ended.Before(b.since) || b.since.Sub(began) < lease {
			t.Errorf("a led until %v, b from %v on", a.ended, b.since)
		}
	})
}

// A leader goes on if the server has created the lock again for it, and not if it has for another.
func TestCoordinatedCreatedAgain(t *testing.T) {
	for _, holder := range []string{"a", "b"} {
		bubble(t, func(t *testing.T, e *election) {
			e.held()
			a := e.add("a", coordinated)
			e.assign("a")
			e.start(a)
			sleep(time.Second)
			e.recreate(holder)
			sleep(2 * retry)
			wantLeader(t, a, holder == "a")
			sleep(time.Minute)
			wantLeader(t, a, holder == "a")
			if got, _ := e.holder(); got != holder {
				t.Errorf("held by %q, want %q", got, holder)
			}
		})
	}
}

// Without a lock a leader stops after RenewDeadline, and does not create it.
func TestCoordinatedLockIsGone(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a := e.add("a", coordinated)
		e.assign("a")
		e.start(a)
		sleep(time.Second)
		if err := e.server.Delete(t.Context(), e.lease(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		sleep(renew - 2*time.Second)
		wantLeader(t, a, true)
		sleep(2 * time.Second)
		wantLeader(t, a, false)
		a.await(t)
		if a.link.count(http.MethodPost) != 0 {
			t.Error("it has created the lock")
		}
	})
}

// A lock with our identity that another process has renewed is not taken before it has expired.
func TestCoordinatedSameIdentity(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.held()
		a, twin := e.add("a", coordinated), e.add("a", coordinated)
		e.assign("a")
		e.start(a)
		sleep(time.Second)
		e.start(twin)
		sleep(time.Hour)
		wantLeader(t, a, true)
		wantLeader(t, twin, false)
		a.link.setFate(always(fate{neverSent: true}))
		sleep(time.Minute)
		wantLeader(t, twin, true)
		if !a.ended.Before(twin.since) {
			t.Errorf("a led until %v, its twin from %v on", a.ended, twin.since)
		}
	})
}

// recreate deletes the lock and creates it for a replica, as the API server does.
func (e *election) recreate(identity string) {
	e.t.Helper()
	if err := e.server.Delete(e.t.Context(), e.lease(), metav1.DeleteOptions{}); err != nil {
		e.t.Fatal(err)
	}
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}}
	assignTo(l, identity)
	if _, err := e.server.Create(e.t.Context(), l); err != nil {
		e.t.Fatal(err)
	}
}
