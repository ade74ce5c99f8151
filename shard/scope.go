package shard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"vedette.dev/internal/hashspace"
	"vedette.dev/rest"
	"vedette.dev/shard/internal/cover"
)

// Shard is a part of the objects of a kind, with an informer of its own.
type Shard struct {
	// ID names the shard. It must be the only one of that name.
	ID string
	// Scope says which objects are in it.
	Scope Scope
	// Weight is how large a part of the load the shard should have when shards are balanced, compared with others. Zero means 1.
	Weight float64
	// Limits is what the shard may use.
	Limits Limits
}

// Limits is what a shard may use. Zero means no limit.
type Limits struct {
	// Objects is how many objects a shard may have, and Bytes how large they may be in all, in the form in which the server
	// sends them. Objects beyond the limit are left out, which State.Full shows, until there is room again: then the shard is
	// listed anew.
	Objects int
	Bytes   int64
	// EventsPerSecond is how many changes are applied in a second. Changes that wait are coalesced by key.
	EventsPerSecond float64
}

// Scope says which objects are in a shard. The zero value is all of them. What can be combined: a cluster with anything;
// namespaces with any of labels, fields and a hash; labels with fields.
type Scope struct {
	// Cluster names the cluster that the objects are in, and REST says how to reach it. Keys begin with the name. Empty
	// means the cluster of Config.REST. Of several shards in one cluster, one is enough to say how to reach it.
	Cluster string
	REST    *rest.Config
	// Namespaces are those whose objects are in the shard. Each is listed and watched by itself, so that rights in them are
	// enough.
	Namespaces []string
	// Labels is a label selector. Shards whose selectors are all of the form "key in (a, b)", or "key=a", with the same key,
	// share a watch.
	Labels string
	// Fields is a field selector, which the server must know.
	Fields string
	// Hash is what objects are hashed by, and Ranges which hashes are in the shard.
	Hash   HashKey
	Ranges []Range
	// Tenant is the name of a tenant: see Config.Tenant.
	Tenant string
}

// scope is the Scope of a shard that has been read.
type scope struct {
	Scope
	id       string // of the shard
	strategy strategy
	cover    cover.Cover
	// byLabels and byFields are Labels and Fields.
	byLabels labels.Requirements
	byFields fields.Requirements

	label    string                 // of strategyLabel: the key
	values   []string               // of strategyLabel
	set      hashspace.Set          // of strategyHash
	tenantOf func(*Envelope) string // of strategyTenant
}

// readScope reads the scope of a shard. Its errors name the shard and the field.
func readScope(s *Shard, tenants *Tenancy) (*scope, error) {
	if s.ID == "" {
		return nil, errors.New("a shard has no ID")
	}
	out := &scope{Scope: s.Scope, id: s.ID}
	err := s.validate()
	if err == nil {
		err = out.readSelectors()
	}
	if err == nil {
		err = out.choose(tenants)
	}
	if err != nil {
		return nil, fmt.Errorf("shard %q: %w", s.ID, err)
	}
	within := in(out.Cluster, "")
	if len(out.Namespaces) > 0 {
		within = within.Restrict(inNamespace, cover.Values(out.Namespaces...))
	}
	out.cover = out.strategy.cover(out, within)
	return out, nil
}

// validate checks what shards of all strategies have.
func (s *Shard) validate() error {
	switch {
	case s.Weight < 0 || s.Weight != s.Weight:
		return fmt.Errorf("Shard.Weight is %v, want 0 or more", s.Weight)
	case s.Scope.Cluster == "" && s.Scope.REST != nil:
		return errors.New("Scope.REST is set, but Scope.Cluster has no name")
	case strings.ContainsAny(s.Scope.Cluster, "|/"):
		return fmt.Errorf("Scope.Cluster is %q, which has a | or a /", s.Scope.Cluster)
	}
	for i, namespace := range s.Scope.Namespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return fmt.Errorf("Scope.Namespaces: %q is not the name of a namespace: %s", namespace, problems[0])
		}
		if slices.Contains(s.Scope.Namespaces[:i], namespace) {
			return fmt.Errorf("Scope.Namespaces: namespace %q is there twice", namespace)
		}
	}
	return nil
}

// choose sets the strategy.
func (s *scope) choose(tenants *Tenancy) error {
	for _, candidate := range strategies {
		if is, err := candidate.read(s, tenants); is || err != nil {
			s.strategy = candidate
			return err
		}
	}
	return errors.New("Scope is of no strategy") // not reached, as strategyAll takes what is left
}

func (s *scope) readSelectors() error {
	byFields, err := fields.ParseSelector(s.Fields)
	if err != nil {
		return fmt.Errorf("Scope.Fields is %q: %w", s.Fields, err)
	}
	byLabels, err := labels.Parse(s.Labels)
	if err != nil {
		return fmt.Errorf("Scope.Labels is %q: %w", s.Labels, err)
	}
	s.byFields = byFields.Requirements()
	s.byLabels, _ = byLabels.Requirements()
	return nil
}

// namespaces returns the namespaces of the scope, or an empty name if it is in all of them.
func (s *scope) namespaces() []string {
	if len(s.Namespaces) == 0 {
		return []string{""}
	}
	return s.Namespaces
}

// String returns a short description of the scope.
func (s Scope) String() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if s.Cluster != "" {
		add("cluster %s", s.Cluster)
	}
	switch n := len(s.Namespaces); {
	case n == 1:
		add("namespace %s", s.Namespaces[0])
	case n > 4:
		add("%d namespaces", n)
	case n > 1:
		add("namespaces %s", strings.Join(s.Namespaces, ", "))
	}
	if s.Labels != "" {
		add("labels %s", s.Labels)
	}
	if s.Fields != "" {
		add("fields %s", s.Fields)
	}
	if s.Hash.of != nil {
		texts := make([]string, len(s.Ranges))
		for i, r := range s.Ranges {
			texts[i] = r.String()
		}
		add("hash of %s in %s", s.Hash, strings.Join(texts, ", "))
	}
	if s.Tenant != "" {
		add("tenant %s", s.Tenant)
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, "; ")
}
