package leaderelection

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (e *election) deleteLease() {
	e.t.Helper()
	if err := e.server.Delete(context.Background(), e.lease(), metav1.DeleteOptions{}); err != nil {
		e.t.Fatal(err)
	}
}

// That a Lease does not exist may mean that it was deleted. So the replica that creates it leads after LeaseDuration, and not before.
func TestFirstElectionWithoutALease(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.deleteLease()
		a, b := e.start(e.add("a", nil)), e.add("b", nil)
		sleep(time.Second)
		e.wantHolder("a", 0)
		e.start(b)
		sleep(lease - time.Second - time.Millisecond)
		wantLeader(t, a, false)
		sleep(2 * time.Millisecond)
		wantLeader(t, a, true)
		wantLeader(t, b, false)
		e.wantHolder("a", 0)
		a.stop()
		sleep(lease + 3*retry) // the next takes over as ever
		wantLeader(t, b, true)
		e.wantHolder("b", 1)
	})
}

// A replica that starts just after the Lease was deleted knows of no leader. There is one, which finds out at its next renewal, or cannot
// reach the server and finds out when its time has run out.
func TestReplicaThatStartsAfterTheLeaseWasDeleted(t *testing.T) {
	for name, cut := range map[string]bool{"leader renews": false, "leader is cut off": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.start(e.add("a", releasing))
				sleep(time.Minute + 10*time.Millisecond)
				if cut {
					a.link.setFate(always(fate{neverSent: true}))
				}
				e.deleteLease()
				b := e.start(e.add("b", nil))
				sleep(time.Second)
				e.wantHolder("b", 0)
				wantLeader(t, b, false)
				if wantLeader(t, a, true); !cut {
					sleep(retry)
					wantLeader(t, a, false)
					if cause := context.Cause(a.context()); !errors.Is(cause, errTaken) {
						t.Errorf("ended because of %v", cause)
					}
				}
				sleep(lease + retry)
				wantLeader(t, b, true)
				if a.ended.IsZero() || !a.ended.Before(b.since) {
					t.Errorf("a led until %v, b from %v on", a.ended, b.since)
				}
			})
		})
	}
}

// The Lease is deleted while the replica that has created it waits: it begins anew.
func TestLeaseIsDeletedBeforeTheFirstTerm(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		e.deleteLease()
		a := e.start(e.add("a", nil))
		sleep(lease - time.Second)
		e.deleteLease()
		sleep(lease - 3*retry)
		wantLeader(t, a, false)
		sleep(6 * retry)
		wantLeader(t, a, true)
	})
}

// A replica that stops before it leads does not give the Lease back: the next would take it at once.
func TestStopBeforeTheFirstTerm(t *testing.T) {
	lost := writes(fate{neverAnswered: true})
	for name, test := range map[string]struct{ first, then func(*http.Request) fate }{
		"created": {}, "answer is lost": {first: lost}, "answer to a renewal is lost": {then: lost},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				leader := e.start(e.add("leader", nil))
				sleep(time.Minute)
				leader.link.setFate(always(fate{neverSent: true}))
				e.deleteLease()
				a := e.add("a", releasing)
				a.link.setFate(test.first)
				e.start(a)
				sleep(time.Second)
				a.link.setFate(test.then)
				sleep(retry)
				a.link.setFate(nil)
				a.stop()
				b := e.start(e.add("b", nil))
				sleep(lease - retry)
				wantLeader(t, b, false)
				sleep(3 * retry)
				wantLeader(t, b, true)
				if !leader.ended.Before(b.since) {
					t.Errorf("one led until %v, the next from %v on", leader.ended, b.since)
				}
			})
		})
	}
}

// A leader creates its Lease anew, and that takes effect long after its term. When it runs again, it finds its own record; but others
// may have led since.
func TestCreatedAnewAfterTheTerm(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Minute)
		a.link.setFate(func(r *http.Request) fate {
			if r.Method == http.MethodPost {
				return fate{there: 20 * time.Second}
			}
			return fate{}
		})
		e.deleteLease()
		sleep(22 * time.Second)
		a.await(t)
		a.link.setFate(nil)
		e.wantHolder("a", 0)
		e.start(a)
		sleep(lease - retry)
		wantLeader(t, a, false)
		sleep(2 * retry)
		wantLeader(t, a, true)
	})
}
