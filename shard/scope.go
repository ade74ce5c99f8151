package shard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"vedette.dev/internal/cover"
	"vedette.dev/internal/hashspace"
	"vedette.dev/rest"
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
	// sends them. What is too much is left out, and the state of the shard says so, until there is room again: then the
	// shard is listed anew.
	Objects int
	Bytes   int64
	// EventsPerSecond is how many changes are applied in a second. What waits is merged by key.
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

// strategy is how the objects of a shard are told from those of others. Within a cluster, all shards have the same.
type strategy int

const (
	strategyAll       strategy = iota // the whole cluster
	strategyNamespace                 // by namespace
	strategyLabel                     // by the value of one label
	strategyHash                      // by ranges of a hash
	strategyTenant                    // by what a function says
	strategySelector                  // by a selector that the server alone evaluates
)

// scope is a Scope that has been read.
type scope struct {
	Scope
	strategy strategy
	label    string   // of strategyLabel: the key
	values   []string // of strategyLabel
	set      hashspace.Set
	cover    cover.Cover
}

func read(s *Shard, tenants *Tenancy) (scope, error) {
	out := scope{Scope: s.Scope}
	fail := func(format string, args ...any) (scope, error) {
		return scope{}, fmt.Errorf("shard %q: %s", s.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case s.ID == "":
		return scope{}, errors.New("a shard has no ID")
	case s.Weight < 0 || s.Weight != s.Weight:
		return fail("Weight is %v, want 0 or more", s.Weight)
	case s.Scope.Cluster == "" && s.Scope.REST != nil:
		return fail("REST is set, but Cluster has no name")
	case strings.ContainsAny(s.Scope.Cluster, "|/"):
		return fail("the name of cluster %q has a | or a /", s.Scope.Cluster)
	}
	for i, namespace := range s.Scope.Namespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return fail("%q is not the name of a namespace: %s", namespace, problems[0])
		}
		if slices.Contains(s.Scope.Namespaces[:i], namespace) {
			return fail("namespace %q is there twice", namespace)
		}
	}
	if s.Scope.Fields != "" {
		if _, err := fields.ParseSelector(s.Scope.Fields); err != nil {
			return fail("Fields is %q: %v", s.Scope.Fields, err)
		}
	}
	if err := out.readLabels(); err != nil {
		return fail("%v", err)
	}
	if err := out.readHash(); err != nil {
		return fail("%v", err)
	}
	err := out.choose(tenants)
	if err == nil {
		out.cover, err = out.objects()
	}
	if err != nil {
		return fail("%v", err)
	}
	return out, nil
}

// readLabels finds out whether a label selector asks for values of one key.
func (s *scope) readLabels() error {
	if s.Labels == "" {
		return nil
	}
	selector, err := labels.Parse(s.Labels)
	if err != nil {
		return fmt.Errorf("scope: Labels is %q: %w", s.Labels, err)
	}
	requirements, selectable := selector.Requirements()
	if !selectable || len(requirements) != 1 {
		return nil
	}
	switch r := requirements[0]; r.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
		s.label, s.values = r.Key(), r.Values().List()
	}
	return nil
}

func (s *scope) readHash() (err error) {
	switch {
	case s.Hash.of == nil && len(s.Ranges) > 0:
		return errors.New("scope: Ranges are set, but Hash is not")
	case s.Hash.of == nil:
		return nil
	case len(s.Ranges) == 0:
		return errors.New("Hash is set, but Ranges are not")
	}
	if s.set, err = hashspace.NewSet(s.Ranges...); err != nil {
		return fmt.Errorf("scope: Ranges: %w", err)
	}
	return nil
}

// choose sets the strategy, and refuses combinations that cannot be evaluated.
func (s *scope) choose(tenants *Tenancy) error {
	hashed := s.Hash.of != nil
	switch {
	case hashed && (s.Labels != "" || s.Fields != ""):
		return errors.New("a hash cannot be combined with labels or fields: what all shards have in common belongs into Config.Tweak")
	case s.Tenant != "" && (hashed || s.Labels != "" || s.Fields != "" || len(s.Namespaces) > 0):
		return errors.New("scope: Tenant can be combined with Cluster alone")
	case s.Tenant != "" && tenants.isZero():
		return fmt.Errorf("scope: Tenant is %q, but Config.Tenant does not say how tenants are told apart", s.Tenant)
	case s.Tenant != "" && tenants.Label != "":
		s.strategy, s.label, s.values = strategyLabel, tenants.Label, []string{s.Tenant}
		if _, err := labels.NewRequirement(s.label, selection.In, s.values); err != nil {
			return fmt.Errorf("scope: Tenant: %w", err)
		}
	case s.Tenant != "":
		s.strategy = strategyTenant
	case hashed:
		s.strategy = strategyHash
	case s.Fields != "" || s.Labels != "" && (s.label == "" || len(s.Namespaces) > 0):
		s.strategy = strategySelector
	case s.Labels != "":
		s.strategy = strategyLabel
	case len(s.Namespaces) > 0:
		s.strategy = strategyNamespace
	default:
		s.strategy = strategyAll
	}
	return nil
}

// Tenancy says how tenants are told apart. One of the two is set.
type Tenancy struct {
	// Label is the label whose value is the tenant. The server then sends nothing of other tenants.
	Label string
	// Of returns the tenant of an object, empty for none.
	Of func(e *Envelope) string
}

func (t *Tenancy) isZero() bool { return t.Label == "" && t.Of == nil }

func (t *Tenancy) validate() error {
	switch {
	case t.Label != "" && t.Of != nil:
		return errors.New("shard: Config.Tenant has a Label and a function; one of them tells tenants apart")
	case t.Label != "":
		if problems := validation.IsQualifiedName(t.Label); len(problems) > 0 {
			return fmt.Errorf("shard: Config.Tenant.Label is %q, which is no label: %s", t.Label, problems[0])
		}
	}
	return nil
}

// String describes a scope in a few words.
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
