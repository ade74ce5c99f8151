package shard

import (
	"fmt"
	"iter"
	"slices"
)

// Split replaces a shard by two or more, which have about the same number of its objects. Its weight is divided among them, and each has
// its limits.
func (s *TypedShardingInformer[T]) Split(id string, into ...string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.layout.shards[id] == nil {
		return fmt.Errorf("shard: no shard %q to split", id)
	}
	if len(into) < 2 {
		return fmt.Errorf("shard: cannot split shard %q into %d, want 2 or more", id, len(into))
	}
	sc := s.layout.scopes[id]
	scopes, err := sc.strategy.split(sc, len(into), s.objects(id))
	if err != nil {
		return fmt.Errorf("shard: cannot split shard %q (%s) into %d: %w", id, sc.Scope, len(into), err)
	}
	old := *s.layout.shards[id]
	shards := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return shard.ID == id })
	for i, name := range into {
		shards = append(shards, Shard{ID: name, Scope: scopes[i], Weight: old.weight() / float64(len(into)), Limits: old.Limits})
	}
	return s.setShards(shards)
}

// objects returns the objects of a shard that are in the store.
func (s *TypedShardingInformer[T]) objects(id string) iter.Seq[*Envelope] {
	return func(yield func(*Envelope) bool) {
		for _, obj := range s.machine.PartitionIndexer(id).List() {
			if !yield(envelopeOf(obj)) {
				return
			}
		}
	}
}

// splitNames divides a scope by names, such as namespaces: in descending order of their objects, each to the part that
// has the fewest objects. of returns the name of an object, and set sets the names of a part.
func splitNames(s *scope, n int, what string, names []string, objects iter.Seq[*Envelope], of func(*Envelope) string, set func(*Scope, []string)) ([]Scope, error) {
	if len(names) < n {
		return nil, fmt.Errorf("the shard has only %[2]d %[1]s", what, len(names))
	}
	weights := map[string]int{}
	for e := range objects {
		weights[of(e)]++
	}
	names = sorted(names)
	slices.SortStableFunc(names, func(a, b string) int { return weights[b] - weights[a] })
	parts, sums := make([][]string, n), make([]int, n)
	for _, name := range names {
		least := 0
		for i := range parts {
			if sums[i]+len(parts[i]) < sums[least]+len(parts[least]) { // names without objects count a little, too
				least = i
			}
		}
		parts[least] = append(parts[least], name)
		sums[least] += weights[name]
	}
	out := make([]Scope, n)
	for i := range out {
		out[i] = s.Scope
		set(&out[i], sorted(parts[i]))
	}
	return out, nil
}

// Merge replaces several shards of the same strategy by one. Its ID may be one of theirs. It has the sum of their
// weights and limits.
func (s *TypedShardingInformer[T]) Merge(into string, ids ...string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if len(ids) < 2 {
		return fmt.Errorf("shard: cannot merge %d shards into %q, want 2 or more", len(ids), into)
	}
	var merged Shard
	for i, id := range ids {
		shard := s.layout.shards[id]
		if shard == nil {
			return fmt.Errorf("shard: no shard %q to merge", id)
		}
		if slices.Contains(ids[:i], id) {
			return fmt.Errorf("shard: cannot merge shard %q with itself", id)
		}
		if i == 0 {
			merged = *shard
			continue
		}
		if err := s.absorb(&merged, s.layout.scopes[id], shard); err != nil {
			return fmt.Errorf("shard: cannot merge shards %q and %q: %w", ids[0], id, err)
		}
	}
	merged.ID = into
	shards := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return slices.Contains(ids, shard.ID) })
	return s.setShards(append(shards, merged))
}

// absorb adds the scope, the weight and the limits of a shard to those of another.
func (s *TypedShardingInformer[T]) absorb(to *Shard, sc *scope, shard *Shard) error {
	mine, err := readScope(to, &s.config.Tenant)
	if err != nil {
		return err
	}
	if mine.strategy != sc.strategy || mine.Cluster != sc.Cluster {
		return fmt.Errorf("one is %s, the other %s", to.Scope, sc.Scope)
	}
	if to.Scope, err = sc.strategy.merge(mine, sc); err != nil {
		return err
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
