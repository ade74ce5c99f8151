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
	// ID is the name of the shard. It must be unique.
	ID string
	// Scope determines which objects are in the shard.
	Scope Scope
	// Weight is the share of the load that the shard should have when shards are balanced, relative to others. Zero
	// means 1.
	Weight float64
	// Limits are the limits of the shard.
	Limits Limits
}

// Limits are the limits of a shard. Zero means no limit.
type Limits struct {
	// Objects is the maximum number of objects of a shard, and Bytes their maximum total size, as sent by the server.
	// Objects beyond the limit are skipped, which State.Full reports, until there is room again: then the shard is
	// listed again, 10 s later if there is room for a tenth of the limit, and 2 minutes later if there is less.
	Objects int
	Bytes   int64
	// EventsPerSecond is the maximum rate at which changes are applied. Pending changes are coalesced by key.
	EventsPerSecond float64
}

// Scope determines which objects are in a shard. The zero value means all. These can be combined: a cluster with
// anything; namespaces with any of labels, fields and a hash; labels with fields.
type Scope struct {
	// Cluster is the name of the cluster that the objects are in, and REST the configuration of its client. Keys begin
	// with the name. Empty means the cluster of Config.REST. If several shards are in one cluster, one with REST is
	// enough.
	Cluster string
	REST    *rest.Config
	// Namespaces are the namespaces of the shard. Each is listed and watched separately, so that permissions in them
	// are enough.
	Namespaces []string
	// Labels is a label selector. Shards whose selectors are all of the form "key in (a, b)", or "key=a", with the same key,
	// share a watch.
	Labels string
	// Fields is a field selector, which the server must support.
	Fields string
	// Hash is what objects are hashed by, and Ranges which hashes are in the shard.
	Hash   HashKey
	Ranges []Range
	// Tenant is the name of a tenant: see Config.Tenant.
	Tenant string
}

// scope is the parsed Scope of a shard.
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

// readScope parses the scope of a shard. Its errors name the shard and the field.
func readScope(s *Shard, tenants *Tenancy) (*scope, error) {
	if s.ID == "" {
		return nil, errors.New("shard without an ID")
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

// validate checks the fields that all strategies use.
func (s *Shard) validate() error {
	switch {
	case s.Weight < 0 || s.Weight != s.Weight:
		return fmt.Errorf("Shard.Weight is %v, want 0 or more", s.Weight)
	case s.Scope.Cluster == "" && s.Scope.REST != nil:
		return errors.New("Scope.REST is set, but Scope.Cluster has no name")
	case strings.ContainsAny(s.Scope.Cluster, "|/"):
		return fmt.Errorf("Scope.Cluster is %q, which contains a | or a /", s.Scope.Cluster)
	}
	for i, namespace := range s.Scope.Namespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return fmt.Errorf("Scope.Namespaces: invalid namespace %q: %s", namespace, problems[0])
		}
		if slices.Contains(s.Scope.Namespaces[:i], namespace) {
			return fmt.Errorf("Scope.Namespaces: duplicate namespace %q", namespace)
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
