package memory

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/discovery"
	"vedette.dev/rest"
)

// ErrCacheNotFound says that the server did not name a group version when its groups were last read. Invalidate the
// cache to look again.
var ErrCacheNotFound = errors.New("not found")

// NewMemCacheClient puts a cache around delegate.
func NewMemCacheClient(delegate discovery.DiscoveryInterface) discovery.CachedDiscoveryInterface {
	return newClient(discovery.ToDiscoveryInterfaceWithContext(delegate))
}

// NewMemCacheClientWithContext puts a cache around delegate.
func NewMemCacheClientWithContext(delegate discovery.DiscoveryInterfaceWithContext) discovery.CachedDiscoveryInterfaceWithContext {
	return newClient(delegate)
}

func newClient(delegate discovery.DiscoveryInterfaceWithContext) *client {
	if delegate == nil {
		panic("memory: the cache needs a discovery client to read from, got nil")
	}
	c := &client{delegate: delegate}
	c.served.Store(newCell[*served](nil))
	return c
}

// client has the same methods twice; those without a context are in plain.go.
type client struct {
	delegate discovery.DiscoveryInterfaceWithContext
	// served is what was read since the last Invalidate, which puts a new cell in its place. A caller that still reads into
	// the old one does no harm there.
	served atomic.Pointer[cell[*served]]
}

// served is what the server named. It does not change, but its cells fill up.
type served struct {
	groups *metav1.APIGroupList
	// aggregated: the resources came with the groups.
	aggregated bool
	resources  map[schema.GroupVersion]*cell[*metav1.APIResourceList]
}

var (
	_ discovery.CachedDiscoveryInterfaceWithContext     = &client{}
	_ discovery.AggregatedDiscoveryInterfaceWithContext = &client{}
	_ discovery.CachedDiscoveryInterface                = &client{}
	_ discovery.AggregatedDiscoveryInterface            = &client{}
)

func (c *client) RESTClient() rest.Interface { return c.delegate.RESTClient() }

func (c *client) ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error) {
	s, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.groups, nil
}

// GroupsAndMaybeResourcesWithContext does not wait for resources that did not come with the groups.
func (c *client) GroupsAndMaybeResourcesWithContext(ctx context.Context) (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	s, err := c.read(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if !s.aggregated {
		return s.groups, nil, nil, nil
	}
	resources := make(map[schema.GroupVersion]*metav1.APIResourceList, len(s.resources))
	failed := map[schema.GroupVersion]error{}
	for gv, cell := range s.resources {
		if last := cell.last.Load(); last.err != nil {
			failed[gv] = last.err
		} else {
			resources[gv] = last.value
		}
	}
	return s.groups, resources, failed, nil
}

func (c *client) ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error) {
	s, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(groupVersion)
	if err != nil {
		return nil, err
	}
	cell := s.resources[gv]
	if cell == nil {
		return nil, ErrCacheNotFound
	}
	return cell.get(ctx, func(ctx context.Context) *answer[*metav1.APIResourceList] {
		list, err := c.delegate.ServerResourcesForGroupVersionWithContext(ctx, groupVersion)
		if err == nil && len(list.APIResources) == 0 {
			return &answer[*metav1.APIResourceList]{value: list, err: fmt.Errorf("received empty response for: %s", groupVersion), final: true}
		}
		return &answer[*metav1.APIResourceList]{value: list, err: err, final: err == nil || refused(err)}
	})
}

// refused reports whether the server understood the request and will answer the next one alike. An expired token does not
// count: the next request may bring a new one.
func refused(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsGone(err) ||
		apierrors.IsMethodNotSupported(err) || apierrors.IsNotAcceptable(err)
}

func (c *client) ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return discovery.ServerGroupsAndResourcesWithContext(ctx, c)
}

func (c *client) ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	return discovery.ServerPreferredResourcesWithContext(ctx, c)
}

func (c *client) ServerPreferredNamespacedResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	return discovery.ServerPreferredNamespacedResourcesWithContext(ctx, c)
}

func (c *client) ServerVersionWithContext(ctx context.Context) (*version.Info, error) {
	return c.delegate.ServerVersionWithContext(ctx)
}

// WithLegacyWithContext returns the same client: what is cached has no form.
func (c *client) WithLegacyWithContext(context.Context) discovery.DiscoveryInterfaceWithContext {
	return c
}

// FreshWithContext reports whether the groups were read since the last Invalidate. Some resources may still be missing.
func (c *client) FreshWithContext(context.Context) bool {
	last := c.served.Load().last.Load()
	return last != nil && last.final
}

// InvalidateWithContext clears the cache, and the delegate, if that is a cache as well.
func (c *client) InvalidateWithContext(ctx context.Context) {
	// The delegate comes first: later reads through this cache must not find old responses there.
	if cached, ok := c.delegate.(discovery.CachedDiscoveryInterfaceWithContext); ok {
		cached.InvalidateWithContext(ctx)
	}
	c.served.Store(newCell[*served](nil))
}
