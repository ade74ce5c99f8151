package shard

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"vedette.dev/rest"
)

// Source supplies the shards. The functions of this package return the usual ones. To divide a kind among replicas,
// implement a Source that emits the shards of this replica.
type Source interface {
	// Run calls emit with the shards, and again with all of them whenever they change, until the context ends. An error
	// of emit means that the shards are invalid, and that the previous ones remain. An error that Run returns stops the
	// informer.
	Run(ctx context.Context, emit func(shards []Shard) error) error
}

// fixed is a Source whose shards do not change by themselves.
type fixed []Shard

func (f fixed) Run(ctx context.Context, emit func([]Shard) error) error {
	// They were set when the informer was created, and may have been changed since.
	<-ctx.Done()
	return nil
}

// Shards returns a [Source] of these shards. They can be changed by the methods of the informer.
func Shards(shards ...Shard) Source { return fixed(slices.Clone(shards)) }

// Namespaces returns a [Source] of one shard for each namespace, named after it.
func Namespaces(namespaces ...string) Source {
	out := fixed{}
	for _, namespace := range namespaces {
		out = append(out, Shard{ID: namespace, Scope: Scope{Namespaces: []string{namespace}}})
	}
	return out
}

// LabelValues returns a [Source] of one shard for each value of a label, named after it.
func LabelValues(key string, values ...string) Source {
	out := fixed{}
	for _, value := range values {
		out = append(out, Shard{ID: value, Scope: Scope{Labels: key + "=" + value}})
	}
	return out
}

// Tenants returns a [Source] of one shard for each tenant, named after it. Config.Tenant determines the tenant of an
// object.
func Tenants(tenants ...string) Source {
	out := fixed{}
	for _, tenant := range tenants {
		out = append(out, Shard{ID: tenant, Scope: Scope{Tenant: tenant}})
	}
	return out
}

// Hash returns a [Source] of n shards of equal ranges of a hash, named by their number. If the key is the namespace, the
// ranges are chosen again after the initial lists.
func Hash(key HashKey, n int) Source {
	out := fixed{}
	for i, r := range EqualRanges(n) {
		out = append(out, Shard{ID: hashID(i), Scope: Scope{Hash: key, Ranges: []Range{r}}})
	}
	if len(out) == 0 {
		return wrong{fmt.Errorf("shard: cannot hash into %d shards, want 1 to 65536", n)}
	}
	return out
}

// hashID returns the ID of a shard by its number.
func hashID(i int) string { return fmt.Sprintf("%03d", i) }

// Clusters returns a [Source] of one shard for each cluster, named after it.
func Clusters(clusters map[string]*rest.Config) Source {
	out := fixed{}
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		out = append(out, Shard{ID: name, Scope: Scope{Cluster: name, REST: clusters[name]}})
	}
	return out
}

// wrong is a Source that returns an error.
type wrong struct{ err error }

func (w wrong) Run(context.Context, func([]Shard) error) error { return w.err }
