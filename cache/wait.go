package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
)

// DoneChecker is something that becomes done once, and can be waited for without polling.
type DoneChecker interface {
	// Name returns what is waited for.
	Name() string
	// Done returns a channel that is closed when it is done.
	Done() <-chan struct{}
}

// IsDone reports whether it is done.
func IsDone(checker DoneChecker) bool { return isClosed(checker.Done()) }

// isClosed reports whether a channel on which nothing is sent is closed.
func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// WaitFor waits until all are done, and returns true, or until the context ends, and reports whether they are done
// then. If what is not empty, progress is logged to the logr.Logger of the context, if there is one.
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
		if !IsDone(c) { // both may have happened at once; done takes precedence
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

// SyncResult reports which informers of a factory have synced.
type SyncResult struct {
	// Err is nil if all have synced, and otherwise the reason for which the wait ended.
	Err error
	// Synced has an entry for each informer, by the type of its objects.
	Synced map[reflect.Type]bool
}

// AsError returns nil if all informers have synced, and otherwise an error that names those that have not and wraps
// Err.
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

// InformerSynced reports whether something has synced. HasSynced of an informer is one.
type InformerSynced func() bool

// syncPoll is the polling interval for functions. WaitFor does not poll.
const syncPoll = 100 * time.Millisecond

// WaitForCacheSync waits until all functions return true, and returns true, or until the channel is closed.
func WaitForCacheSync(stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return pollSynced(wait.ContextForChannel(stopCh), cacheSyncs)
}

// WaitForNamedCacheSync is [WaitForCacheSync]. The name is ignored: without a context there is no logger.
func WaitForNamedCacheSync(controllerName string, stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return WaitForCacheSync(stopCh, cacheSyncs...)
}

// WaitForNamedCacheSyncWithContext is [WaitForCacheSync] until the context ends. It logs to the logger of the context.
func WaitForNamedCacheSyncWithContext(ctx context.Context, cacheSyncs ...InformerSynced) bool {
	logger := logr.FromContextOrDiscard(ctx)
	logger.Info("Waiting for caches to sync")
	if !pollSynced(ctx, cacheSyncs) {
		logger.Info("Not all caches have synced", "cause", context.Cause(ctx))
		return false
	}
	logger.Info("Caches are synced")
	return true
}

func pollSynced(ctx context.Context, cacheSyncs []InformerSynced) bool {
	tick := time.NewTicker(syncPoll)
	defer tick.Stop()
	for {
		if all(cacheSyncs) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

func all(cacheSyncs []InformerSynced) bool {
	for _, synced := range cacheSyncs {
		if !synced() {
			return false
		}
	}
	return true
}
