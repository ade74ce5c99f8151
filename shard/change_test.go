package shard

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/internal/testsize"
	"vedette.dev/rest"
)

// traffic counts requests.
type traffic struct {
	mu      sync.Mutex
	lists   []string // the queries of lists, and of watches that begin with all objects
	watches []string // those of other watches
}

func (c *traffic) wrap(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counted{next, c} })
	return config
}

type counted struct {
	http.RoundTripper
	c *traffic
}

func (t counted) RoundTrip(r *http.Request) (*http.Response, error) {
	query := r.URL.Query()
	t.c.mu.Lock()
	switch {
	case query.Get("limit") == "1": // a question, and no list
	case query.Get("watch") == "" || query.Get("sendInitialEvents") == "true":
		t.c.lists = append(t.c.lists, r.URL.Path+"?"+r.URL.RawQuery)
	default:
		t.c.watches = append(t.c.watches, r.URL.Path+"?"+r.URL.RawQuery)
	}
	t.c.mu.Unlock()
	return t.RoundTripper.RoundTrip(r)
}

// take returns what was asked since the last time.
func (c *traffic) take() (lists, watches []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lists, watches = c.lists, c.watches
	c.lists, c.watches = nil, nil
	return lists, watches
}

func fill(t *testing.T, server *apitest.Server, n int) {
	t.Helper()
	w := &world{t: t, server: server}
	for i := range n {
		tenant := tenantNames[i%len(tenantNames)]
		w.create(configMap("ns-"+tenant, fmt.Sprintf("c%03d", i), tenant))
	}
}

// TestResharding says what goes over the wire, and what handlers hear, when nothing but the shards changes.
func TestResharding(t *testing.T) {
	for _, selects := range []bool{true, false} {
		t.Run(fmt.Sprintf("selects=%v", selects), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, apitest.Config{ShardSelectors: selects})
				objects := testsize.Of(500, 150)
				fill(t, server, objects)
				c := &traffic{}
				w := start(t, server, Config[*corev1.ConfigMap]{REST: c.wrap(server.RESTConfig()), Source: Hash(ByUID(), 4)})
				w.check(nil)
				w.hears.counts()
				lists, _ := c.take()
				if want := map[bool]int{true: 4, false: 1}[selects]; len(lists) != want {
					t.Errorf("%d lists at the start, want %d: %v", len(lists), want, lists)
				}
				steps := []struct {
					name   string
					change func() error
				}{
					{"resize", func() error {
						moved, err := w.informer.Resize(5)
						// The UIDs are random, and so is by how much the four shards differ before.
						if moved.Part > 1.0/5+2/math.Sqrt(float64(objects)) {
							t.Errorf("from 4 to 5 shards %v of the objects moved", moved.Part)
						}
						return err
					}},
					{"rebalance", func() error { _, err := w.informer.Rebalance(); return err }},
					{"split", func() error { return w.informer.Split("000", "a", "b") }},
					{"merge", func() error { return w.informer.Merge("c", "b", "001") }},
					{"shrink", func() error { _, err := w.informer.Resize(2); return err }},
				}
				for _, step := range steps {
					if err := step.change(); err != nil {
						t.Fatalf("%s: %v", step.name, err)
					}
					w.check(nil)
					if lists, _ := c.take(); len(lists) > 0 {
						t.Errorf("%s: lists %v", step.name, lists)
					}
					if adds, updates, deletes := w.hears.counts(); adds+updates+deletes > 0 {
						t.Errorf("%s: handlers heard %d adds, %d updates, %d deletions", step.name, adds, updates, deletes)
					}
					w.change("ns-a", "c000", func(cm *corev1.ConfigMap) { cm.Data = map[string]string{"after": step.name} })
					w.check(nil)
					if adds, updates, deletes := w.hears.counts(); adds != 0 || updates != 1 || deletes != 0 {
						t.Errorf("%s: a change was told as %d adds, %d updates, %d deletions", step.name, adds, updates, deletes)
					}
				}
				if len(w.hears.lost) > 0 {
					t.Errorf("lost %v", w.hears.lost)
				}
			})
		})
	}
}

// TestMoves has an object change its label.
func TestMoves(t *testing.T) {
	selectors := Shards(Shard{ID: "a", Scope: Scope{Labels: "tenant=a,!x"}}, Shard{ID: "b", Scope: Scope{Labels: "tenant=b,!x"}})
	for name, source := range map[string]Source{"labels": LabelValues("tenant", "a", "b"), "selectors": selectors} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, apitest.Config{})
				w := &world{t: t, server: server}
				w.create(configMap("ns", "c", "a"))
				w = start(t, server, Config[*corev1.ConfigMap]{Source: source})
				only := newBeliever(t)
				if _, err := w.informer.AddShardHandler(only, HandlerOptions{Shard: "a"}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				w.hears.counts()
				only.counts()
				for i, to := range []string{"b", "a", "b"} {
					w.change("ns", "c", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = to })
					time.Sleep(time.Second)
					w.check(nil)
					if id, _ := w.informer.ShardOf("ns/c"); id != to {
						t.Fatalf("it is in %q, want %q", id, to)
					}
					if adds, updates, deletes := w.hears.counts(); adds != 0 || updates != 1 || deletes != 0 {
						t.Errorf("move %d: %d adds, %d updates, %d deletions", i, adds, updates, deletes)
					}
					adds, updates, deletes := only.counts()
					if to == "a" && (adds != 1 || deletes != 0) || to == "b" && (adds != 0 || deletes != 1) || updates != 0 {
						t.Errorf("move %d: the handler of one shard heard %d adds, %d updates, %d deletions", i, adds, updates, deletes)
					}
				}
				// One that no shard wants is deleted for handlers, and soon.
				w.change("ns", "c", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = "z" })
				time.Sleep(10 * time.Second)
				w.check(func(*corev1.ConfigMap) bool { return false })
			})
		})
	}
}

// TestDeletionsAmongSelectors are told without waiting for a bookmark.
func TestDeletionsAmongSelectors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 10)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "a", Scope: Scope{Labels: "tenant=a,!x"}}, Shard{ID: "rest", Scope: Scope{Labels: "tenant!=a,!x"}})})
		w.check(nil)
		w.remove("ns-a", "c000")
		time.Sleep(200 * time.Millisecond)
		w.check(nil)
	})
}

func TestAddAndRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 100)
		c := &traffic{}
		w := start(t, server, Config[*corev1.ConfigMap]{REST: c.wrap(server.RESTConfig()), Source: Namespaces("ns-a", "ns-b")})
		in := func(names ...string) func(cm *corev1.ConfigMap) bool {
			return func(cm *corev1.ConfigMap) bool { return strings.Contains(strings.Join(names, " "), cm.Namespace) }
		}
		w.check(in("ns-a", "ns-b"))
		c.take()
		if err := w.informer.AddShard(Shard{ID: "c", Scope: Scope{Namespaces: []string{"ns-c"}}}); err != nil {
			t.Fatal(err)
		}
		w.check(in("ns-a", "ns-b", "ns-c"))
		if lists, _ := c.take(); len(lists) != 1 || !strings.Contains(lists[0], "/ns-c/") {
			t.Errorf("a new shard was listed as %v", lists)
		}
		if adds, _, _ := w.hears.counts(); adds != 60 {
			t.Errorf("%d adds, want 60", adds)
		}
		if err := w.informer.RemoveShard("ns-a"); err != nil {
			t.Fatal(err)
		}
		w.check(in("ns-b", "ns-c"))
		if adds, updates, deletes := w.hears.counts(); adds+updates+deletes != 0 {
			t.Errorf("a shard that is gone was told of as %d adds, %d updates, %d deletions", adds, updates, deletes)
		}
		if len(w.hears.lost) != 1 || w.hears.lost[0] != "ns-a" {
			t.Errorf("lost %v", w.hears.lost)
		}
		if lists, watches := c.take(); len(lists)+len(watches) > 0 {
			t.Errorf("a shard that is gone was asked for: %v %v", lists, watches)
		}
		// Moving a namespace to another shard costs nothing.
		if err := w.informer.Merge("bc", "ns-b", "c"); err != nil {
			t.Fatal(err)
		}
		w.check(in("ns-b", "ns-c"))
		if lists, watches := c.take(); len(lists)+len(watches) > 0 {
			t.Errorf("a merge of namespaces asked for %v %v", lists, watches)
		}
	})
}

func TestLabelShardsShareOneStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 100)
		c := &traffic{}
		w := start(t, server, Config[*corev1.ConfigMap]{REST: c.wrap(server.RESTConfig()), Source: LabelValues("tenant", "a", "b")})
		in := func(names string) func(cm *corev1.ConfigMap) bool {
			return func(cm *corev1.ConfigMap) bool { return strings.Contains(names, cm.Labels["tenant"]) }
		}
		w.check(in("ab"))
		c.take()
		if err := w.informer.AddShard(Shard{ID: "c", Scope: Scope{Labels: "tenant=c"}}); err != nil {
			t.Fatal(err)
		}
		w.check(in("abc"))
		if lists, _ := c.take(); len(lists) != 1 || strings.Contains(lists[0], "a%2Cb") {
			t.Errorf("a new value was listed as %v", lists)
		}
		if n := w.informer.Streams(); n != 1 {
			t.Errorf("%d streams, want 1", n)
		}
		if err := w.informer.RemoveShard("a"); err != nil {
			t.Fatal(err)
		}
		w.check(in("bc"))
		if lists, _ := c.take(); len(lists) != 0 {
			t.Errorf("a value that is gone made lists %v", lists)
		}
		w.change("ns-a", "c000", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = "c" })
		w.check(in("bc"))
	})
}

func TestClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east, west := newServer(t, apitest.Config{}), newServer(t, apitest.Config{})
		for _, server := range []*apitest.Server{east, west} {
			(&world{t: t, server: server}).create(configMap("ns", "same", ""))
		}
		informer, err := NewTypedShardingInformer(Config[*corev1.ConfigMap]{
			Resource: configMaps,
			Source:   Clusters(map[string]*rest.Config{"east": east.RESTConfig(), "west": west.RESTConfig()}),
		})
		if err != nil {
			t.Fatal(err)
		}
		run(t, informer)
		synctest.Wait()
		keys := informer.GetStore().ListKeys()
		if len(keys) != 2 {
			t.Fatalf("keys %v", keys)
		}
		for _, text := range []string{"east|ns/same", "west|ns/same"} {
			key, err := ParseKey(text)
			if err != nil || key.String() != text || key.Name != "same" {
				t.Errorf("%q is %+v, %v", text, key, err)
			}
			if _, ok, _ := informer.GetStore().GetByKey(key.String()); !ok {
				t.Errorf("there is no %s", key)
			}
			if id, _ := informer.ShardOf(text); id != key.Cluster {
				t.Errorf("%s is in shard %q", text, id)
			}
		}
		// One cluster does not answer any more: the other goes on.
		east.RefuseConnections()
		east.CutConnections()
		(&world{t: t, server: west}).create(configMap("ns", "other", ""))
		time.Sleep(time.Minute)
		if _, ok, _ := informer.GetStore().GetByKey("west|ns/other"); !ok {
			t.Error("the cluster that is well is held up")
		}
		for _, state := range informer.Shards() {
			if failing := state.Cause != nil; failing != (state.ID == "east") {
				t.Errorf("shard %s: %v", state.ID, state.Cause)
			}
		}
		if err := east.AcceptConnections(); err != nil {
			t.Fatal(err)
		}
		(&world{t: t, server: east}).create(configMap("ns", "later", ""))
		time.Sleep(time.Minute)
		if _, ok, _ := informer.GetStore().GetByKey("east|ns/later"); !ok || informer.Err() != nil {
			t.Errorf("the cluster is back, but %v", informer.Err())
		}
	})
}

func run[T cache.Object](t *testing.T, informer *TypedShardingInformer[T]) {
	done := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(done)
		informer.Run(stop)
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
	})
}

func TestFollowNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		w := &world{t: t, server: server}
		namespace := func(name, team string) *corev1.Namespace {
			return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": team}}}
		}
		make := func(ns *corev1.Namespace) {
			if _, err := server.Create(t.Context(), ns); err != nil {
				t.Fatal(err)
			}
		}
		make(namespace("one", "red"))
		make(namespace("two", "blue"))
		w.create(configMap("one", "c", ""))
		w.create(configMap("two", "c", ""))
		w = start(t, server, Config[*corev1.ConfigMap]{Source: FollowNamespaces(FollowConfig{
			REST: server.RESTConfig(), Selector: "team=red",
			Shard: func(namespace string) Shard { return Shard{ID: "team-" + namespace, Limits: Limits{Objects: 10}} },
		})})
		in := func(names string) func(cm *corev1.ConfigMap) bool {
			return func(cm *corev1.ConfigMap) bool { return strings.Contains(names, cm.Namespace) }
		}
		w.check(in("one"))
		make(namespace("three", "red"))
		w.create(configMap("three", "c", ""))
		w.check(in("one three"))
		ns := namespace("two", "red")
		if _, err := server.Update(t.Context(), ns); err != nil {
			t.Fatal(err)
		}
		w.check(in("one two three"))
		if ids := (&history{w: w}).ids(); fmt.Sprint(ids) != "[team-one team-three team-two]" {
			t.Errorf("shards %v", ids)
		}
		if err := server.Delete(t.Context(), namespace("three", ""), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.check(in("one two"))
	})
}

// deafen has watches fail that ask for a label selector, until it is told otherwise.
type deafen struct {
	http.RoundTripper
	selector string
	off      *atomic.Bool
}

func (d deafen) RoundTrip(r *http.Request) (*http.Response, error) {
	query := r.URL.Query()
	if !d.off.Load() && query.Get("watch") != "" && query.Get("sendInitialEvents") == "" && query.Get("labelSelector") == d.selector {
		return nil, errors.New("not now")
	}
	return d.RoundTripper.RoundTrip(r)
}

// TestAStreamThatIsBehindIsJoined has an object go from the values of a stream that has not heard of it to those of another that has
// been there already, and on to where neither is: what the second knows of its own values is no word of the first one's.
func TestAStreamThatIsBehindIsJoined(t *testing.T) {
	for name, then := range map[string]func(w *world){
		"gone":    func(w *world) { w.remove("ns-b", "x") },
		"outside": func(w *world) { w.change("ns-b", "x", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = "z" }) },
		"stays":   func(*world) {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, apitest.Config{})
				config := rest.CopyConfig(server.RESTConfig())
				var hears atomic.Bool
				hears.Store(true)
				config.Wrap(func(next http.RoundTripper) http.RoundTripper { return deafen{next, "tenant in (a,b)", &hears} })
				(&world{t: t, server: server}).create(configMap("ns-b", "x", "b"))
				w := start(t, server, Config[*corev1.ConfigMap]{REST: config, Source: LabelValues("tenant", "a", "b")})
				w.check(nil)

				hears.Store(false)
				server.CutConnections()
				synctest.Wait()
				w.change("ns-b", "x", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = "c" })
				then(w)
				if err := w.informer.AddShard(Shard{ID: "c", Scope: Scope{Labels: "tenant=c"}}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				hears.Store(true)
				time.Sleep(5 * time.Minute)
				w.check(func(cm *corev1.ConfigMap) bool { return cm.Labels["tenant"] != "z" })
			})
		})
	}
}
