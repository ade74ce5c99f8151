package shard

import (
	"context"
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
	// selectPerhaps is when nobody knows, because it did not answer, or has no objects. Then it is asked again later.
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
