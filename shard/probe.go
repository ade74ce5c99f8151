package shard

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/internal/hashspace"
)

// selecting is whether a server selects objects by hash.
type selecting int

const (
	// selectUnknown is before the probe.
	selectUnknown selecting = iota
	// selectAsking is during the probe.
	selectAsking
	// selectYes means that it does.
	selectYes
	// selectNo means that it certainly does not.
	selectNo
	// selectPerhaps means that the probe had no result: the server did not answer, or has no objects. It is probed
	// again later.
	selectPerhaps
)

const (
	// probeTimeout is the timeout of a probe.
	probeTimeout = 3 * time.Second
	// probeAgain is when it is probed again after a probe without a result.
	probeAgain = time.Minute
)

// probe detects whether a server selects by hash. Neither its version nor discovery tells. The probe requests the
// objects in a range that contains none. A server that sends one does not select by hash. A server that sends none
// although it has objects does.
func probe(ctx context.Context, r cache.Requester, key HashKey) selecting {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	none, err := hashspace.Selector(key.path, hashspace.Set{{Start: 0, End: 1}})
	if err != nil {
		return selectNo
	}
	// Without a version, a limit is respected.
	_, selected, err := firstOf(ctx, r.ListRequest(metav1.ListOptions{Limit: 1, ShardSelector: none}).MaxRetries(0))
	switch {
	case err != nil:
		return selectPerhaps
	case selected > 0:
		return selectNo
	}
	_, all, err := firstOf(ctx, r.ListRequest(metav1.ListOptions{Limit: 1}).MaxRetries(0))
	switch {
	case err != nil, all == 0:
		return selectPerhaps
	}
	return selectYes
}

// ignored records that a server does not select by hash although the probe found that it does: for some kinds, it
// ignores the selector in watches but not in lists.
func (s *TypedShardingInformer[T]) ignored(cluster string) {
	s.mu.Lock()
	s.selects[cluster] = selectNo
	s.mu.Unlock()
	s.info("Server ignores the shard selector in watches, falling back to a shared stream", "cluster", cluster)
	s.look()
}

// selecting returns a function that reports whether the server of a cluster selects by hash. It starts a probe if that
// is unknown.
func (s *TypedShardingInformer[T]) selecting(next *layout) func(cluster string) bool {
	return func(cluster string) bool {
		key := next.hashOf(cluster)
		if s.config.NoServerSelection || key.path == "" {
			return false
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		switch s.selects[cluster] {
		case selectYes:
			return true
		case selectUnknown:
			s.selects[cluster] = selectAsking
			s.work.Go(func() { s.ask(s.running, next, cluster, key) })
		}
		return false
	}
}

// hashOf returns the key that the shards of a cluster hash by; the zero value if they are not by hash.
func (l *layout) hashOf(cluster string) HashKey {
	if r := l.routers[prefixOf(cluster)]; r != nil {
		return r.shards[0].Hash
	}
	return HashKey{}
}

func (s *TypedShardingInformer[T]) ask(ctx context.Context, l *layout, cluster string, key HashKey) {
	is := selectPerhaps
	namespace := l.routers[prefixOf(cluster)].shards[0].namespaces()[0]
	if r, err := s.requester(l, cluster, namespace); err == nil {
		is = probe(ctx, r, key)
	}
	s.mu.Lock()
	s.selects[cluster] = is
	s.mu.Unlock()
	s.look()
}

// isAsking reports whether a stream has to wait for the result of a probe. If the cluster already has a stream, that
// continues meanwhile.
func (s *TypedShardingInformer[T]) isAsking(w *streamSpec) bool {
	if !w.probes {
		return false
	}
	s.mu.Lock()
	asking := s.selects[w.cluster] == selectAsking
	s.mu.Unlock()
	return asking && !slices.ContainsFunc(s.streams, func(old *stream) bool { return old.cluster == w.cluster })
}
