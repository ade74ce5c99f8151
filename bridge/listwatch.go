package bridge

import (
	clientgofeatures "k8s.io/client-go/features"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/bridge/internal/capture"
	"vedette.dev/cache"
)

// decoded returns a ListerWatcher that calls another one. plain is the ListWatch that it is made of, nil if it is not.
func decoded(lw clientgocache.ListerWatcher, plain *clientgocache.ListWatch) cache.ListerWatcher {
	behind := clientgocache.ToListerWatcherWithContext(lw)
	out := &cache.ListWatch{ListWithContextFunc: behind.ListWithContext, WatchFuncWithContext: behind.WatchWithContext}
	if plain != nil {
		out.DisableChunking = plain.DisableChunking
	}
	return cache.ToListWatcherWithWatchListSemantics(out, semantics{lw})
}

// raw returns a ListerWatcher that calls another one, and reads the bytes of its answers where it can.
func raw(lw clientgocache.ListerWatcher) cache.ListerWatcher {
	return capture.ListWatch(clientgocache.ToListerWatcherWithContext(lw), semantics{lw}.IsWatchListSemanticsUnSupported)
}

// semantics says whether a watch may begin with all objects.
type semantics struct{ lw clientgocache.ListerWatcher }

// IsWatchListSemanticsUnSupported is spelled as in client-go.
func (s semantics) IsWatchListSemanticsUnSupported() bool {
	if !clientgofeatures.FeatureGates().Enabled(clientgofeatures.WatchListClient) {
		return true
	}
	refuser, ok := s.lw.(interface{ IsWatchListSemanticsUnSupported() bool })
	return ok && refuser.IsWatchListSemanticsUnSupported()
}
