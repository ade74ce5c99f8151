package shard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"vedette.dev/cache"
	"vedette.dev/internal/cover"
	"vedette.dev/internal/hashspace"
)

// Envelope is what can be told of an object without reading all of it.
type Envelope = cache.Envelope

// layout is a set of shards that has been read and found to fit together.
type layout struct {
	shards  map[string]*Shard
	scopes  map[string]*scope
	routers map[string]*router // by the prefix of keys
}

// router says which shard of a cluster an object is in.
type router struct {
	strategy   strategy
	objects    cover.Cover       // those of all shards
	all        string            // the shard that has everything
	namespaces map[string]string // namespace → shard
	label      string
	values     map[string]string // value of the label → shard
	tenants    map[string]string
	tenantOf   func(*Envelope) string
	hash       HashKey
	// hashed is the ranges, by the namespace that they are in; "" means in all of them.
	hashed map[string][]held
}

// held is a range and whose it is.
type held struct {
	Range
	shard string
}

// newLayout reads a set of shards. If complete is set, hashes that are in no shard are an error.
func newLayout(shards []Shard, tenants *Tenancy, complete bool) (*layout, error) {
	l := &layout{shards: map[string]*Shard{}, scopes: map[string]*scope{}, routers: map[string]*router{}}
	var problems []error
	for i := range shards {
		s := shards[i].clone()
		read, err := read(&s, tenants)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if l.shards[s.ID] != nil {
			problems = append(problems, fmt.Errorf("there are two shards %q", s.ID))
			continue
		}
		l.shards[s.ID], l.scopes[s.ID] = &s, &read
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	for cluster, ids := range l.byCluster() {
		r, err := l.newRouter(ids, tenants, complete)
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

// clone returns a copy that shares no memory with the shard that the caller has.
func (s Shard) clone() Shard {
	s.Scope.Namespaces = slices.Clone(s.Scope.Namespaces)
	s.Scope.Ranges = slices.Clone(s.Scope.Ranges)
	return s
}

func (l *layout) ids() []string { return slices.Sorted(maps.Keys(l.shards)) }

func (l *layout) byCluster() map[string][]string {
	out := map[string][]string{}
	for _, id := range l.ids() {
		cluster := l.scopes[id].Cluster
		out[cluster] = append(out[cluster], id)
	}
	return out
}

func (l *layout) newRouter(ids []string, tenants *Tenancy, complete bool) (*router, error) {
	r := &router{
		namespaces: map[string]string{}, values: map[string]string{}, tenants: map[string]string{},
		tenantOf: tenants.Of, hashed: map[string][]held{},
	}
	first := ""
	covers := make([]cover.Cover, 0, len(ids))
	for _, id := range ids {
		s := l.scopes[id]
		covers = append(covers, s.cover)
		if first != "" && l.scopes[first].strategy != s.strategy {
			return nil, fmt.Errorf("shard %q (%s) and shard %q (%s) are of different sorts, so that an object could be in both", first, l.scopes[first].Scope, id, s.Scope)
		}
		first = id
		if err := r.add(id, s); err != nil {
			return nil, err
		}
	}
	r.strategy, r.objects = l.scopes[first].strategy, cover.Union(covers...)
	if r.strategy == strategySelector {
		return r, l.checkSelectors(ids)
	}
	return r, r.check(complete)
}

// checkSelectors looks for selectors of which two can match one object. Each shard has a stream of its own, and no stream could tell
// which of them has the object.
func (l *layout) checkSelectors(ids []string) error {
	for i, id := range ids {
		for _, other := range ids[:i] {
			if a, b := l.scopes[other], l.scopes[id]; a.cover.Overlaps(b.cover) {
				return fmt.Errorf("an object could be in shard %q (%s) and in shard %q (%s); have their selectors exclude each other", other, a.Scope, id, b.Scope)
			}
		}
	}
	return nil
}

// add gives a shard what its scope says, unless another has it.
func (r *router) add(id string, s *scope) error {
	take := func(what string, m map[string]string, key string) error {
		if other, taken := m[key]; taken {
			return fmt.Errorf("%s %q is in shard %q and in shard %q", what, key, other, id)
		}
		m[key] = id
		return nil
	}
	switch s.strategy {
	case strategyAll:
		if r.all != "" {
			return fmt.Errorf("shard %q and shard %q both have everything", r.all, id)
		}
		r.all = id
	case strategyNamespace:
		for _, namespace := range s.Namespaces {
			if err := take("namespace", r.namespaces, namespace); err != nil {
				return err
			}
		}
	case strategyLabel:
		if r.label != "" && r.label != s.label {
			return fmt.Errorf("shard %q is by label %q, and others are by label %q, so that an object could be in both", id, s.label, r.label)
		}
		r.label = s.label
		for _, value := range s.values {
			if err := take("value", r.values, value); err != nil {
				return err
			}
		}
	case strategyTenant:
		return take("tenant", r.tenants, s.Tenant)
	case strategyHash:
		return r.addRanges(id, s)
	}
	return nil
}

func (r *router) addRanges(id string, s *scope) error {
	if r.hash.of != nil && r.hash.name != s.Hash.name {
		return fmt.Errorf("shard %q is by the hash of %s, and others are by that of %s", id, s.Hash, r.hash)
	}
	r.hash = s.Hash
	namespaces := s.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	for _, namespace := range namespaces {
		for _, rg := range s.set {
			r.hashed[namespace] = append(r.hashed[namespace], held{rg, id})
		}
	}
	return nil
}

// check sorts the ranges and looks for what overlaps or is missing.
func (r *router) check(complete bool) error {
	if len(r.hashed) > 1 && r.hashed[""] != nil {
		return fmt.Errorf("some shards are by the hash of %s in a namespace and others in all, so that an object could be in both", r.hash)
	}
	for namespace, ranges := range r.hashed {
		sort.Slice(ranges, func(i, j int) bool { return ranges[i].Start < ranges[j].Start })
		sets := map[string]hashspace.Set{}
		for _, h := range ranges {
			set, err := hashspace.NewSet(append(slices.Clone(sets[h.shard]), h.Range)...)
			if err != nil {
				return err
			}
			sets[h.shard] = set
		}
		check := hashspace.Disjoint
		if complete {
			check = hashspace.Cover
		}
		if err := check(sets); err != nil {
			if namespace != "" {
				err = fmt.Errorf("namespace %q: %w", namespace, err)
			}
			return fmt.Errorf("the ranges of the shards do not fit together: %w", err)
		}
	}
	return nil
}

// find returns the shard of an object, empty if it is in none.
func (r *router) find(e *Envelope) string {
	switch {
	case r.all != "":
		return r.all
	case len(r.namespaces) > 0:
		return r.namespaces[e.Namespace]
	case r.label != "":
		if value, ok := e.Labels()[r.label]; ok {
			return r.values[value]
		}
		return ""
	case len(r.tenants) > 0:
		return r.tenants[r.tenantOf(e)]
	case len(r.hashed) > 0:
		return r.findRange(e)
	}
	return ""
}

func (r *router) findRange(e *Envelope) string {
	ranges, ok := r.hashed[""]
	if !ok {
		ranges = r.hashed[e.Namespace]
	}
	if len(ranges) == 0 {
		return ""
	}
	h := r.hash.hash(e)
	at := sort.Search(len(ranges), func(i int) bool { return ranges[i].Start > h }) - 1
	if at >= 0 && ranges[at].Contains(h) {
		return ranges[at].shard
	}
	return ""
}

// route is the router of all clusters.
func (l *layout) route(prefix string, e *Envelope) string {
	if r := l.routers[prefix]; r != nil {
		return r.find(e)
	}
	return ""
}
