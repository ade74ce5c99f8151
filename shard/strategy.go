package shard

import (
	"fmt"
	"iter"

	"vedette.dev/shard/internal/cover"
)

// strategy is a way to divide the objects of a cluster into shards. Within a cluster, all shards have the same
// strategy. An implementation has no state: what it knows about a shard is in the scope of the shard.
//
// A strategy is one file, strategy_<name>.go, and one line in strategies. What is specific to one strategy is not part
// of the interface: ranges of hashes are balanced in balance.go, servers that select by hash are detected in probe.go,
// and streams for values that are added to a label are in grow.go.
type strategy interface {
	// read reports whether a scope is of this strategy. If so, it sets the fields of the scope that the strategy uses. It returns an error
	// that names the field if fields of Scope are invalid or cannot be combined.
	read(s *scope, tenants *Tenancy) (bool, error)
	// cover returns the objects that are in the scope; within are all objects of its cluster and its namespaces.
	cover(s *scope, within cover.Cover) cover.Cover
	// value returns how the value of an object in a dimension of a cover is read; the zero Reader if the dimension is of another strategy.
	value(d cover.Dimension, r reader) cover.Reader[*Envelope]
	// route returns a function that returns the ID of the shard that an object is in, empty if it is in none; nil if only the server can
	// evaluate the scopes. It returns an error that names the shards if an object could be in two of them and, if complete is set, if the
	// strategy divides values of which one is in no shard.
	route(shards []*scope, complete bool) (func(e *Envelope) string, error)
	// streams returns the lists and watches that the shards of a cluster need. selects means that the server selects by
	// hash.
	streams(shards []*scope, selects bool) []*streamSpec
	// split divides a scope into n scopes with about the same number of objects; objects are those of the shard.
	split(s *scope, n int, objects iter.Seq[*Envelope]) ([]Scope, error)
	// merge returns the scope that has the objects of two shards of the same cluster.
	merge(a, b *scope) (Scope, error)
}

// strategies are all strategies. A scope has the first one whose read returns true, so that those that check fewer
// fields come later.
var strategies = []strategy{
	strategyHash,
	strategyTenant,
	strategyLabel,
	strategySelector,
	strategyNamespace,
	strategyAll,
}

// assign makes a shard the owner of some names. It returns an error if another shard is the owner of one of them.
func assign(owners map[string]string, what string, names []string, id string) error {
	for _, name := range names {
		if other, taken := owners[name]; taken {
			return fmt.Errorf("%s %q is in shard %q and in shard %q", what, name, other, id)
		}
		owners[name] = id
	}
	return nil
}

func idsOf(shards []*scope) []string {
	ids := make([]string, len(shards))
	for i, s := range shards {
		ids[i] = s.id
	}
	return ids
}
