package restmapper

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// entry is a group, or everything, as it was last read. Those who find what they look for take no lock.
type entry struct {
	turn chan struct{} // of capacity 1: held by the one who asks the server
	last atomic.Pointer[reading]
	// read asks the server. It gets what was read before, or nil.
	read func(ctx context.Context, before *reading) *reading
}

func newEntry(read func(context.Context, *reading) *reading) *entry {
	return &entry{turn: make(chan struct{}, 1), read: read}
}

// reading is what the server told. It does not change.
type reading struct {
	groups []*APIGroupResources
	// mapper is nil if nothing was ever read.
	mapper meta.RESTMapperWithContext
	// err is what could not be read, if anything.
	err error
	// at is when this was read; zero if it failed, so that the next one who misses something asks again.
	at time.Time
}

func newReading(groups []*APIGroupResources, err error) *reading {
	return &reading{groups: groups, mapper: newPriorityMapper(groups), err: err, at: time.Now()}
}

// failed is what is left when the server cannot be asked: what was known before.
func (before *reading) failed(err error) *reading {
	if before == nil {
		return &reading{err: err}
	}
	return &reading{groups: before.groups, mapper: before.mapper, err: err}
}

// resources returns what was known before about a group version.
func (before *reading) resources(group, version string) ([]metav1.APIResource, bool) {
	if before == nil {
		return nil, false
	}
	for _, g := range before.groups {
		if g.Group.Name == group {
			resources, ok := g.VersionedResources[version]
			return resources, ok
		}
	}
	return nil, false
}

// explain turns "there is no such thing" into "it may be in what could not be read", where that is the truth.
func (r *reading) explain(err error) error {
	if r.err == nil || !meta.IsNoMatchError(err) {
		return err
	}
	return fmt.Errorf("%v, but not everything could be read: %w", err, r.err)
}

// ask reads anew, unless another has done so since we saw what we saw: then that is the answer.
func (e *entry) ask(ctx context.Context, seen *reading) (*reading, error) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if now := e.last.Load(); now != seen {
		return now, nil
	}
	now := e.read(ctx, seen)
	// What failed because our own context ended is no answer for others.
	if now.err != nil && ctx.Err() != nil {
		return nil, now.err
	}
	e.last.Store(now)
	return now, nil
}

// exists reports whether the server had the group when it was last read.
func (e *entry) exists() bool {
	r := e.last.Load()
	return r != nil && len(r.groups) > 0
}
