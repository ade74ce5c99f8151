package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-logr/logr"
)

// DoneChecker is something that will be done once, and can be waited for without polling.
type DoneChecker interface {
	// Name says what is waited for.
	Name() string
	// Done is closed when it is done.
	Done() <-chan struct{}
}

// IsDone tells whether it is done.
func IsDone(checker DoneChecker) bool { return isClosed(checker.Done()) }

// isClosed reports whether a channel is closed on which nothing is sent.
func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// WaitFor waits until all are done, and returns true, or until the context ends, and returns whether they are done then.
// If what is not empty, a logger in the context (logr's) is told what is waited for and what was not done.
func WaitFor(ctx context.Context, what string, checkers ...DoneChecker) bool {
	logger := logr.FromContextOrDiscard(ctx)
	if what == "" {
		logger = logr.Discard()
	}
	logger.Info("Waiting", "for", what)
	var missing []string
	for _, c := range checkers {
		select {
		case <-c.Done():
		case <-ctx.Done():
		}
		if !IsDone(c) { // both may have come at once, and what is done counts
			missing = append(missing, c.Name())
			continue
		}
		logger.Info("Done waiting", "for", what, "instance", c.Name())
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		logger.Info("Timed out waiting", "for", what, "cause", context.Cause(ctx), "instances", missing)
	}
	return len(missing) == 0
}

// SyncResult says which informers of a factory have synced.
type SyncResult struct {
	// Err is nil if all have, and else why nobody waited any longer.
	Err error
	// Synced has an entry for each informer, by the type of its objects.
	Synced map[reflect.Type]bool
}

// AsError returns nil if all informers have synced, and else an error that names those that have not and wraps Err.
func (c SyncResult) AsError() error {
	if c.Err == nil {
		return nil
	}
	var missing []string
	for t, synced := range c.Synced {
		if !synced {
			missing = append(missing, t.String())
		}
	}
	slices.Sort(missing)
	return fmt.Errorf("failed to sync all caches: %s: %w", strings.Join(missing, ", "), c.Err)
}
