package shard

import (
	"errors"
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"vedette.dev/shard/internal/cover"
)

// strategySelector is shards by label and field selectors that only the server evaluates.
var strategySelector strategy = selectorStrategy{}

type selectorStrategy struct{}

func (selectorStrategy) read(s *scope, _ *Tenancy) (bool, error) {
	for _, r := range s.byFields {
		switch r.Operator {
		case selection.Equals, selection.DoubleEquals, selection.NotEquals:
		default:
			return false, fmt.Errorf("Scope.Fields is %q: unknown operator %q", s.Fields, r.Operator)
		}
	}
	return s.Labels != "" || s.Fields != "", nil
}

func (selectorStrategy) cover(s *scope, within cover.Cover) cover.Cover {
	for _, r := range s.byLabels {
		within = within.Restrict(matching(r))
	}
	for _, r := range s.byFields {
		within = within.Restrict(matchingField(r))
	}
	return within
}

// matching returns the objects that a requirement of a label selector matches, as values of a dimension.
func matching(r labels.Requirement) (cover.Dimension, cover.Set) {
	d, values := byLabel(r.Key()), r.ValuesUnsorted()
	switch r.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
		return d, cover.Values(values...)
	case selection.NotIn, selection.NotEquals:
		return d, cover.Except(values...)
	case selection.Exists:
		return d, cover.Except(cover.Absent)
	case selection.DoesNotExist:
		return d, cover.Values(cover.Absent)
	}
	// Numeric comparisons: two of them overlap unless they are equal.
	return byLabel(r.String()), cover.Values("matches")
}

// matchingField returns the objects that a requirement of a field selector matches, as values of a dimension.
func matchingField(r fields.Requirement) (cover.Dimension, cover.Set) {
	d := cover.Dimension{Kind: cover.Field, Name: r.Field}
	if r.Field == "metadata.namespace" {
		d = inNamespace
	}
	if r.Operator == selection.NotEquals {
		return d, cover.Except(r.Value)
	}
	return d, cover.Values(r.Value)
}

// value returns the zero Reader: labels are read by strategyLabel, and only the server knows fields.
func (selectorStrategy) value(cover.Dimension, reader) (none cover.Reader[*Envelope]) { return none }

// route rejects selectors of which two can match one object: each shard has a stream of its own, and no stream could
// determine which shard has the object.
func (selectorStrategy) route(shards []*scope, _ bool) (func(e *Envelope) string, error) {
	for i, b := range shards {
		for _, a := range shards[:i] {
			if a.cover.Overlaps(b.cover) {
				return nil, fmt.Errorf("shard %q (%s) and shard %q (%s) overlap; their selectors must exclude each other", a.id, a.Scope, b.id, b.Scope)
			}
		}
	}
	return nil, nil
}

func (selectorStrategy) streams(shards []*scope, _ bool) (out []*streamSpec) {
	for _, s := range shards {
		for _, namespace := range s.namespaces() {
			out = append(out, &streamSpec{
				cluster: s.Cluster, namespace: namespace, labels: s.Labels, fields: s.Fields,
				objects: s.cover.Intersect(in(s.Cluster, namespace)),
				shards:  []string{s.id}, fixed: true, leaves: true,
			})
		}
	}
	return out
}

var errServerEvaluates = errors.New("only the server evaluates Scope.Labels and Scope.Fields; use SetShards")

func (selectorStrategy) split(*scope, int, iter.Seq[*Envelope]) ([]Scope, error) {
	return nil, errServerEvaluates
}

func (selectorStrategy) merge(*scope, *scope) (Scope, error) { return Scope{}, errServerEvaluates }
