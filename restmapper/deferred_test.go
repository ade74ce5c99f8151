package restmapper_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/memory"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/restmapper"
)

func cached(client discovery.DiscoveryInterface) discovery.CachedDiscoveryInterface {
	return memory.NewMemCacheClient(client)
}

func widgets() discoverytest.Group {
	return discoverytest.Group{Name: "example.com", Versions: []discoverytest.Version{{Name: "v1", Resources: []metav1.APIResource{{Name: "widgets", SingularName: "widget", Kind: "Widget"}}}}}
}

func TestDeferred(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := restmapper.NewDeferredDiscoveryRESTMapper(cached(start(t, server)))
	expect(t, server, nil)
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
	widget := gk{Group: "example.com", Kind: "Widget"}
	server.Serve(append(groups(), widgets())...)
	missing(t, m, widget)
	expect(t, server, counts{"/api": 1, "/apis": 1})
	meta.MaybeResetRESTMapper(m)
	mapped(t, m, widget, "example.com/v1, Resource=widgets")
	expect(t, server, counts{"/api": 1, "/apis": 1})
}

// stale is a cache that never says that it is fresh, such as one on a disk that was filled by another.
type stale struct {
	discovery.CachedDiscoveryInterfaceWithContext
}

func (stale) FreshWithContext(context.Context) bool { return false }

func TestDeferredLooksAgainOnce(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := restmapper.NewDeferredDiscoveryRESTMapperWithContext(stale{memory.NewMemCacheClientWithContext(start(t, server))})
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
	server.Serve(append(groups(), widgets())...)
	mapped(t, m, gk{Group: "example.com", Kind: "Widget"}, "example.com/v1, Resource=widgets")
	expect(t, server, counts{"/api": 2, "/apis": 2})
	missing(t, m, gk{Kind: "None"})
	expect(t, server, counts{"/api": 1, "/apis": 1})
}

func TestDeferredAsksAgainAfterAFailure(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := restmapper.NewDeferredDiscoveryRESTMapper(cached(start(t, server)))
	server.Instead("/apis", discoverytest.Fail(503, metav1.StatusReasonServiceUnavailable, "down"))
	if _, err := m.RESTMapping(gk{Kind: "Pod"}); err == nil || meta.IsNoMatchError(err) {
		t.Errorf("%v, want that the server is down", err)
	}
	if m.String() == "" {
		t.Error("it has no name")
	}
	server.Instead("/apis", nil)
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
}

func TestDeferredIsReadOnce(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := restmapper.NewDeferredDiscoveryRESTMapper(cached(start(t, server)))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods") })
	}
	wg.Wait()
	expect(t, server, counts{"/api": 1, "/apis": 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.Reset()
	if _, err := m.RESTMappingWithContext(ctx, gk{Kind: "Pod"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancelled", err)
	}
}
