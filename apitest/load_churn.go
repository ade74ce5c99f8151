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

// Churn is what Server.Churn does.
type Churn struct {
	// Rate is how many changes to make in a second. It must be set.
	Rate float64
	// Mix is of which sorts. The zero value means mostly updates, and some of all others.
	Mix Mix

	// Resource is what changes; the zero value means pods. Namespace and Selector, if set, leave out the others.
	Resource  schema.GroupVersionResource
	Namespace string
	Selector  labels.Selector

	// Seed makes other changes of the same sort.
	Seed uint64
}

// Mix says how often each sort of change is made, in relation to the others. As long as there are both creations and deletions,
// the number of objects stays about what it was.
type Mix struct {
	// Updates are what a kubelet writes into the status of a pod: it starts, gets ready, fails a probe, restarts a
	// container. Other kinds get an annotation.
	Updates int
	// Labels change one label.
	Labels int
	// Creates are copies of objects that are there, under new names. New pods are pending.
	Creates int
	// Deletes do not wait for grace periods. What has finalizers stays until they are gone.
	Deletes int
}

var usualMix = Mix{Updates: 80, Labels: 10, Creates: 5, Deletes: 5}

func (m Mix) total() int { return m.Updates + m.Labels + m.Creates + m.Deletes }

func (c *Churn) validate() error {
	if !(c.Rate > 0) || math.IsInf(c.Rate, 0) {
		return fmt.Errorf("apitest: Churn.Rate must be a positive number of changes a second, and is %v", c.Rate)
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

// Churn changes objects at a steady rate until it is stopped, ctx ends, or the server is closed. The objects are those that are
// there when it begins, and those that it creates itself. It keeps pace by the clock: when it was held up, it makes up for it.
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
		return nil, errors.New("apitest: the server is closed")
	}
	return churn, nil
}

// Churner is a Churn that is under way.
type Churner struct {
	*population
	rate float64
	stop context.CancelFunc
	done chan struct{} // closed when it has ended

	mu      sync.Mutex // guards what follows
	began   time.Time
	ended   time.Time // zero while it runs
	stats   ChurnStats
	planned int64 // changes that were to be made by now
}

// ChurnStats is what a Churner has done.
type ChurnStats struct {
	// Updates, Labels, Creates and Deletes are how many changes of each sort were made.
	Updates, Labels, Creates, Deletes int64
	// Conflicts are changes that had to be made again, since somebody else was faster.
	Conflicts int64
	// Skipped are changes for which there was no object.
	Skipped int64
	// Elapsed is how long it has run, and Rate how many changes it has made in a second of that.
	Elapsed time.Duration
	Rate    float64
	// Late is how long the oldest of the changes that are due has been waiting, and MaxLate the longest that one has waited.
	Late, MaxLate time.Duration
}

// Changes are all of them.
func (s ChurnStats) Changes() int64 { return s.Updates + s.Labels + s.Creates + s.Deletes }

// Stop ends the churn and waits for it. It may be called twice.
func (c *Churner) Stop() {
	c.stop()
	<-c.done
}

// Stats tells what was done so far.
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
