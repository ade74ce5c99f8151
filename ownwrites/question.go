package ownwrites

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// question is about deletions of objects of which no version is known: each needs a version from after it, so that it is known when
// the store has caught up. The server is asked for one when the deletion is answered. If that fails, it is asked again from time to
// time, until it answers or an event has told of the object. It is guarded by the lock of the tracker.
type question struct {
	// of is the deletions, and ask asks the server of a cluster for its newest version.
	of   map[deletion]struct{}
	ask  map[string]func(ctx context.Context) (string, error)
	next time.Time     // when to ask again
	wait time.Duration // and how long to wait after that
}

// deletion is one object that was deleted.
type deletion struct {
	id  ident
	uid types.UID
}

const (
	// maxAskWait is the longest pause between two questions.
	maxAskWait = time.Minute
	// askTimeout is how long the server may take for an answer.
	askTimeout = 30 * time.Second
)

// askLater has the server asked when the entries are swept next.
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

// ask asks the servers for a version, if one is needed. It is called under the lock, and does not wait for the answer.
func (t *core) ask() {
	q := &t.asking
	for d := range q.of {
		if e := t.overlay.get(d.id); e == nil || !e.unbound(d.uid) {
			delete(q.of, d) // it is known meanwhile, or has left
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

// askFor asks one server, and gives the deletions the version that it answers.
func (t *core) askFor(deletions []deletion, ask func(ctx context.Context) (string, error)) {
	ctx, cancel := context.WithTimeout(t.ctx, askTimeout)
	defer cancel()
	version, err := ask(ctx)
	if err != nil || numeric(version) == 0 {
		return // it is asked again
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
