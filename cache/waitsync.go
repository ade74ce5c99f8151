package cache

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
)

// InformerSynced tells whether something has synced. HasSynced of an informer is one.
type InformerSynced func() bool

// syncPoll is how often those who only have functions look. WaitFor does not poll.
const syncPoll = 100 * time.Millisecond

// WaitForCacheSync waits until all functions return true, and returns true, or until the channel is closed.
func WaitForCacheSync(stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return pollSynced(wait.ContextForChannel(stopCh), cacheSyncs)
}

// WaitForNamedCacheSync is WaitForCacheSync. The name was for the log, which there is none of without a context.
func WaitForNamedCacheSync(controllerName string, stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return WaitForCacheSync(stopCh, cacheSyncs...)
}

// WaitForNamedCacheSyncWithContext is WaitForCacheSync until the context ends, whose logger is told.
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
