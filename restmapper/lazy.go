package restmapper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// LazyOptions are the options of a Lazy mapper. The zero value works.
type LazyOptions struct {
	// RefreshInterval is how long a miss is cached: when something is missing in a group, the group
	// is read again, but not sooner than this after it was last read. 0 means five seconds. So a new custom resource is
	// found soon, and a wrong name does not keep the server busy.
	RefreshInterval time.Duration
}

const defaultRefreshInterval = 5 * time.Second

func (o LazyOptions) validate() error {
	if o.RefreshInterval < 0 {
		return fmt.Errorf("restmapper.LazyOptions: RefreshInterval is %s, and must not be negative", o.RefreshInterval)
	}
	return nil
}

// Lazy is a meta.RESTMapper and a meta.RESTMapperWithContext that reads a group when it is first asked about it.
//
//   - A question about a kind, or about a resource with its group, costs one small request for the group and one for each
//     of its versions, the first time. Concurrent callers for the same group share the requests.
//   - A question about a resource without its group is answered from the core group if that has it. Otherwise everything
//     is read, as also for a group that is only the beginning of a name.
//   - What was found stays until Reset, even if the server is down when the group is read again.
//   - What was not found is a no-match error (see meta.IsNoMatchError) only if the whole group could be read; otherwise
//     the error says what could not. See also LazyOptions.RefreshInterval.
type Lazy struct {
	mapper
}

// NewLazy returns a mapper that asks client. It keeps what it reads, so client must be one without a cache, such as a
// *discovery.DiscoveryClient.
func NewLazy(client discovery.DiscoveryInterfaceWithContext, options LazyOptions) (*Lazy, error) {
	if client == nil {
		return nil, errors.New("restmapper.NewLazy: the discovery client is nil")
	}
	if _, ok := client.(discovery.CachedDiscoveryInterfaceWithContext); ok {
		return nil, fmt.Errorf("restmapper.NewLazy: %T is a cache, in which nothing new would appear: give it the client behind the cache", client)
	}
	if err := options.validate(); err != nil {
		return nil, err
	}
	if options.RefreshInterval == 0 {
		options.RefreshInterval = defaultRefreshInterval
	}
	l := &lazy{client: client, interval: options.RefreshInterval}
	l.ResetWithContext(context.Background())
	return &Lazy{mapper{l}}, nil
}

func (l *lazy) String() string { return fmt.Sprintf("Lazy%q", l.groupNames()) }

func (l *lazy) RESTMappingWithContext(ctx context.Context, gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	return find(ctx, l.group(gk.Group), l.interval, func(m meta.RESTMapperWithContext) (*meta.RESTMapping, error) {
		return m.RESTMappingWithContext(ctx, gk, versions...)
	})
}

func (l *lazy) RESTMappingsWithContext(ctx context.Context, gk schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	return find(ctx, l.group(gk.Group), l.interval, func(m meta.RESTMapperWithContext) ([]*meta.RESTMapping, error) {
		return m.RESTMappingsWithContext(ctx, gk, versions...)
	})
}

func (l *lazy) KindForWithContext(ctx context.Context, resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	return findResource(ctx, l, resource, func(m meta.RESTMapperWithContext) (schema.GroupVersionKind, error) {
		return m.KindForWithContext(ctx, resource)
	})
}

func (l *lazy) ResourceForWithContext(ctx context.Context, input schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	return findResource(ctx, l, input, func(m meta.RESTMapperWithContext) (schema.GroupVersionResource, error) {
		return m.ResourceForWithContext(ctx, input)
	})
}

func (l *lazy) KindsForWithContext(ctx context.Context, resource schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
	return findResources(ctx, l, resource, func(m meta.RESTMapperWithContext) ([]schema.GroupVersionKind, error) {
		return m.KindsForWithContext(ctx, resource)
	})
}

func (l *lazy) ResourcesForWithContext(ctx context.Context, input schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	return findResources(ctx, l, input, func(m meta.RESTMapperWithContext) ([]schema.GroupVersionResource, error) {
		return m.ResourcesForWithContext(ctx, input)
	})
}

func (l *lazy) ResourceSingularizerWithContext(ctx context.Context, resource string) (string, error) {
	partial := schema.GroupVersionResource{Resource: resource}
	return findResource(ctx, l, partial, func(m meta.RESTMapperWithContext) (string, error) {
		singular, err := m.ResourceSingularizerWithContext(ctx, resource)
		if singular == "" && err == nil { // a mapper without groups
			err = &meta.NoResourceMatchError{PartialResource: partial}
		}
		return singular, err
	})
}

// findResource answers a question that has one answer. Without a group the core group goes before all others, so it is
// enough to look there first. A miss there does not cause the core group to be read again.
func findResource[T any](ctx context.Context, l *lazy, resource schema.GroupVersionResource, question func(meta.RESTMapperWithContext) (T, error)) (T, error) {
	if resource.Group == "" {
		if answer, err := find(ctx, l.group(""), forever, question); !meta.IsNoMatchError(err) {
			return answer, err
		}
	}
	return findResources(ctx, l, resource, question)
}

// findResources returns all matches. If the group exists, there are no matches outside it.
func findResources[T any](ctx context.Context, l *lazy, resource schema.GroupVersionResource, question func(meta.RESTMapperWithContext) (T, error)) (T, error) {
	if resource.Group == "" {
		return find(ctx, l.everything(), l.interval, question)
	}
	group := l.group(resource.Group)
	answer, err := find(ctx, group, l.interval, question)
	if !meta.IsNoMatchError(err) || group.exists() || resource.Version != "" {
		return answer, err
	}
	return find(ctx, l.everything(), l.interval, question)
}

// forever is longer than any reading is old, but for one that failed.
const forever = time.Duration(math.MaxInt64)

// find answers a question from what was read. If that is not enough, and older than believed, it reads again.
func find[T any](ctx context.Context, e *entry, believed time.Duration, question func(meta.RESTMapperWithContext) (T, error)) (T, error) {
	var none T
	r := e.last.Load()
	for asked := false; ; asked = true {
		if r != nil && r.mapper != nil {
			answer, err := question(r.mapper)
			if !meta.IsNoMatchError(err) || asked || time.Since(r.at) < believed {
				return answer, r.explain(err)
			}
		} else if asked {
			return none, r.err
		}
		var err error
		if r, err = e.ask(ctx, r); err != nil {
			return none, err
		}
	}
}
