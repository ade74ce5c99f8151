package shard

import (
	"errors"
	"fmt"
	"slices"

	"vedette.dev/cache"
	"vedette.dev/internal/hashspace"
)

// Split has two or more shards in the place of one, and divides among them what it has, by how many objects are where. They have
// its weight divided among them, and its limits each.
func (s *TypedShardingInformer[T]) Split(id string, into ...string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.layout.shards[id] == nil {
		return fmt.Errorf("shard: there is no shard %q to split", id)
	}
	if len(into) < 2 {
		return fmt.Errorf("shard: shard %q is to be split into %d, want 2 or more", id, len(into))
	}
	scopes, err := s.divide(s.layout.scopes[id], len(into))
	if err != nil {
		return fmt.Errorf("shard: shard %q (%s) cannot be split into %d: %w", id, s.layout.scopes[id].Scope, len(into), err)
	}
	old := *s.layout.shards[id]
	shards := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return shard.ID == id })
	for i, name := range into {
		shards = append(shards, Shard{ID: name, Scope: scopes[i], Weight: old.weight() / float64(len(into)), Limits: old.Limits})
	}
	return s.setShards(shards)
}

// divide divides a scope into n.
func (s *TypedShardingInformer[T]) divide(sc *scope, n int) ([]Scope, error) {
	switch sc.strategy {
	case strategyHash:
		return s.divideRanges(sc, n)
	case strategyNamespace:
		return s.divideNames(sc, n, sc.Namespaces, func(e *Envelope) string { return e.Namespace },
			func(scope *Scope, names []string) { scope.Namespaces = names })
	case strategyLabel:
		if sc.Tenant != "" {
			return nil, errors.New("a tenant is not divided")
		}
		return s.divideNames(sc, n, sc.values, func(e *Envelope) string { return e.Labels()[sc.label] },
			func(scope *Scope, names []string) { scope.Labels = labelIn(sc.label, names) })
	}
	return nil, errors.New("only shards by hash, by namespace and by label values can")
}

func (s *TypedShardingInformer[T]) divideRanges(sc *scope, n int) ([]Scope, error) {
	var loads []hashspace.Load
	for _, load := range s.loads(groupOf(&sc.Scope), sc.Hash) {
		if sc.set.Contains(load.Hash) {
			loads = append(loads, load)
		}
	}
	parts, err := hashspace.Quantiles(loads, n)
	if err != nil {
		return nil, err
	}
	out := make([]Scope, n)
	for i, part := range parts {
		out[i] = sc.Scope
		out[i].Ranges = sc.set.Intersect(hashspace.Set{part})
		if len(out[i].Ranges) == 0 {
			return nil, errors.New("it has too few hashes")
		}
	}
	return out, nil
}

// divideNames deals names out, the heaviest first, each to the part that has least.
func (s *TypedShardingInformer[T]) divideNames(sc *scope, n int, names []string, of func(*Envelope) string, set func(*Scope, []string)) ([]Scope, error) {
	if len(names) < n {
		return nil, fmt.Errorf("it has %d of what it is made of", len(names))
	}
	weights := map[string]int{}
	for _, id := range s.layout.ids() {
		if s.layout.scopes[id].Cluster != sc.Cluster {
			continue
		}
		for _, obj := range s.machine.PartitionIndexer(id).List() {
			e := cache.EnvelopeOf(obj)
			weights[of(&e)]++
		}
	}
	names = sorted(names)
	slices.SortStableFunc(names, func(a, b string) int { return weights[b] - weights[a] })
	parts, sums := make([][]string, n), make([]int, n)
	for _, name := range names {
		least := 0
		for i := range parts {
			if sums[i]+len(parts[i]) < sums[least]+len(parts[least]) { // those without objects count a little, too
				least = i
			}
		}
		parts[least] = append(parts[least], name)
		sums[least] += weights[name]
	}
	out := make([]Scope, n)
	for i := range out {
		out[i] = sc.Scope
		set(&out[i], sorted(parts[i]))
	}
	return out, nil
}

// Merge has one shard in the place of several of the same sort. Its name may be one of theirs. It has their weights and limits
// taken together.
func (s *TypedShardingInformer[T]) Merge(into string, ids ...string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if len(ids) < 2 {
		return fmt.Errorf("shard: %d shards are to be merged into %q, want 2 or more", len(ids), into)
	}
	var merged Shard
	for i, id := range ids {
		shard := s.layout.shards[id]
		if shard == nil {
			return fmt.Errorf("shard: there is no shard %q to merge", id)
		}
		if slices.Contains(ids[:i], id) {
			return fmt.Errorf("shard: shard %q is to be merged with itself", id)
		}
		if i == 0 {
			merged = *shard
			continue
		}
		if err := s.absorb(&merged, s.layout.scopes[id], shard); err != nil {
			return fmt.Errorf("shard: shards %q and %q cannot be merged: %w", ids[0], id, err)
		}
	}
	merged.ID = into
	shards := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return slices.Contains(ids, shard.ID) })
	return s.setShards(append(shards, merged))
}

// absorb adds what a shard has to another.
func (s *TypedShardingInformer[T]) absorb(to *Shard, sc *scope, shard *Shard) error {
	mine, err := read(to, &s.config.Tenant)
	if err != nil {
		return err
	}
	if mine.strategy != sc.strategy || mine.Cluster != sc.Cluster {
		return fmt.Errorf("one is %s, the other %s", to.Scope, sc.Scope)
	}
	switch sc.strategy {
	case strategyHash:
		if !slices.Equal(sorted(mine.Namespaces), sorted(sc.Namespaces)) {
			return errors.New("they are in different namespaces")
		}
		to.Scope.Ranges = mine.set.Union(sc.set)
	case strategyNamespace:
		to.Scope.Namespaces = sorted(append(slices.Clone(mine.Namespaces), sc.Namespaces...))
	case strategyLabel:
		if mine.Tenant != "" {
			return errors.New("tenants are not merged")
		}
		to.Scope.Labels = labelIn(mine.label, append(slices.Clone(mine.values), sc.values...))
	default:
		return errors.New("only shards by hash, by namespace and by label values can")
	}
	to.Weight = to.weight() + shard.weight()
	to.Limits = Limits{
		Objects:         sumLimits(to.Limits.Objects, shard.Limits.Objects),
		Bytes:           sumLimits(to.Limits.Bytes, shard.Limits.Bytes),
		EventsPerSecond: sumLimits(to.Limits.EventsPerSecond, shard.Limits.EventsPerSecond),
	}
	return nil
}

// sumLimits adds limits, of which zero means none.
func sumLimits[N int | int64 | float64](a, b N) N {
	if a == 0 || b == 0 {
		return 0
	}
	return a + b
}
