package leaderelection

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"vedette.dev/fence"
	"vedette.dev/internal/clock/clocktest"
)

// neverSent is where requests arrive that should not.
type neverSent struct{ sent int }

func (n *neverSent) RoundTrip(*http.Request) (*http.Response, error) {
	n.sent++
	return nil, errors.New("sent")
}

// Whatever the clocks do, the first request after the term is refused, before any timer has run: one that is made with a context
// of the work, and one that the gate alone knows of. The Lease is written with a client that has the same gate.
func TestRequestsAfterAJumpOfTheClock(t *testing.T) {
	for name, jump := range map[string]func(*clocktest.Clock){
		"suspend":                             func(c *clocktest.Clock) { c.Jump(renew, renew) },
		"suspend, and the wall clock is back": func(c *clocktest.Clock) { c.Jump(renew, -time.Hour) },
		"suspend that the wall clock tells":   func(c *clocktest.Clock) { c.Jump(0, renew) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, e *election) {
				gate := new(fence.Gate)
				a := e.add("a", func(c *LeaderElectionConfig) { c.Gate = gate })
				a.clock.Inexact = name == "suspend that the wall clock tells"
				a.link.base = gate.Wrap(a.link.base)
				e.start(a)
				sleep(time.Minute + time.Second)
				wantLeader(t, a, true)
				a.clock.Jump(0, -time.Hour) // does not prolong the term
				child, cancel := context.WithTimeout(a.context(), time.Hour)
				defer cancel()
				jump(a.clock)
				wire := new(neverSent)
				for _, ctx := range []context.Context{child, context.Background()} {
					req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://server/a", nil)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := gate.Wrap(wire).RoundTrip(req); !errors.Is(err, fence.ErrTermOver) || !errors.Is(err, ErrLost) || wire.sent > 0 {
						t.Errorf("sent %d: %v", wire.sent, err)
					}
				}
				a.await(t)
			})
		})
	}
}
