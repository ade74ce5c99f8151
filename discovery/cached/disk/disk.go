// Package disk is discovery with a cache in files, for programs that run for a moment, such as command-line tools.
//
// A [CachedDiscoveryClient] keeps the groups and the resources of each group version in a folder, in the format that
// kubectl uses, and asks the server when they are older than a given time. With a second folder it also keeps responses
// that have an ETag, so that the server answers "not modified" where nothing has changed. A file that cannot be read is a
// miss, and one that cannot be written is not an error.
package disk

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/memory"
	"vedette.dev/rest"
)

// CachedDiscoveryClient is discovery with a cache in files. Methods without a context are in plain.go.
type CachedDiscoveryClient struct {
	delegate discovery.DiscoveryInterfaceWithContext
	dir      string
	ttl      time.Duration

	mu sync.Mutex
	// own are the files that this client wrote since the last Invalidate. After an Invalidate, others are not read.
	own         map[string]bool
	invalidated bool
	fresh       bool // no file of another process was read
}

var (
	_ discovery.CachedDiscoveryInterface            = (*CachedDiscoveryClient)(nil)
	_ discovery.CachedDiscoveryInterfaceWithContext = (*CachedDiscoveryClient)(nil)
)

// NewCachedDiscoveryClientForConfig returns discovery with a cache in discoveryCacheDir, for a time of ttl, and if
// httpCacheDir is not empty with one of responses there. The folders are created when they are needed.
func NewCachedDiscoveryClientForConfig(config *rest.Config, discoveryCacheDir, httpCacheDir string, ttl time.Duration) (*CachedDiscoveryClient, error) {
	if httpCacheDir != "" {
		config = rest.CopyConfig(config)
		config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return newCacheRoundTripper(httpCacheDir, rt) })
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return newCachedDiscoveryClient(memory.NewMemCacheClientWithContext(client), discoveryCacheDir, ttl), nil
}

func newCachedDiscoveryClient(delegate discovery.DiscoveryInterfaceWithContext, dir string, ttl time.Duration) *CachedDiscoveryClient {
	return &CachedDiscoveryClient{delegate: delegate, dir: dir, ttl: ttl, own: map[string]bool{}, fresh: true}
}

// ServerGroupsWithContext returns the groups of the server, with their versions.
func (d *CachedDiscoveryClient) ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error) {
	file := filepath.Join(d.dir, "servergroups.json")
	cached := &metav1.APIGroupList{}
	if d.read(file, cached, "APIGroupList", &cached.TypeMeta) {
		return cached, nil
	}
	groups, err := d.delegate.ServerGroupsWithContext(ctx)
	if err == nil && groups != nil && len(groups.Groups) > 0 {
		stored := *groups
		stored.TypeMeta = metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}
		d.write(file, &stored)
	}
	return groups, err
}

// ServerResourcesForGroupVersionWithContext returns the resources of one group version.
func (d *CachedDiscoveryClient) ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error) {
	if !filepath.IsLocal(filepath.FromSlash(groupVersion)) {
		return d.delegate.ServerResourcesForGroupVersionWithContext(ctx, groupVersion) // not a folder of ours
	}
	file := filepath.Join(d.dir, filepath.FromSlash(groupVersion), "serverresources.json")
	cached := &metav1.APIResourceList{}
	if d.read(file, cached, "APIResourceList", &cached.TypeMeta) {
		return cached, nil
	}
	resources, err := d.delegate.ServerResourcesForGroupVersionWithContext(ctx, groupVersion)
	if err == nil && resources != nil && len(resources.APIResources) > 0 {
		stored := *resources
		stored.TypeMeta = metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}
		d.write(file, &stored)
	}
	return resources, err
}

// ServerGroupsAndResourcesWithContext returns everything. With an *ErrGroupDiscoveryFailed, it returns what could be read.
func (d *CachedDiscoveryClient) ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return discovery.ServerGroupsAndResourcesWithContext(ctx, d)
}

// ServerPreferredResourcesWithContext returns each resource in the version that the server prefers.
func (d *CachedDiscoveryClient) ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	return discovery.ServerPreferredResourcesWithContext(ctx, d)
}

// ServerPreferredNamespacedResourcesWithContext is like ServerPreferredResourcesWithContext, for namespaced resources.
func (d *CachedDiscoveryClient) ServerPreferredNamespacedResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	return discovery.ServerPreferredNamespacedResourcesWithContext(ctx, d)
}

// ServerVersionWithContext returns the version of the server, which is not in the cache.
func (d *CachedDiscoveryClient) ServerVersionWithContext(ctx context.Context) (*version.Info, error) {
	return d.delegate.ServerVersionWithContext(ctx)
}

// RESTClient returns the client that sends the requests.
func (d *CachedDiscoveryClient) RESTClient() rest.Interface { return d.delegate.RESTClient() }

// FreshWithContext reports whether everything that was returned since the last Invalidate, or ever, came from the server.
func (d *CachedDiscoveryClient) FreshWithContext(context.Context) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fresh
}

// InvalidateWithContext makes the client ask the server for everything again. Files are replaced then.
func (d *CachedDiscoveryClient) InvalidateWithContext(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.own, d.fresh, d.invalidated = map[string]bool{}, true, true
	switch delegate := d.delegate.(type) {
	case discovery.CachedDiscoveryInterfaceWithContext:
		delegate.InvalidateWithContext(ctx)
	case discovery.CachedDiscoveryInterface:
		delegate.Invalidate()
	}
}

// WithLegacyWithContext returns d.
func (d *CachedDiscoveryClient) WithLegacyWithContext(context.Context) discovery.DiscoveryInterfaceWithContext {
	return d
}
