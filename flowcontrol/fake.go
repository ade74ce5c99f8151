package flowcontrol

import (
	"context"
	"errors"
	"sync"
)

// NewFakeAlwaysRateLimiter returns a limiter that accepts everything at once.
func NewFakeAlwaysRateLimiter() RateLimiter { return always{} }

type always struct{}

func (always) TryAccept() bool            { return true }
func (always) Stop()                      {}
func (always) QPS() float32               { return 1 }
func (always) Accept()                    {}
func (always) Wait(context.Context) error { return nil }

// NewFakeNeverRateLimiter returns a limiter that accepts nothing: TryAccept is false, Wait fails at once, and Accept
// returns only after Stop.
func NewFakeNeverRateLimiter() RateLimiter { return &never{stopped: make(chan struct{})} }

type never struct {
	stop    sync.Once
	stopped chan struct{}
}

func (n *never) TryAccept() bool { return false }
func (n *never) Stop()           { n.stop.Do(func() { close(n.stopped) }) }
func (n *never) QPS() float32    { return 1 }
func (n *never) Accept()         { <-n.stopped }

func (n *never) Wait(context.Context) error {
	return errors.New("flowcontrol: the fake rate limiter never accepts")
}
