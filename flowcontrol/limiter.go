package flowcontrol

import "context"

// A PassiveRateLimiter reports whether something may happen now, and never waits.
type PassiveRateLimiter interface {
	// TryAccept takes a token and returns true, or returns false when none is left.
	TryAccept() bool
	// Stop ends the limiter. The limiters of this package hold nothing that would have to be freed.
	Stop()
	// QPS is the rate the limiter allows, in events a second.
	QPS() float32
}

// A RateLimiter can also wait for its turn.
type RateLimiter interface {
	PassiveRateLimiter
	// Accept waits until a token is there, and takes it.
	Accept()
	// Wait is Accept with an end: it returns an error when ctx ends, or would end, before the token comes.
	Wait(ctx context.Context) error
}

// An Observer is a RateLimiter that wants to know how the server answered what it let through. Package rest tells
// it after each answer.
type Observer interface {
	Observe(Answer)
}
