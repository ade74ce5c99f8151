package shard

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"

	"vedette.dev/internal/hashspace"
	"vedette.dev/shard/internal/cover"
)

// strategyHash is shards by ranges of the hash of a key, in some namespaces or in all of them.
var strategyHash strategy = hashStrategy{}

type hashStrategy struct{}

func (hashStrategy) read(s *scope, _ *Tenancy) (_ bool, err error) {
	switch {
	case s.Hash.of == nil && len(s.Ranges) > 0:
		return false, errors.New("Scope.Ranges are set, but Scope.Hash is not")
	case s.Hash.of == nil:
		return false, nil
	case len(s.Ranges) == 0:
		return false, errors.New("Scope.Hash is set, but Scope.Ranges are not")
	}
	if s.set, err = hashspace.NewSet(s.Ranges...); err != nil {
		return false, fmt.Errorf("Scope.Ranges: %w", err)
	}
	switch {
	case s.Labels != "" || s.Fields != "":
		return false, errors.New("Scope.Hash cannot be combined with Scope.Labels or Scope.Fields; use Config.Tweak for what all shards have in common")
	case s.Tenant != "":
		return false, errTenantCombined
	}
	return true, nil
}

func (hashStrategy) cover(s *scope, within cover.Cover) cover.Cover {
	return within.Restrict(byHash(s.Hash), cover.Hashes(s.set))
}

func (hashStrategy) value(d cover.Dimension, r reader) (out cover.Reader[*Envelope]) {
	if d.Kind == cover.Hash {
		out.Hash = r.hashes[d.Name].hash // the key is read now, so that the map may grow later
	}
	return out
}

func (hashStrategy) route(shards []*scope, complete bool) (func(e *Envelope) string, error) {
	key := shards[0].Hash
	sets := map[string]map[string]hashspace.Set{} // namespace → shard → hashes; an empty namespace means all of them
	for _, s := range shards {
		if s.Hash.name != key.name {
			return nil, fmt.Errorf("shard %q is by the hash of %s and shard %q by the hash of %s, so that an object could be in both", shards[0].id, key, s.id, s.Hash)
		}
		for _, namespace := range s.namespaces() {
			if sets[namespace] == nil {
				sets[namespace] = map[string]hashspace.Set{}
			}
			sets[namespace][s.id] = s.set
		}
	}
	if len(sets) > 1 && sets[""] != nil {
		return nil, fmt.Errorf("some shards are by the hash of %s in a namespace and others in all, so that an object could be in both", key)
	}
	check := hashspace.Disjoint
	if complete {
		check = hashspace.Cover
	}
	tables := map[string]rangeTable{}
	for _, namespace := range slices.Sorted(maps.Keys(sets)) {
		if err := check(sets[namespace]); err != nil {
			if namespace != "" {
				err = fmt.Errorf("namespace %q: %w", namespace, err)
			}
			return nil, fmt.Errorf("ranges of the shards do not fit together: %w", err)
		}
		tables[namespace] = newRangeTable(sets[namespace])
	}
	return func(e *Envelope) string {
		table, ok := tables[""]
		if !ok {
			table = tables[e.Namespace]
		}
		if len(table) == 0 {
			return ""
		}
		return table.find(key.hash(e))
	}, nil
}

// rangeTable is a sorted list of ranges that do not overlap, with their shards.
type rangeTable []ownedRange

type ownedRange struct {
	Range
	shard string
}

func newRangeTable(sets map[string]hashspace.Set) (t rangeTable) {
	for id, set := range sets {
		for _, r := range set {
			t = append(t, ownedRange{r, id})
		}
	}
	sort.Slice(t, func(i, j int) bool { return t[i].Start < t[j].Start })
	return t
}

// find returns the shard that has a hash, empty if none has it.
func (t rangeTable) find(hash uint64) string {
	at := sort.Search(len(t), func(i int) bool { return t[i].Start > hash }) - 1
	if at >= 0 && t[at].Contains(hash) {
		return t[at].shard
	}
	return ""
}

// streams returns a stream for each shard if the server selects by hash, and one for all if not: never several that
// deliver everything.
func (hashStrategy) streams(shards []*scope, selects bool) (out []*streamSpec) {
	cluster, key := shards[0].Cluster, shards[0].Hash
	tooLong := func(s *scope) bool { return len(s.set) > hashspace.MaxRanges }
	selects = selects && key.path != "" && !slices.ContainsFunc(shards, tooLong)
	spec := func(namespace string, of ...*scope) *streamSpec {
		sets := make([]hashspace.Set, len(of))
		for i, s := range of {
			sets[i] = s.set
		}
		set := hashspace.Set{}.Union(sets...)
		w := &streamSpec{
			cluster: cluster, namespace: namespace, objects: in(cluster, namespace).Restrict(byHash(key), cover.Hashes(set)),
			shards: idsOf(of), settled: key.settled, shared: !selects, probes: !selects,
		}
		if selects {
			w.reads = cover.Hash
			w.hashes, _ = hashspace.Selector(key.path, set) // it is within the limit
		}
		return w
	}
	sharing := map[string][]*scope{} // by namespace
	for _, s := range shards {
		for _, namespace := range s.namespaces() {
			if selects {
				out = append(out, spec(namespace, s))
			} else {
				sharing[namespace] = append(sharing[namespace], s)
			}
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(sharing)) {
		out = append(out, spec(namespace, sharing[namespace]...))
	}
	return out
}

func (hashStrategy) split(s *scope, n int, objects iter.Seq[*Envelope]) ([]Scope, error) {
	outside := func(load hashspace.Load) bool { return !s.set.Contains(load.Hash) }
	parts, err := hashspace.Quantiles(slices.DeleteFunc(loadsOf(s.Hash, objects), outside), n)
	if err != nil {
		return nil, err
	}
	out := make([]Scope, n)
	for i, part := range parts {
		out[i] = s.Scope
		out[i].Ranges = s.set.Intersect(hashspace.Set{part})
		if len(out[i].Ranges) == 0 {
			return nil, errors.New("the shard has too few hashes")
		}
	}
	return out, nil
}

// loadsOf returns the number of objects by hash.
func loadsOf(key HashKey, objects ...iter.Seq[*Envelope]) []hashspace.Load {
	weights := map[uint64]float64{}
	for _, some := range objects {
		for e := range some {
			weights[key.hash(e)]++
		}
	}
	out := make([]hashspace.Load, 0, len(weights))
	for _, hash := range slices.Sorted(maps.Keys(weights)) {
		out = append(out, hashspace.Load{Hash: hash, Weight: weights[hash]})
	}
	return out
}

func (hashStrategy) merge(a, b *scope) (Scope, error) {
	if !slices.Equal(sorted(a.Namespaces), sorted(b.Namespaces)) {
		return Scope{}, errors.New("different namespaces")
	}
	merged := a.Scope
	merged.Ranges = a.set.Union(b.set)
	return merged, nil
}
