package restmapper_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/memory"
	"vedette.dev/internal/discoverytest"
	"vedette.dev/restmapper"
)

var hpa = gk{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}

func TestLazyReadsOneGroup(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := lazy(t, start(t, server), time.Hour)
	expect(t, server, nil)
	for range 2 {
		mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
	}
	expect(t, server, counts{"/apis/autoscaling": 1, "/apis/autoscaling/v1": 1, "/apis/autoscaling/v2": 1})
	for range 2 {
		mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
		if _, err := m.KindFor(gvr{Resource: "pods"}); err != nil {
			t.Error(err)
		}
	}
	expect(t, server, counts{"/api": 1, "/api/v1": 1})
	for range 2 { // not in a group that exists, and so nowhere
		if _, err := m.KindFor(gvr{Group: "autoscaling", Resource: "nones"}); !meta.IsNoMatchError(err) {
			t.Errorf("%v, want no match", err)
		}
	}
	expect(t, server, nil)
	for range 2 { // not in the core group, so everything is read
		if _, err := m.KindFor(gvr{Resource: "extras"}); err != nil {
			t.Error(err)
		}
	}
	expect(t, server, counts{"/api": 1, "/apis": 1})
	if m.String() != `Lazy["" "autoscaling"]` {
		t.Errorf("it has read %s", m)
	}
	m.Reset()
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
	expect(t, server, counts{"/api": 1, "/api/v1": 1})
}

// A new resource is found, but a wrong name is not asked for all the time.
func TestLazyFindsWhatIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()...)
		m := lazy(t, bubble(t, server), 0)
		widget, gadget := gk{Group: "example.com", Kind: "Widget"}, gk{Group: "example.com", Kind: "Gadget"}
		for range 100 {
			missing(t, m, widget)
		}
		expect(t, server, counts{"/apis/example.com": 1})
		server.Serve(append(groups(), widgets())...)
		time.Sleep(5 * time.Second)
		mapped(t, m, widget, "example.com/v1, Resource=widgets")
		expect(t, server, counts{"/apis/example.com": 1, "/apis/example.com/v1": 1})

		more := widgets()
		more.Versions[0].Resources = append(more.Versions[0].Resources, metav1.APIResource{Name: "gadgets", SingularName: "gadget", Kind: "Gadget"})
		server.Serve(append(groups(), more)...)
		for range 100 {
			missing(t, m, gadget)
			mapped(t, m, widget, "example.com/v1, Resource=widgets")
		}
		expect(t, server, nil)
		time.Sleep(5 * time.Second)
		mapped(t, m, gadget, "example.com/v1, Resource=gadgets")
		expect(t, server, counts{"/apis/example.com": 1, "/apis/example.com/v1": 1})
	})
}

// A resource without a group that is nowhere does not keep the server busy either.
func TestLazyWrongNameWithoutAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()...)
		m := lazy(t, bubble(t, server), time.Minute)
		for range 100 {
			if _, err := m.ResourceFor(gvr{Resource: "none"}); !meta.IsNoMatchError(err) {
				t.Errorf("%v, want no match", err)
			}
		}
		expect(t, server, counts{"/api": 2, "/apis": 1, "/api/v1": 1})
		time.Sleep(time.Minute)
		for range 100 {
			_, _ = m.ResourceFor(gvr{Resource: "none"})
			_, _ = m.ResourceFor(gvr{Resource: "extras"})
		}
		expect(t, server, counts{"/api": 1, "/apis": 1})
	})
}

// A version that cannot be read does not hide the others, and what may be in it is not said to be missing.
func TestLazyWithAVersionDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sick := groups()
		sick[2].Versions[1].Stale = true
		server := discoverytest.New(sick...)
		m := lazy(t, bubble(t, server), time.Minute)
		mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
		server.Requests()
		old := gk{Group: "autoscaling", Kind: "OldThing"}
		for range 10 {
			_, err := m.RESTMapping(old)
			if !discovery.IsGroupDiscoveryFailedError(err) || meta.IsNoMatchError(err) || !strings.Contains(err.Error(), "OldThing") {
				t.Errorf("%v, want that a version could not be read", err)
			}
		}
		expect(t, server, nil)
		server.Serve(groups()...)
		time.Sleep(time.Minute)
		mapped(t, m, old, "autoscaling/v1, Resource=oldthings")

		// It goes down again, and what was known of it stays.
		server.Serve(sick...)
		time.Sleep(time.Minute)
		if _, err := m.RESTMapping(gk{Group: "autoscaling", Kind: "None"}); !discovery.IsGroupDiscoveryFailedError(err) {
			t.Errorf("%v, want that a version could not be read", err)
		}
		mapped(t, m, old, "autoscaling/v1, Resource=oldthings")
	})
}

func TestLazyWithTheServerDown(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := lazy(t, start(t, server), time.Nanosecond)
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
	down := discoverytest.Fail(503, metav1.StatusReasonServiceUnavailable, "down for repair")
	server.Instead("/api", down)
	server.Instead("/apis/autoscaling", down)
	server.Instead("/apis/one.example.com/v1", down)
	for _, kind := range []gk{{Kind: "None"}, hpa, {Group: "one.example.com", Kind: "Example"}} {
		for range 2 { // failures are not kept
			if _, err := m.RESTMapping(kind); err == nil || !strings.Contains(err.Error(), "down for repair") || meta.IsNoMatchError(err) {
				t.Errorf("%v: %v, want that the server is down", kind, err)
			}
		}
	}
	mapped(t, m, gk{Kind: "Pod"}, "/v1, Resource=pods")
	if n := server.Requests()["/apis/autoscaling"]; n != 2 {
		t.Errorf("a group that failed was asked for %d times, want 2", n)
	}
	server.Instead("/apis/autoscaling", nil)
	mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
	server.Instead("/api", nil)
	server.Instead("/apis", down)
	if _, err := m.KindFor(gvr{Resource: "none"}); err == nil || meta.IsNoMatchError(err) {
		t.Errorf("%v, want that the server is down", err)
	}
	server.Instead("/apis/one.example.com/v1", http.NotFound) // the version went away after the group was read
	missing(t, m, gk{Group: "one.example.com", Kind: "Example"})
}

// A refresh that failed is tried again at once: the interval is for answers.
func TestLazyTriesAFailedRefreshAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(widgets())
		m := lazy(t, bubble(t, server), time.Minute)
		mapped(t, m, gk{Group: "example.com", Kind: "Widget"}, "example.com/v1, Resource=widgets")
		more := widgets()
		more.Versions[0].Resources = append(more.Versions[0].Resources, metav1.APIResource{Name: "gadgets", SingularName: "gadget", Kind: "Gadget"})
		server.Serve(more)
		time.Sleep(time.Minute)
		server.Instead("/apis/example.com", discoverytest.Fail(503, metav1.StatusReasonServiceUnavailable, "down"))
		if _, err := m.RESTMapping(gk{Group: "example.com", Kind: "Gadget"}); err == nil || meta.IsNoMatchError(err) {
			t.Errorf("%v, want that the server is down", err)
		}
		server.Instead("/apis/example.com", nil)
		mapped(t, m, gk{Group: "example.com", Kind: "Gadget"}, "example.com/v1, Resource=gadgets")
	})
}

func TestLazyAsksOnceForMany(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := lazy(t, start(t, server), time.Hour)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			switch i % 3 {
			case 0:
				mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
			case 1:
				missing(t, m, gk{Group: "none.example.com", Kind: "Pod"})
			default:
				if kinds, err := m.KindsFor(gvr{Resource: "events"}); err != nil || len(kinds) != 2 {
					t.Errorf("%v, %v", kinds, err)
				}
			}
		})
	}
	wg.Wait()
	expect(t, server, counts{"/apis/autoscaling": 1, "/apis/autoscaling/v1": 1, "/apis/autoscaling/v2": 1, "/apis/none.example.com": 1, "/api": 1, "/apis": 1})
}

// A caller whose context ends does not make the waiting callers fail.
func TestLazyTheFirstGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()...)
		m := lazy(t, bubble(t, server), time.Hour)
		server.Instead("/apis/autoscaling", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := m.RESTMappingWithContext(ctx, hpa); !errors.Is(err, context.Canceled) {
					t.Errorf("%v, want cancelled", err)
				}
			})
		}
		synctest.Wait()
		server.Instead("/apis/autoscaling", nil)
		wg.Go(func() { mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers") })
		synctest.Wait()
		cancel()
		wg.Wait()
	})
}

// Groups that never existed are forgotten.
func TestLazyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()...)
		m := lazy(t, bubble(t, server), time.Second)
		for i := range 200 {
			missing(t, m, gk{Group: fmt.Sprintf("none%d.example.com", i), Kind: "None"})
			time.Sleep(100 * time.Millisecond)
		}
		mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
		if n := restmapper.GroupsKept(m); n > 12 {
			t.Errorf("%d groups are kept", n)
		}
	})
}

// A client that cannot read one group alone will do.
func TestLazyWithAnotherClient(t *testing.T) {
	server := discoverytest.New(groups()...)
	m := lazy(t, struct {
		discovery.DiscoveryInterfaceWithContext
	}{start(t, server)}, time.Hour)
	mapped(t, m, hpa, "autoscaling/v2, Resource=horizontalpodautoscalers")
	missing(t, m, gk{Group: "none.example.com", Kind: "None"})
	server.Instead("/apis", http.NotFound)
	if _, err := m.RESTMapping(gk{Group: "one.example.com", Kind: "Example"}); err == nil {
		t.Error("no error")
	}
}

func TestNewLazyRefuses(t *testing.T) {
	client := bubble(t, discoverytest.New())
	_, none := restmapper.NewLazy(nil, restmapper.LazyOptions{})
	_, cache := restmapper.NewLazy(memory.NewMemCacheClientWithContext(client), restmapper.LazyOptions{})
	_, negative := restmapper.NewLazy(client, restmapper.LazyOptions{RefreshInterval: -1})
	for want, err := range map[string]error{"client is nil": none, "is a cache": cache, "RefreshInterval": negative} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
