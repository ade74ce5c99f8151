package shard

import (
	"iter"
	"slices"

	"vedette.dev/shard/internal/cover"
)

// strategyNamespace is shards of namespaces.
var strategyNamespace strategy = namespaceStrategy{}

type namespaceStrategy struct{}

func (namespaceStrategy) read(s *scope, _ *Tenancy) (bool, error) { return len(s.Namespaces) > 0, nil }

func (namespaceStrategy) cover(_ *scope, within cover.Cover) cover.Cover { return within }

func (namespaceStrategy) value(d cover.Dimension, _ reader) (out cover.Reader[*Envelope]) {
	if d.Kind == cover.Namespace {
		out.Value = func(e *Envelope) string { return e.Namespace }
	}
	return out
}

func (namespaceStrategy) route(shards []*scope, _ bool) (func(e *Envelope) string, error) {
	owners := map[string]string{}
	for _, s := range shards {
		if err := assign(owners, "namespace", s.Namespaces, s.id); err != nil {
			return nil, err
		}
	}
	return func(e *Envelope) string { return owners[e.Namespace] }, nil
}

// streams returns a stream for each namespace, so that permissions in them are enough.
func (namespaceStrategy) streams(shards []*scope, _ bool) (out []*streamSpec) {
	for _, s := range shards {
		for _, namespace := range s.Namespaces {
			out = append(out, &streamSpec{
				cluster: s.Cluster, namespace: namespace, objects: in(s.Cluster, namespace), shards: []string{s.id}, settled: true,
			})
		}
	}
	return out
}

func (namespaceStrategy) split(s *scope, n int, objects iter.Seq[*Envelope]) ([]Scope, error) {
	return splitNames(s, n, "namespaces", s.Namespaces, objects, func(e *Envelope) string { return e.Namespace },
		func(part *Scope, namespaces []string) { part.Namespaces = namespaces })
}

func (namespaceStrategy) merge(a, b *scope) (Scope, error) {
	merged := a.Scope
	merged.Namespaces = sorted(slices.Concat(a.Namespaces, b.Namespaces))
	return merged, nil
}
