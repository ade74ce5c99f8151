package flowcontrol

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Adaptive is a [RateLimiter] that finds the rate the server can take. The law it follows stands in the documentation of
// the package, under "The adaptive limiter".
type Adaptive struct {
	// turn is held by the one caller that waits for the next token. The others wait for the turn, in the order in which
	// they came, so that a new token wakes one of them and not all.
	turn chan struct{}
	// raised notifies the holder of the turn that the token may come sooner than it reckoned.
	raised chan struct{}

	mu      sync.Mutex
	law     law
	bucket  tokens
	waiting int
}

// AdaptiveState is what an [Adaptive] limiter is doing.
type AdaptiveState struct {
	// Rate is the present rate, in requests a second. It is +Inf while there is no limit.
	Rate float64
	// HeldUntil is when the last Retry-After ends.
	HeldUntil time.Time
	// Pushbacks counts the answers with which the server asked for less.
	Pushbacks uint64
	// Waiting is how many callers wait for a token.
	Waiting int
}

// NewAdaptive returns a limiter that follows the server. The error names the field of config that is wrong.
func NewAdaptive(config AdaptiveConfig) (*Adaptive, error) {
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		return nil, err
	}
	now := time.Now()
	return &Adaptive{
		turn:   make(chan struct{}, 1),
		raised: make(chan struct{}, 1),
		law:    newLaw(config, now),
		bucket: tokens{burst: float64(config.Burst), have: float64(config.Burst), at: now},
	}, nil
}

// Observe reports the outcome of a request to the limiter.
func (a *Adaptive) Observe(answer Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.bucket.refill(now, a.law.rate) // what was earned so far was earned at the old rate
	switch {
	case answer.pushback():
		if a.law.pushBack(now, answer.RetryAfter) {
			a.bucket.drain(a.law.heldUntil)
		}
	case answer.good() && a.law.recover(now):
		select {
		case a.raised <- struct{}{}:
		default:
		}
	}
}

// TryAccept takes a token if there is one and no caller waits for it.
func (a *Adaptive) TryAccept() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting == 0 && a.takeLocked(time.Now()) == 0
}

// Accept waits for a token, and takes it.
func (a *Adaptive) Accept() { _ = a.Wait(context.Background()) }

// Wait waits for a token, and takes it. Callers are served in the order in which they came. When ctx ends, or will end
// before the server's Retry-After does, no token is taken and the error says so.
func (a *Adaptive) Wait(ctx context.Context) error {
	a.enter(1)
	defer a.enter(-1)
	if err := a.doomed(ctx); err != nil {
		return err
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return waitError(ctx)
	}
	return a.waitForToken(ctx)
}

// waitForToken is run by the holder of the turn.
func (a *Adaptive) waitForToken(ctx context.Context) error {
	for {
		if err := a.doomed(ctx); err != nil {
			return err
		}
		a.mu.Lock()
		delay := a.takeLocked(time.Now())
		a.mu.Unlock()
		if delay == 0 {
			return nil
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-a.raised:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return waitError(ctx)
		}
	}
}

// takeLocked takes a token and returns 0, or returns how long it will be until there is one.
func (a *Adaptive) takeLocked(now time.Time) time.Duration {
	if held := a.law.heldUntil.Sub(now); held > 0 {
		return held
	}
	delay := a.bucket.take(now, a.law.rate)
	if delay == 0 {
		a.law.seen.add(now)
	}
	return delay
}

// doomed returns an error when ctx is over, or must be over before the hold is. A token that is only slow to come may
// come sooner than it looks, because the rate may rise, so for that one waits.
func (a *Adaptive) doomed(ctx context.Context) error {
	if ctx.Err() != nil {
		return waitError(ctx)
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	a.mu.Lock()
	held := a.law.heldUntil
	a.mu.Unlock()
	if held.After(deadline) {
		return fmt.Errorf("flowcontrol: the server asked to wait for another %v, which is longer than the deadline allows: %w",
			time.Until(held).Round(time.Millisecond), context.DeadlineExceeded)
	}
	return nil
}

func waitError(ctx context.Context) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); cause != err {
		err = fmt.Errorf("%w (%w)", err, cause)
	}
	return fmt.Errorf("flowcontrol: gave up the wait for the rate limiter: %w", err)
}

func (a *Adaptive) enter(n int) {
	a.mu.Lock()
	a.waiting += n
	a.mu.Unlock()
}

// Stop does nothing: there is nothing to free.
func (a *Adaptive) Stop() {}

// QPS is the present rate, and +Inf while there is no limit.
func (a *Adaptive) QPS() float32 { return float32(a.State().Rate) }

// State returns what the limiter is doing now.
func (a *Adaptive) State() AdaptiveState {
	a.mu.Lock()
	defer a.mu.Unlock()
	return AdaptiveState{Rate: a.law.rate, HeldUntil: a.law.heldUntil, Pushbacks: a.law.pushbacks, Waiting: a.waiting}
}
