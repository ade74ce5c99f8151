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
	// selectUnknown is before the server was asked.
	selectUnknown selecting = iota
	// selectAsking is while it is asked.
	selectAsking
	// selectYes is when it does.
	selectYes
	// selectNo is when it does not, which is known for certain.
	selectNo
	// selectPerhaps is when the probe has no result: the server did not answer, or has no objects. It is probed again later.
	selectPerhaps
)

const (
	// probeTimeout is how long a server may take to say whether it selects by hash.
	probeTimeout = 3 * time.Second
	// probeAgain is when it is asked again if the answer was none.
	probeAgain = time.Minute
)

// probe finds out whether a server selects by hash, by what it does: versions and marks in its answers do not tell. It is
// asked for the objects in a range that none is in. If it sends one, it does not select. If it sends none although there
// are some, it does.
func probe(ctx context.Context, r cache.Requester, key HashKey) selecting {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	none, err := hashspace.Selector(key.path, hashspace.Set{{Start: 0, End: 1}})
	if err != nil {
		return selectNo
	}
	// Without a version, a limit holds.
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

// ignored notes that a server does not select by hash, though it seemed to: some kinds it does not watch as it lists them.
func (s *TypedShardingInformer[T]) ignored(cluster string) {
	s.mu.Lock()
	s.selects[cluster] = selectNo
	s.mu.Unlock()
	s.info("The server does not select by hash what is watched; one stream is shared instead", "cluster", cluster)
	s.look()
}

// selecting says of which clusters the server selects by hash. Those of which that is not known are asked.
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

func (l *layout) hashOf(cluster string) HashKey {
	if r := l.routers[prefixOf(cluster)]; r != nil {
		return r.hash
	}
	return HashKey{}
}

func (s *TypedShardingInformer[T]) ask(ctx context.Context, l *layout, cluster string, key HashKey) {
	is := selectPerhaps
	namespace := l.someNamespace(cluster)
	if r, err := s.requester(l, cluster, namespace); err == nil {
		is = probe(ctx, r, key)
	}
	s.mu.Lock()
	s.selects[cluster] = is
	s.mu.Unlock()
	s.look()
}

// someNamespace is one in which the shards of a cluster look, empty if they look at all.
func (l *layout) someNamespace(cluster string) string {
	for namespace := range l.routers[prefixOf(cluster)].hashed {
		return namespace
	}
	return ""
}

// isAsking reports whether a stream has to wait for what its server says. Where there is a stream already, it goes on as it is.
func (s *TypedShardingInformer[T]) isAsking(w *streamSpec) bool {
	if w.strategy != strategyHash || !w.shared {
		return false
	}
	s.mu.Lock()
	asking := s.selects[w.cluster] == selectAsking
	s.mu.Unlock()
	return asking && !slices.ContainsFunc(s.streams, func(old *stream) bool { return old.cluster == w.cluster })
}
