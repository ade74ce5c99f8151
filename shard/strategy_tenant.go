package shard

import (
	"errors"
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/util/validation"

	"vedette.dev/shard/internal/cover"
)

// Tenancy determines the tenant of an object. One of the two fields is set.
type Tenancy struct {
	// Label is the label whose value is the tenant. The server then sends no objects of other tenants.
	Label string
	// Of returns the tenant of an object, empty for none.
	Of func(e *Envelope) string
}

func (t *Tenancy) isZero() bool { return t.Label == "" && t.Of == nil }

func (t *Tenancy) validate() error {
	switch {
	case t.Label != "" && t.Of != nil:
		return errors.New("shard: Config.Tenant.Label and Config.Tenant.Of cannot be combined")
	case t.Label != "":
		if problems := validation.IsQualifiedName(t.Label); len(problems) > 0 {
			return fmt.Errorf("shard: Config.Tenant.Label is %q, not a valid label name: %s", t.Label, problems[0])
		}
	}
	return nil
}

// strategyTenant is shards of tenants that a function returns. If a label determines the tenant, the strategy is
// strategyLabel.
var strategyTenant strategy = tenantStrategy{}

type tenantStrategy struct{}

var (
	errTenantCombined = errors.New("Scope.Tenant can only be combined with Scope.Cluster")
	errTenantSplit    = errors.New("Scope.Tenant is set, and a tenant cannot be split")
	errTenantMerge    = errors.New("Scope.Tenant is set, and tenants cannot be merged")
)

func (tenantStrategy) read(s *scope, tenants *Tenancy) (bool, error) {
	switch {
	case s.Tenant == "":
		return false, nil
	case s.Labels != "" || s.Fields != "" || len(s.Namespaces) > 0:
		return false, errTenantCombined
	case tenants.isZero():
		return false, fmt.Errorf("Scope.Tenant is %q, but Config.Tenant is not set", s.Tenant)
	}
	s.tenantOf = tenants.Of
	return tenants.Label == "", nil
}

func (tenantStrategy) cover(s *scope, within cover.Cover) cover.Cover {
	return within.Restrict(ofTenant, cover.Values(s.Tenant))
}

func (tenantStrategy) value(d cover.Dimension, r reader) (out cover.Reader[*Envelope]) {
	if d.Kind == cover.Tenant {
		out.Value = r.tenantOf
	}
	return out
}

func (tenantStrategy) route(shards []*scope, _ bool) (func(e *Envelope) string, error) {
	owners := map[string]string{}
	for _, s := range shards {
		if err := assign(owners, "tenant", []string{s.Tenant}, s.id); err != nil {
			return nil, err
		}
	}
	tenantOf := shards[0].tenantOf
	return func(e *Envelope) string { return owners[tenantOf(e)] }, nil
}

// streams returns one stream of everything: servers cannot select by a function.
func (tenantStrategy) streams(shards []*scope, _ bool) []*streamSpec {
	var tenants []string
	for _, s := range shards {
		tenants = append(tenants, s.Tenant)
	}
	cluster := shards[0].Cluster
	objects := in(cluster, "").Restrict(ofTenant, cover.Values(tenants...))
	return []*streamSpec{{cluster: cluster, objects: objects, shards: idsOf(shards), shared: true}}
}

func (tenantStrategy) split(*scope, int, iter.Seq[*Envelope]) ([]Scope, error) {
	return nil, errTenantSplit
}

func (tenantStrategy) merge(*scope, *scope) (Scope, error) { return Scope{}, errTenantMerge }
