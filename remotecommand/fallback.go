package remotecommand

import (
	"context"
	"errors"
)

// FallbackExecutor tries one Executor, and another if the first fails in a certain way.
type FallbackExecutor struct {
	primary, secondary Executor
	shouldFallback     func(error) bool
}

var _ Executor = (*FallbackExecutor)(nil)

// NewFallbackExecutor returns an Executor that uses primary, and secondary if shouldFallback says so about the error of primary. It must
// only do so for errors from before the command began, such as those of httpstream.IsUpgradeFailure.
func NewFallbackExecutor(primary, secondary Executor, shouldFallback func(error) bool) (Executor, error) {
	if primary == nil || secondary == nil || shouldFallback == nil {
		return nil, errors.New("remotecommand: a fallback needs two executors and a function")
	}
	return &FallbackExecutor{primary: primary, secondary: secondary, shouldFallback: shouldFallback}, nil
}

// Stream is StreamWithContext with a context that does not end.
//
// Deprecated: use StreamWithContext.
func (f *FallbackExecutor) Stream(options StreamOptions) error {
	return f.StreamWithContext(context.Background(), options)
}

// StreamWithContext runs the command, and returns when it has ended or ctx has.
func (f *FallbackExecutor) StreamWithContext(ctx context.Context, options StreamOptions) error {
	err := f.primary.StreamWithContext(ctx, options)
	if err != nil && f.shouldFallback(err) && ctx.Err() == nil {
		return f.secondary.StreamWithContext(ctx, options)
	}
	return err
}
