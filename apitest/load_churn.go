package apitest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Churn is what [Server.Churn] does.
type Churn struct {
	// Rate is the number of changes per second. It must be set.
	Rate float64
	// Mix has the kinds of changes. The zero value means mostly updates, and some of all others.
	Mix Mix

	// Resource is the resource to change; the zero value means pods. Namespace and Selector, if set, restrict the
	// objects.
	Resource  schema.GroupVersionResource
	Namespace string
	Selector  labels.Selector

	// Seed is the seed of the random changes.
	Seed uint64
}

// Mix has the relative frequency of each kind of change. If there are both creations and deletions, the number of
// objects stays about the same.
type Mix struct {
	// Updates are status updates as by a kubelet: a pod starts, gets ready, fails a probe, restarts a container. Other
	// kinds get an annotation.
	Updates int
	// Labels change one label.
	Labels int
	// Creates are copies of existing objects, under new names. New pods are pending.
	Creates int
	// Deletes do not wait for grace periods. Objects with finalizers remain until these are removed.
	Deletes int
}

var usualMix = Mix{Updates: 80, Labels: 10, Creates: 5, Deletes: 5}

func (m Mix) total() int { return m.Updates + m.Labels + m.Creates + m.Deletes }

func (c *Churn) validate() error {
	if !(c.Rate > 0) || math.IsInf(c.Rate, 0) {
		return fmt.Errorf("apitest: Churn.Rate is %v, want a positive number of changes per second", c.Rate)
	}
	for _, field := range []struct {
		name  string
		value int
	}{{"Updates", c.Mix.Updates}, {"Labels", c.Mix.Labels}, {"Creates", c.Mix.Creates}, {"Deletes", c.Mix.Deletes}} {
		if field.value < 0 {
			return fmt.Errorf("apitest: Churn.Mix.%s is negative: %d", field.name, field.value)
		}
	}
	return nil
}

// Churn changes objects at a steady rate until it is stopped, ctx ends, or the server is closed. It changes the objects
// that exist when it begins, and those that it creates. It follows the clock: after a delay it catches up.
func (s *Server) Churn(ctx context.Context, c Churn) (*Churner, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Mix == (Mix{}) {
		c.Mix = usualMix
	}
	if c.Resource.Empty() {
		c.Resource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	}
	kind, ok := s.api.Registry().Lookup(c.Resource)
	if !ok || !kind.Listed() {
		return nil, fmt.Errorf("apitest: Churn.Resource: the server does not serve %s", c.Resource)
	}
	churn, err := newChurner(s, c, s.api.Registry().Storage(kind))
	if err != nil {
		return nil, err
	}
	ctx, churn.stop = context.WithCancel(ctx)
	if !s.api.Go(func(stop context.Context) { churn.run(ctx, stop) }) {
		churn.stop()
		return nil, errors.New("apitest: server is closed")
	}
	return churn, nil
}

// Churner is a running Churn.
type Churner struct {
	*population
	rate float64
	stop context.CancelFunc
	done chan struct{} // closed when it has ended

	mu      sync.Mutex // guards the fields below
	began   time.Time
	ended   time.Time // zero while it is running
	stats   ChurnStats
	planned int64 // changes that are due by now
}

// ChurnStats has the counts of a [Churner].
type ChurnStats struct {
	// Updates, Labels, Creates and Deletes are the numbers of changes.
	Updates, Labels, Creates, Deletes int64
	// Conflicts is the number of changes that were retried because of a conflict.
	Conflicts int64
	// Skipped is the number of changes without a suitable object.
	Skipped int64
	// Elapsed is how long it has been running, and Rate the number of changes per second.
	Elapsed time.Duration
	Rate    float64
	// Late is how long the oldest due change has been waiting, and MaxLate the maximum so far.
	Late, MaxLate time.Duration
}

// Changes returns the total number of changes.
func (s ChurnStats) Changes() int64 { return s.Updates + s.Labels + s.Creates + s.Deletes }

// Stop stops the churn and waits for its end. It may be called twice.
func (c *Churner) Stop() {
	c.stop()
	<-c.done
}

// Stats returns the counts so far.
func (c *Churner) Stats() ChurnStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats, now := c.stats, c.ended
	if now.IsZero() {
		now = time.Now()
		stats.Late = c.late(now)
	}
	stats.Elapsed = now.Sub(c.began)
	if stats.Elapsed > 0 {
		stats.Rate = float64(stats.Changes()) / stats.Elapsed.Seconds()
	}
	return stats
}
