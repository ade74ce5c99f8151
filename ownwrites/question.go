package ownwrites

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// question holds the deletions of objects without a known version: each needs a version from after it, to know when the
// store has caught up. The server is asked for one after the deletion. If that fails, it is asked again at intervals,
// until it answers or an event of the object arrives. It is guarded by the lock of the tracker.
type question struct {
	// of is the set of deletions; ask has, for each cluster, a function that requests its newest version.
	of   map[deletion]struct{}
	ask  map[string]func(ctx context.Context) (string, error)
	next time.Time     // when to ask again
	wait time.Duration // interval after that
}

// deletion is the deletion of one object.
type deletion struct {
	id  ident
	uid types.UID
}

const (
	// maxAskWait is the longest interval between two requests.
	maxAskWait = time.Minute
	// askTimeout is the timeout of a request.
	askTimeout = 30 * time.Second
)

// askLater schedules a request for the next sweep.
func (t *core) askLater(d deletion, ask func(ctx context.Context) (string, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := &t.asking
	if q.of == nil {
		q.of, q.ask = map[deletion]struct{}{}, map[string]func(context.Context) (string, error){}
	}
	q.of[d], q.ask[d.id.cluster] = struct{}{}, ask
	q.next, q.wait = time.Time{}, t.config.Sweep
}

// ask requests versions from the servers, if any are needed. It is called under the lock, and does not wait for the
// answer.
func (t *core) ask() {
	q := &t.asking
	for d := range q.of {
		if e := t.overlay.get(d.id); e == nil || !e.unbound(d.uid) {
			delete(q.of, d) // no longer needed
		}
	}
	now := time.Now()
	if len(q.of) == 0 || now.Before(q.next) {
		return
	}
	q.next, q.wait = now.Add(q.wait), min(2*q.wait, maxAskWait)
	// One answer is from after all deletions in its cluster.
	byCluster := map[string][]deletion{}
	for d := range q.of {
		byCluster[d.id.cluster] = append(byCluster[d.id.cluster], d)
	}
	for cluster, deletions := range byCluster {
		ask := q.ask[cluster]
		t.swept.Go(func() { t.askFor(deletions, ask) })
	}
}

// askFor asks one server, and sets the version in its answer as the bound of the deletions.
func (t *core) askFor(deletions []deletion, ask func(ctx context.Context) (string, error)) {
	ctx, cancel := context.WithTimeout(t.ctx, askTimeout)
	defer cancel()
	version, err := ask(ctx)
	if err != nil || numeric(version) == 0 {
		return // retried later
	}
	for _, d := range deletions {
		t.overlay.change(d.id, func(old *entry) *entry {
			if old == nil {
				return nil
			}
			return old.bounded(d.uid, numeric(version))
		})
		t.settle(d.id)
	}
}
