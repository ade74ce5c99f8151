package shard

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"vedette.dev/internal/cover"
)

// Dimensions of covers that every object has.
var (
	inCluster   = cover.Dimension{Kind: cover.Cluster}
	inNamespace = cover.Dimension{Kind: cover.Namespace}
	ofTenant    = cover.Dimension{Kind: cover.Tenant}
)

func byLabel(key string) cover.Dimension { return cover.Dimension{Kind: cover.Label, Name: key} }

func byHash(key HashKey) cover.Dimension { return cover.Dimension{Kind: cover.Hash, Name: key.name} }

// in returns the objects of a cluster that are in a namespace, or in all of them if it is empty.
func in(cluster, namespace string) cover.Cover {
	c := cover.Of(inCluster, cover.Values(cluster))
	if namespace != "" {
		c = c.Restrict(inNamespace, cover.Values(namespace))
	}
	return c
}

// objects returns which objects are in the scope.
func (s *scope) objects() (cover.Cover, error) {
	c := in(s.Cluster, "")
	if len(s.Namespaces) > 0 {
		c = c.Restrict(inNamespace, cover.Values(s.Namespaces...))
	}
	switch {
	case s.Hash.of != nil:
		return c.Restrict(byHash(s.Hash), cover.Hashes(s.set)), nil
	case s.strategy == strategyTenant:
		return c.Restrict(ofTenant, cover.Values(s.Tenant)), nil
	case s.strategy == strategyLabel:
		return c.Restrict(byLabel(s.label), cover.Values(s.values...)), nil
	}
	c, err := selected(c, s.Labels)
	if err != nil {
		return cover.Cover{}, err
	}
	return selectedByField(c, s.Fields)
}

// selected returns the objects of a cover that a label selector matches.
func selected(c cover.Cover, text string) (cover.Cover, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return cover.Cover{}, err
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		d, values := byLabel(r.Key()), r.ValuesUnsorted()
		switch r.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			c = c.Restrict(d, cover.Values(values...))
		case selection.NotIn, selection.NotEquals:
			c = c.Restrict(d, cover.Except(values...))
		case selection.Exists:
			c = c.Restrict(d, cover.Except(cover.Absent))
		case selection.DoesNotExist:
			c = c.Restrict(d, cover.Values(cover.Absent))
		default: // comparisons of numbers: two of them overlap unless they are the same
			c = c.Restrict(cover.Dimension{Kind: cover.Label, Name: r.String()}, cover.Values("matches"))
		}
	}
	return c, nil
}

// selectedByField returns the objects of a cover that a field selector matches.
func selectedByField(c cover.Cover, text string) (cover.Cover, error) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return cover.Cover{}, err
	}
	for _, r := range selector.Requirements() {
		d := cover.Dimension{Kind: cover.Field, Name: r.Field}
		if r.Field == "metadata.namespace" {
			d = inNamespace
		}
		switch r.Operator {
		case selection.Equals, selection.DoubleEquals:
			c = c.Restrict(d, cover.Values(r.Value))
		case selection.NotEquals:
			c = c.Restrict(d, cover.Except(r.Value))
		default:
			return cover.Cover{}, fmt.Errorf("operator %q is not known", r.Operator)
		}
	}
	return c, nil
}

// reader reads the values of objects in the dimensions of covers. Fields are not read: the server alone knows them.
type reader struct {
	hashes   map[string]HashKey
	tenantOf func(*Envelope) string
}

func (r reader) read(d cover.Dimension) cover.Reader[*Envelope] {
	switch d.Kind {
	case cover.Namespace:
		return cover.Reader[*Envelope]{Value: func(e *Envelope) string { return e.Namespace }}
	case cover.Label:
		return cover.Reader[*Envelope]{Value: func(e *Envelope) string {
			if value, ok := e.Labels()[d.Name]; ok {
				return value
			}
			return cover.Absent
		}}
	case cover.Tenant:
		return cover.Reader[*Envelope]{Value: r.tenantOf}
	case cover.Hash:
		return cover.Reader[*Envelope]{Hash: r.hashes[d.Name].hash} // the key is read now, so that the map may grow later
	}
	return cover.Reader[*Envelope]{}
}
