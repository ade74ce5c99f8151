package memory_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"vedette.dev/discovery/cached/memory"
	"vedette.dev/internal/discoverytest"
)

func TestManyAskAndOneRequestIsSent(t *testing.T) {
	for name, server := range map[string]*discoverytest.Server{"aggregated": discoverytest.New(groups()...), "legacy": discoverytest.New(groups()...).Legacy()} {
		t.Run(name, func(t *testing.T) {
			cache := start(t, server)
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					if _, lists, err := cache.ServerGroupsAndResourcesWithContext(t.Context()); err != nil || len(lists) != 4 {
						t.Errorf("%d lists, %v", len(lists), err)
					}
				})
			}
			wg.Wait()
			for path, n := range server.Requests() {
				if n != 1 {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
		})
	}
}

// The caller that sends the request may give up. One of the waiting callers then sends its own.
func TestTheFirstGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()...).Legacy()
		cache := memory.NewMemCacheClientWithContext(client(t, "http://example", server))
		if _, err := cache.ServerGroupsWithContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		waiting := make(chan struct{})
		server.Instead("/apis/apps/v1", func(_ http.ResponseWriter, r *http.Request) {
			close(waiting)
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := cache.ServerResourcesForGroupVersionWithContext(ctx, "apps/v1"); !errors.Is(err, context.Canceled) {
				t.Errorf("the first got %v, want cancelled", err)
			}
		})
		<-waiting
		impatient, stop := context.WithCancel(t.Context())
		wg.Go(func() {
			if _, err := cache.ServerResourcesForGroupVersionWithContext(impatient, "apps/v1"); !errors.Is(err, context.Canceled) {
				t.Errorf("the impatient one got %v, want cancelled", err)
			}
		})
		synctest.Wait()
		stop()
		for range 5 {
			wg.Go(func() {
				if list, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "apps/v1"); err != nil || len(list.APIResources) != 1 {
					t.Errorf("another got %v, %v", list, err)
				}
			})
		}
		synctest.Wait()
		server.Instead("/apis/apps/v1", nil)
		server.Requests()
		cancel()
		wg.Wait()
		if n := server.Requests()["/apis/apps/v1"]; n != 1 {
			t.Errorf("%d requests after the first gave up, want one", n)
		}
	})
}

// Callers that wait for a failing request share its error: a failing server does not get a request from each of them.
func TestAFailureIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()...)
		cache := memory.NewMemCacheClientWithContext(client(t, "http://example", server))
		release := make(chan struct{})
		server.Instead("/apis", func(w http.ResponseWriter, r *http.Request) {
			<-release
			http.Error(w, "down", http.StatusInternalServerError)
		})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := cache.ServerGroupsWithContext(t.Context()); err == nil {
					t.Error("no error")
				}
			})
		}
		synctest.Wait()
		close(release)
		wg.Wait()
		if n := server.Requests()["/apis"]; n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

// What was read before Invalidate does not come back, even if it is only arriving.
func TestInvalidateWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := discoverytest.New(groups()[:2]...)
		cache := memory.NewMemCacheClientWithContext(client(t, "http://example", server))
		release := make(chan struct{})
		waiting := make(chan struct{})
		server.Instead("/apis", func(w http.ResponseWriter, r *http.Request) {
			close(waiting)
			<-release
			discoverytest.Send("application/json", `{"kind":"APIGroupList"}`)(w, r) // the answer is old
		})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := cache.ServerGroupsWithContext(t.Context()); err != nil {
				t.Error(err)
			}
		})
		<-waiting
		server.Instead("/apis", nil)
		cache.InvalidateWithContext(t.Context())
		if groups, err := cache.ServerGroupsWithContext(t.Context()); err != nil || len(groups.Groups) != 2 {
			t.Errorf("%v, %v; want two groups", groups, err)
		}
		close(release)
		wg.Wait()
		if groups, err := cache.ServerGroupsWithContext(t.Context()); err != nil || len(groups.Groups) != 2 {
			t.Errorf("%v, %v; want two groups", groups, err)
		}
	})
}

func TestHammer(t *testing.T) {
	server := discoverytest.New(groups()...)
	legacy := discoverytest.New(groups()...).Legacy()
	for _, s := range []*discoverytest.Server{server, legacy} {
		cache := memory.NewMemCacheClientWithContext(client(t, "http://example", s))
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 100 {
					switch i {
					case 0:
						cache.InvalidateWithContext(t.Context())
					case 1:
						cache.FreshWithContext(t.Context())
					case 2, 3:
						if _, lists, err := cache.ServerGroupsAndResourcesWithContext(t.Context()); err != nil || len(lists) != 4 {
							t.Errorf("%d lists, %v", len(lists), err)
						}
					default:
						if list, err := cache.ServerResourcesForGroupVersionWithContext(t.Context(), "batch/v1"); err != nil || list.APIResources[0].Kind != "Job" {
							t.Errorf("%v, %v", list, err)
						}
					}
				}
			})
		}
		wg.Wait()
	}
}
