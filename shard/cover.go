package shard

import (
	"slices"

	"vedette.dev/internal/hashspace"
)

// cover is which objects of a cluster a stream brings, or a shard has. Of the fields after the first, the one of the family counts.
type cover struct {
	family    family
	namespace string        // "" for all of them
	values    []string      // of a label, or tenants; sorted
	set       hashspace.Set // of hashes
	asked     string        // what the server was asked for
}

// within tells whether the cover is part of several others taken together.
func (c cover) within(others []cover) bool {
	rest := c
	for _, o := range others {
		if !c.comparable(o) {
			continue
		}
		switch c.family {
		case familyHash:
			rest.set = rest.set.Subtract(o.set)
		case familyLabel, familyTenant:
			rest.values = minus(rest.values, o.values)
		default:
			return true
		}
	}
	return rest.isEmpty()
}

// meets tells whether two covers have something in common.
func (c cover) meets(o cover) bool {
	if !c.comparable(o) {
		return false
	}
	switch c.family {
	case familyHash:
		return !c.set.Intersect(o.set).Empty()
	case familyLabel, familyTenant:
		return len(minus(c.values, o.values)) < len(c.values)
	}
	return true
}

// comparable tells whether two covers are of the same sort and in the same place.
func (c cover) comparable(o cover) bool {
	return c.family == o.family && c.namespace == o.namespace && c.asked == o.asked
}

func (c cover) isEmpty() bool {
	switch c.family {
	case familyHash:
		return c.set.Empty()
	case familyLabel, familyTenant:
		return len(c.values) == 0
	}
	return false
}

// minus is the values that are not among others.
func minus(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(others, v) })
}

// covers is what a shard has, in pieces that can be compared with those of others.
func (s *scope) covers() []cover {
	switch s.family {
	case familyNamespace, familyHash:
		namespaces := s.Namespaces
		if len(namespaces) == 0 {
			namespaces = []string{""}
		}
		var out []cover
		for _, namespace := range namespaces {
			out = append(out, cover{family: s.family, namespace: namespace, set: s.set})
		}
		return out
	case familyLabel:
		return []cover{{family: familyLabel, values: sorted(s.values)}}
	case familyTenant:
		return []cover{{family: familyTenant, values: []string{s.Tenant}}}
	case familyAsked:
		return []cover{{family: familyAsked, asked: s.Scope.String()}}
	}
	return []cover{{family: familyAll}}
}

func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// coversOf is what all shards of a cluster have.
func (l *layout) coversOf(cluster string) (out []cover) {
	for _, id := range l.ids() {
		if s := l.scopes[id]; s.Cluster == cluster {
			out = append(out, s.covers()...)
		}
	}
	return out
}

// keeps tells whether everything that a shard has is in some shard of a layout.
func (l *layout) keeps(s *scope) bool {
	all := l.coversOf(s.Cluster)
	for _, c := range s.covers() {
		if !c.within(all) {
			return false
		}
	}
	return true
}
