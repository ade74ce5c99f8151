package flowcontrol

import "context"

// A PassiveRateLimiter reports whether something may happen now, and never waits.
type PassiveRateLimiter interface {
	// TryAccept takes a token and returns true, or returns false if there is none.
	TryAccept() bool
	// Stop stops the limiter. The limiters of this package have nothing to release.
	Stop()
	// QPS returns the rate of the limiter, in events per second.
	QPS() float32
}

// A RateLimiter can also wait for a token.
type RateLimiter interface {
	PassiveRateLimiter
	// Accept waits for a token, and takes it.
	Accept()
	// Wait is like Accept, but returns an error if ctx ends, or would end, before there is a token.
	Wait(ctx context.Context) error
}

// An Observer is a [RateLimiter] that receives the results of the requests that it let through. Package rest calls it
// after each response.
type Observer interface {
	Observe(Answer)
}
