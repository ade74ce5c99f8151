package shard

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"vedette.dev/shard/internal/cover"
)

// strategyLabel is shards by the value of one label. Tenants that a label names are such shards.
var strategyLabel strategy = labelStrategy{}

type labelStrategy struct{}

func (labelStrategy) read(s *scope, tenants *Tenancy) (bool, error) {
	if s.Tenant != "" { // strategyTenant has checked the other fields
		s.label, s.values = tenants.Label, []string{s.Tenant}
		if _, err := labels.NewRequirement(s.label, selection.In, s.values); err != nil {
			return false, fmt.Errorf("Scope.Tenant: %w", err)
		}
		return true, nil
	}
	if len(s.byLabels) != 1 || s.Fields != "" || len(s.Namespaces) > 0 {
		return false, nil
	}
	switch r := s.byLabels[0]; r.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
		s.label, s.values = r.Key(), r.Values().List()
		return true, nil
	}
	return false, nil
}

func (labelStrategy) cover(s *scope, within cover.Cover) cover.Cover {
	return within.Restrict(byLabel(s.label), cover.Values(s.values...))
}

func (labelStrategy) value(d cover.Dimension, _ reader) (out cover.Reader[*Envelope]) {
	if d.Kind == cover.Label {
		out.Value = func(e *Envelope) string {
			if value, ok := e.Labels()[d.Name]; ok {
				return value
			}
			return cover.Absent
		}
	}
	return out
}

func (labelStrategy) route(shards []*scope, _ bool) (func(e *Envelope) string, error) {
	label, owners := shards[0].label, map[string]string{}
	for _, s := range shards {
		if s.label != label {
			return nil, fmt.Errorf("shard %q is by label %q and shard %q by label %q, so that an object could be in both", shards[0].id, label, s.id, s.label)
		}
		if err := assign(owners, "label "+label+": value", s.values, s.id); err != nil {
			return nil, err
		}
	}
	return func(e *Envelope) string {
		if value, ok := e.Labels()[label]; ok {
			return owners[value]
		}
		return ""
	}, nil
}

// streams returns one stream for all values, so that a change of the label is a single event.
func (labelStrategy) streams(shards []*scope, _ bool) []*streamSpec {
	w := &streamSpec{
		cluster: shards[0].Cluster, label: shards[0].label, shards: idsOf(shards),
		shared: true, leaves: true, reads: cover.Label,
	}
	var values []string
	for _, s := range shards {
		values = append(values, s.values...)
	}
	w.setValues(values)
	return []*streamSpec{w}
}

// setValues makes the stream one for some values of its label.
func (w *streamSpec) setValues(values []string) {
	w.values = sorted(values)
	w.labels = labelIn(w.label, w.values)
	w.objects = in(w.cluster, "").Restrict(byLabel(w.label), cover.Values(w.values...))
}

func (labelStrategy) split(s *scope, n int, objects iter.Seq[*Envelope]) ([]Scope, error) {
	if s.Tenant != "" {
		return nil, errTenantSplit
	}
	return splitNames(s, n, "label values", s.values, objects, func(e *Envelope) string { return e.Labels()[s.label] },
		func(part *Scope, values []string) { part.Labels = labelIn(s.label, values) })
}

func (labelStrategy) merge(a, b *scope) (Scope, error) {
	if a.Tenant != "" || b.Tenant != "" {
		return Scope{}, errTenantMerge
	}
	merged := a.Scope
	merged.Labels = labelIn(a.label, slices.Concat(a.values, b.values))
	return merged, nil
}

// labelIn returns a label selector of some values.
func labelIn(key string, values []string) string {
	return key + " in (" + strings.Join(sorted(values), ",") + ")"
}
