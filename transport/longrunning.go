package transport

import "context"

type longRunningKey struct{}

// WithLongRunning marks requests made with ctx as long-running: watches, followed logs. They use connections of their
// own, so that hundreds of them, or one that is read slowly, cannot block short requests by HTTP/2 flow control or
// stream limits, and so that a lost connection for watches does not fail a write.
func WithLongRunning(ctx context.Context) context.Context {
	return context.WithValue(ctx, longRunningKey{}, true)
}

func isLongRunning(ctx context.Context) bool { return ctx.Value(longRunningKey{}) != nil }
