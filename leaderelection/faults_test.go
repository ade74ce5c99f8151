package leaderelection

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
)

// Whatever the server answers, a leader that cannot renew stops after RenewDeadline, and one that is not elected tries on.
func TestServerThatRefuses(t *testing.T) {
	for _, effect := range []apitest.Effect{
		apitest.AnswerUnauthorized, apitest.AnswerForbidden, apitest.AnswerNotFound, apitest.AnswerConflict, apitest.AnswerTooManyRequests,
		apitest.AnswerInternalError, apitest.AnswerBadGateway, apitest.AnswerUnavailable, apitest.AnswerTimeout, apitest.Garbage,
	} {
		t.Run(string(effect), func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.start(e.add("a", releasing))
				sleep(time.Second)
				wantLeader(t, a, true)
				fault, err := e.server.Inject(apitest.Fault{Effect: effect})
				if err != nil {
					t.Fatal(err)
				}
				sleep(renew - time.Second - time.Millisecond)
				wantLeader(t, a, true)
				sleep(2 * time.Millisecond)
				wantLeader(t, a, false)
				sleep(lease)
				a.await(t)
				if d := a.ended.Sub(a.since); d < renew-time.Millisecond || d > renew+time.Millisecond {
					t.Errorf("led for %v", d)
				}
				b := e.start(e.add("b", nil))
				sleep(time.Minute)
				wantLeader(t, b, false)
				fault.Remove()
				sleep(lease + 3*retry)
				wantLeader(t, b, true)
			})
		})
	}
}

// A short outage costs nothing.
func TestShortOutage(t *testing.T) {
	for name, f := range map[string]fate{
		"never sent": {neverSent: true}, "never answered": {neverAnswered: true}, "refused": {refused: true}, "cut": {cutBack: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.start(e.add("a", nil))
				sleep(time.Second)
				b := e.start(e.add("b", nil))
				sleep(retry)
				for range 5 {
					a.link.setFate(always(f))
					sleep(4 * time.Second)
					a.link.setFate(nil)
					sleep(10 * time.Second)
					wantLeader(t, a, true)
					wantLeader(t, b, false)
				}
			})
		})
	}
}

// With a short deadline there is no time for a second request: an answer that comes within it is waited for.
func TestSlowAnswersAndAShortDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", func(c *LeaderElectionConfig) {
			c.LeaseDuration, c.RenewDeadline, c.RetryPeriod = 150*time.Millisecond, 100*time.Millisecond, 10*time.Millisecond
		}))
		sleep(time.Second)
		slow := false
		a.link.setFate(func(r *http.Request) fate {
			if slow = !slow || r.Method == http.MethodGet; slow {
				return fate{back: 60 * time.Millisecond}
			}
			return fate{}
		})
		sleep(10 * time.Second)
		wantLeader(t, a, true)
		a.link.setFate(always(fate{back: 95 * time.Millisecond})) // with RetryPeriod, that is too late
		sleep(time.Second)
		wantLeader(t, a, false)
	})
}

// A request that hangs leaves time for another.
func TestHangingRequest(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Second)
		hung := false
		a.link.setFate(func(*http.Request) fate {
			f := fate{neverSent: !hung}
			hung = true
			return f
		})
		sleep(time.Minute)
		wantLeader(t, a, true)
	})
}

func TestLeaseIsDeleted(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Minute)
		a.stop()
		b := e.start(e.add("b", nil))
		sleep(time.Minute)
		e.wantHolder("b", 1)
		c := e.start(e.add("c", nil))
		sleep(time.Second)
		for range 20 { // in any order, the leader stays
			if err := e.server.Delete(t.Context(), e.lease(), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			sleep(retry)
			e.wantHolder("b", 1)
			sleep(3*retry + 77*time.Millisecond) // time for c to see that
			wantLeader(t, b, true)
			wantLeader(t, c, false)
		}
		// And if the leader is gone, too, the time counts from when the Lease is created anew.
		b.stop()
		if err := e.server.Delete(t.Context(), e.lease(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		sleep(lease)
		wantLeader(t, c, false)
		sleep(8 * retry)
		wantLeader(t, c, true)
		e.wantHolder("c", 2)
	})
}

// Another client writes another holder into the lease: the leader stops as soon as it sees that.
func TestHolderIsEdited(t *testing.T) {
	for _, holder := range []string{"", "x"} {
		bubble(t, func(t *testing.T, e *election) {
			a := e.start(e.add("a", releasing))
			sleep(time.Second)
			e.edit(func(l *coordinationv1.Lease) { l.Spec.HolderIdentity = &holder })
			sleep(retry)
			a.await(t)
			if cause := context.Cause(a.context()); !errors.Is(cause, ErrLost) || a.stops() != 1 {
				t.Errorf("%v, OnStoppedLeading was called %d times", cause, a.stops())
			}
			e.wantHolder(holder, 0)
		})
	}
}

// The leader overwrites what was edited besides the holder, and those who wait do not fall for it.
func TestOtherFieldsAreEdited(t *testing.T) {
	set := func(n int32) *int32 { return &n }
	for name, change := range map[string]func(*coordinationv1.LeaseSpec){
		"short":             func(s *coordinationv1.LeaseSpec) { s.LeaseDurationSeconds = set(1) },
		"none":              func(s *coordinationv1.LeaseSpec) { s.LeaseDurationSeconds = nil },
		"long":              func(s *coordinationv1.LeaseSpec) { s.LeaseDurationSeconds = set(math.MaxInt32) },
		"renewed long ago":  func(s *coordinationv1.LeaseSpec) { s.RenewTime = &metav1.MicroTime{} },
		"no times":          func(s *coordinationv1.LeaseSpec) { s.RenewTime, s.AcquireTime = nil, nil },
		"transitions":       func(s *coordinationv1.LeaseSpec) { s.LeaseTransitions = set(7) },
		"no transitions":    func(s *coordinationv1.LeaseSpec) { s.LeaseTransitions = nil },
		"renewed next year": func(s *coordinationv1.LeaseSpec) { s.RenewTime = &metav1.MicroTime{Time: time.Now().AddDate(1, 0, 0)} },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.start(e.add("a", nil))
				sleep(time.Second)
				b := e.start(e.add("b", func(c *LeaderElectionConfig) { c.RetryPeriod = 50 * time.Millisecond }))
				sleep(5 * time.Second)
				for range 10 {
					e.edit(func(l *coordinationv1.Lease) { change(&l.Spec) })
					sleep(retry + 133*time.Millisecond)
					wantLeader(t, a, true)
					wantLeader(t, b, false)
					e.wantHolder("a", 0)
				}
			})
		})
	}
}

// A count that cannot grow any more does not end all elections.
func TestTransitionsAtTheirGreatest(t *testing.T) {
	for _, n := range []int32{math.MaxInt32 - 1, math.MaxInt32} {
		bubble(t, func(t *testing.T, e *election) {
			a := e.start(e.add("a", releasing))
			sleep(time.Second)
			a.stop()
			e.edit(func(l *coordinationv1.Lease) { l.Spec.LeaseTransitions = &n })
			b := e.start(e.add("b", nil))
			sleep(time.Minute)
			wantLeader(t, b, true)
			e.wantHolder("b", math.MaxInt32)
			if number, _ := Term(b.context()); number != math.MaxInt32 {
				t.Errorf("term %d", number)
			}
		})
	}
}

// Two replicas have one identity, which they must not. Still only one leads.
func TestSameIdentity(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", releasing))
		sleep(1234 * time.Millisecond)
		b := e.start(e.add("a", releasing))
		sleep(time.Minute)
		wantLeader(t, a, true)
		wantLeader(t, b, false)
		a.link.setFate(always(fate{refused: true}))
		sleep(time.Minute)
		wantLeader(t, b, true)
		if !a.ended.Before(b.since) {
			t.Errorf("one led until %v, the other from %v on", a.ended, b.since)
		}
		a.link.setFate(nil)
		a.await(t)
		e.start(a)
		sleep(time.Minute)
		wantLeader(t, a, false)
		a.stop()
		e.wantHolder("a", 1)
	})
}

// The answer to the request that made it leader is lost. It finds out, and leads at once.
func TestElectedWithoutKnowing(t *testing.T) {
	for name, f := range map[string]fate{"cut": {cutBack: true}, "never answered": {neverAnswered: true}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				a := e.add("a", nil)
				a.link.setFate(writes(f))
				e.start(a)
				sleep(renew/2 - time.Second)
				e.wantHolder("a", 0)
				wantLeader(t, a, false)
				a.link.setFate(nil)
				sleep(time.Second + 3*retry)
				wantLeader(t, a, true)
				e.wantHolder("a", 0)
			})
		})
	}
}

// One that was cancelled in that moment gives back what it does not know to be its own.
func TestCancelledWithoutKnowing(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.add("a", releasing)
		a.link.setFate(writes(fate{neverAnswered: true}))
		e.start(a)
		sleep(time.Second)
		a.link.setFate(nil)
		a.stop()
		e.wantHolder("", 0)
		if a.context() != nil || a.stops() != 1 {
			t.Errorf("led, or OnStoppedLeading was called %d times", a.stops())
		}
	})
}

// A release of a server that hangs ends when the lease does.
func TestReleaseThatHangs(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", releasing))
		sleep(time.Second)
		a.link.setFate(always(fate{neverSent: true}))
		began := time.Now()
		a.stop()
		if d := time.Since(began); d > renew {
			t.Errorf("Run returned after %v", d)
		}
	})
}

func TestErrorsNameTheHolder(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Second)
		e.edit(func(l *coordinationv1.Lease) { l.Spec.HolderIdentity = new("other") })
		a.await(t)
		if cause := context.Cause(a.context()); !strings.Contains(cause.Error(), `"other"`) {
			t.Errorf("%v", cause)
		}
	})
}
