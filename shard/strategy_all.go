package shard

import (
	"errors"
	"fmt"
	"iter"

	"vedette.dev/shard/internal/cover"
)

// strategyAll is one shard with all objects of a cluster.
var strategyAll strategy = allStrategy{}

type allStrategy struct{}

func (allStrategy) read(*scope, *Tenancy) (bool, error) { return true, nil }

func (allStrategy) cover(_ *scope, within cover.Cover) cover.Cover { return within }

func (allStrategy) value(cover.Dimension, reader) (none cover.Reader[*Envelope]) { return none }

func (allStrategy) route(shards []*scope, _ bool) (func(e *Envelope) string, error) {
	if len(shards) > 1 {
		return nil, fmt.Errorf("shard %q and shard %q both have all objects", shards[0].id, shards[1].id)
	}
	return func(*Envelope) string { return shards[0].id }, nil
}

func (allStrategy) streams(shards []*scope, _ bool) []*streamSpec {
	cluster := shards[0].Cluster
	return []*streamSpec{{cluster: cluster, objects: in(cluster, ""), shards: idsOf(shards), settled: true}}
}

func (allStrategy) split(*scope, int, iter.Seq[*Envelope]) ([]Scope, error) {
	return nil, errors.New("Scope has nothing to split by; use SetShards")
}

func (allStrategy) merge(*scope, *scope) (Scope, error) {
	return Scope{}, errors.New("both have all objects")
}
