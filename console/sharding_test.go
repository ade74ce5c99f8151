//go:build !vedette_noconsole

package console

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/shard"
)

// withShards runs a real sharding informer of config maps in a bubble, with a page of it.
func withShards(t *testing.T, limit int, test func(t *testing.T, page *Page, server *apitest.Server)) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		for _, namespace := range []string{"a", "b", "b", "b"} {
			put(t, server, namespace)
		}
		informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
			Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), REST: server.RESTConfig(),
			Source: shard.Shards(
				shard.Shard{ID: "a", Scope: shard.Scope{Namespaces: []string{"a"}}},
				shard.Shard{ID: "b", Scope: shard.Scope{Namespaces: []string{"b"}}, Limits: shard.Limits{Objects: limit}}),
		})
		if err != nil {
			t.Fatal(err)
		}
		page := Handler(Config{
			Informers: []Informers{Informer("maps", informer)},
			Shards:    map[string]Sharded{"maps": Shards(informer)},
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			informer.RunWithContext(ctx)
		}()
		synctest.Wait()
		test(t, page, server)
		cancel()
		<-ended
	})
}

var serial int

func put(t *testing.T, server *apitest.Server, namespace string) {
	t.Helper()
	serial++
	if err := server.Put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("map-", serial)}}); err != nil {
		t.Fatal(err)
	}
}

func TestAShardingInformerIsShown(t *testing.T) {
	withShards(t, 0, func(t *testing.T, page *Page, server *apitest.Server) {
		want(t, page, "shards", "2 shards, 1 holder, 4 objects, 2 streams, changed 1 time<", "namespace a", "namespace b", "balance <b>1.50</b>", "watching", "this process")
		var data struct {
			Sets []struct {
				Streams, Objects int
				Level            string
				Holders          []struct {
					Shards []struct {
						ID, State, Cause string
						Objects          int
						LagSeconds       float64
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(want(t, page, "shards?format=json")), &data); err != nil {
			t.Fatal(err)
		}
		if set := data.Sets[0]; set.Streams != 2 || set.Level != "ok" || set.Holders[0].Shards[1].Objects != 3 || set.Holders[0].Shards[1].State != "watching" {
			t.Errorf("%+v", data)
		}
		// In the pipeline it is one line, with its streams where it hears from the server and its shards where objects are.
		text := want(t, page, "", "<dt>streams</dt><dd title=\"2\">", "<dt>shards</dt><dd title=\"2\">", "<dt>largest ÷ mean</dt><dd title=\"1.50\">", "All is well")
		if strings.Count(text, "data-lane=") != 1 {
			t.Error("there is not one line")
		}
		want(t, page, "objects?informer=maps", "a/map-")

		put(t, server, "a")
		time.Sleep(2 * time.Second)
		want(t, page, "shards", "5 objects", "balance <b>1.20</b>")
	})
}

func TestAShardThatIsFullIsSeen(t *testing.T) {
	withShards(t, 2, func(t *testing.T, page *Page, _ *apitest.Server) {
		want(t, page, "", "1 of 2 shards failing; shard b: ", `data-stage="store" data-level="slow"`)
		if text := want(t, page, "shards", "failing"); strings.Count(text, `class="cause `) != 1 {
			t.Error("not one shard is full")
		}
	})
}

// How late shards are is told of what came since the last look.
func TestTheLagOfAShardIsOfLate(t *testing.T) {
	var l shardLag
	seen := l.seen
	seen.Batches, seen.Total = 10, 10*time.Second
	if l = l.next(seen); l.lag != time.Second {
		t.Errorf("the lag is %v", l.lag)
	}
	if l = l.next(seen); l.lag != time.Second {
		t.Errorf("when nothing came, the lag is %v", l.lag)
	}
	seen.Batches, seen.Total = 20, 10*time.Second+50*time.Millisecond
	if l = l.next(seen); l.lag != 5*time.Millisecond {
		t.Errorf("the lag is %v", l.lag)
	}
}

func TestNoShardingInformer(t *testing.T) {
	config := Config{Shards: map[string]Sharded{"pods": Shards(nil)}}
	if err := config.validate(); err == nil || !strings.Contains(err.Error(), `Config.Shards["pods"] is nil`) {
		t.Errorf("got %v", err)
	}
}

// sourced is a controller with one source.
type sourced struct {
	Controller
	source string
}

func (c sourced) ExplainString(string) (controller.Explanation, error) {
	return controller.Explanation{Sources: []controller.SourceExplanation{{Source: c.source}}}, nil
}

// A kind of one's own is described by its resource: what feeds its controller is found by the name that has the type.
func TestWhatFeedsAControllerOfACustomKind(t *testing.T) {
	r := newReader(&Config{})
	informers := []informerReading{
		{name: "core/v1.Pod", state: cache.State{Type: "*v1.Pod"}},
		{name: "example.com/shop/api.Site", state: cache.State{Type: "sites.example.com"}},
	}
	for source, want := range map[string]string{"for api.Site": "example.com/shop/api.Site", "for v1.Pod": "core/v1.Pod", "for other.Site": ""} {
		if got := strings.Join(r.feeds(source, sourced{source: source}, informers), ","); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
