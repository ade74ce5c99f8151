package shard

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"vedette.dev/shard/internal/cover"
)

// layout is a validated set of shards.
type layout struct {
	shards  map[string]*Shard
	scopes  map[string]*scope
	routers map[string]*router // by the prefix of keys
}

// router is the shards of a cluster.
type router struct {
	strategy strategy
	shards   []*scope    // sorted by ID; there is at least one
	objects  cover.Cover // those of all shards
	// find returns the shard of an object, empty if it is in none. It is nil if only the server can evaluate the scopes.
	find func(e *Envelope) string
}

// newLayout validates a set of shards. If complete is set, hashes that are in no shard are an error.
func newLayout(shards []Shard, tenants *Tenancy, complete bool) (*layout, error) {
	l := &layout{shards: map[string]*Shard{}, scopes: map[string]*scope{}, routers: map[string]*router{}}
	var problems []error
	for i := range shards {
		s := shards[i].clone()
		read, err := readScope(&s, tenants)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if l.shards[s.ID] != nil {
			problems = append(problems, fmt.Errorf("duplicate shard %q", s.ID))
			continue
		}
		l.shards[s.ID], l.scopes[s.ID] = &s, read
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	for cluster, shards := range l.byCluster() {
		r, err := newRouter(shards, complete)
		if err != nil {
			if cluster != "" {
				err = fmt.Errorf("cluster %q: %w", cluster, err)
			}
			problems = append(problems, err)
			continue
		}
		l.routers[prefixOf(cluster)] = r
	}
	return l, errors.Join(problems...)
}

// newRouter returns the router for the shards of a cluster. It returns an error for shards that do not fit together.
func newRouter(shards []*scope, complete bool) (*router, error) {
	first := shards[0]
	covers := make([]cover.Cover, len(shards))
	for i, s := range shards {
		if s.strategy != first.strategy {
			return nil, fmt.Errorf("shard %q (%s) and shard %q (%s) are of different strategies, so that an object could be in both", first.id, first.Scope, s.id, s.Scope)
		}
		covers[i] = s.cover
	}
	find, err := first.strategy.route(shards, complete)
	if err != nil {
		return nil, err
	}
	return &router{strategy: first.strategy, shards: shards, objects: cover.Union(covers...), find: find}, nil
}

// clone returns a copy that shares no memory with the caller's shard.
func (s Shard) clone() Shard {
	s.Scope.Namespaces = slices.Clone(s.Scope.Namespaces)
	s.Scope.Ranges = slices.Clone(s.Scope.Ranges)
	return s
}

func (l *layout) ids() []string { return slices.Sorted(maps.Keys(l.shards)) }

// byCluster returns the shards of each cluster, sorted by ID.
func (l *layout) byCluster() map[string][]*scope {
	out := map[string][]*scope{}
	for _, id := range l.ids() {
		s := l.scopes[id]
		out[s.Cluster] = append(out[s.Cluster], s)
	}
	return out
}

// route returns the shard of an object whose key begins with a prefix, empty if it is in none.
func (l *layout) route(prefix string, e *Envelope) string {
	if r := l.routers[prefix]; r != nil && r.find != nil {
		return r.find(e)
	}
	return ""
}
