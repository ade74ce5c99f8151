package restmapper

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// entry is a group, or everything, as it was last read. Successful lookups take no lock.
type entry struct {
	turn chan struct{} // of capacity 1: held during requests
	last atomic.Pointer[reading]
	// read sends the requests. It is given what was read before, or nil.
	read func(ctx context.Context, before *reading) *reading
}

func newEntry(read func(context.Context, *reading) *reading) *entry {
	return &entry{turn: make(chan struct{}, 1), read: read}
}

// reading is the result of requests. It is immutable.
type reading struct {
	groups []*APIGroupResources
	// mapper is nil if nothing was ever read.
	mapper meta.RESTMapperWithContext
	// err is the error of what could not be read, if any.
	err error
	// at is when this was read; zero if it failed, so that the next miss reads again.
	at time.Time
}

func newReading(groups []*APIGroupResources, err error) *reading {
	return &reading{groups: groups, mapper: newPriorityMapper(groups), err: err, at: time.Now()}
}

// failed returns what is left if the server cannot be reached: what was known before.
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

// explain adds to a no-match error that not everything could be read, if that is the case.
func (r *reading) explain(err error) error {
	if r.err == nil || !meta.IsNoMatchError(err) {
		return err
	}
	return fmt.Errorf("%v, but not everything could be read: %w", err, r.err)
}

// ask reads again, unless another caller has done so since seen was read: then that is the result.
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
	// An error because our own context ended is not valid for other callers.
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
