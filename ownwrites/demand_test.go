package ownwrites

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	"vedette.dev/internal/testsize"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

var cycles = flag.Int("cycles", 500, "how many times a child is created, changed and deleted, for each sort of informer; with -race a fifth")

const (
	byOwner = "owner"
	workers = 8
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces = []string{"one", "two", "three"}
)

func ownerOf(obj any) ([]string, error) { return []string{metaOf(obj).GetLabels()[byOwner]}, nil }

// plant is a server with a watch that lags, an informer of some sort, and workers that write and read.
type plant struct {
	t        *testing.T
	server   *apitest.Server
	client   *typed.CoreV1Client
	dynamic  *dynamic.DynamicClient
	informer cache.SharedIndexInformer
	indexer  cache.Indexer // what the workers read
	tracker  *Tracker      // nil for the baseline

	writes, stale, duplicates, echoes atomic.Int64
}

// sorts are the informers to be tried.
var sorts = map[string]func(*plant) (cache.SharedIndexInformer, Config){
	"typed": func(p *plant) (cache.SharedIndexInformer, Config) {
		return p.informerOf(cache.NewListWatchFromClient(p.client.RESTClient(), "configmaps", "", nil)), Config{}
	},
	"dynamic": func(p *plant) (cache.SharedIndexInformer, Config) {
		example := &unstructured.Unstructured{}
		example.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		return dynamicinformer.NewFilteredDynamicInformer(p.dynamic, configMaps, "", 0, p.indexers(), nil).Informer(), Config{Object: example}
	},
	"several namespaces": func(p *plant) (cache.SharedIndexInformer, Config) {
		return cache.NewNamespacedInformer(func(namespace string) cache.ListerWatcher {
			return cache.NewListWatchFromClient(p.client.RESTClient(), "configmaps", namespace, nil)
		}, &corev1.ConfigMap{}, namespaces, cache.SharedIndexInformerOptions{Indexers: p.indexers()}), Config{}
	},
	"a shard": func(p *plant) (cache.SharedIndexInformer, Config) {
		// Of each child the last state is out of the shard.
		lw := cache.NewFilteredListWatchFromClient(p.client.RESTClient(), "configmaps", "", func(o *metav1.ListOptions) { o.LabelSelector = "shard=0" })
		return p.informerOf(lw), Config{Scope: func(obj metav1.Object) bool { return obj.GetLabels()["shard"] == "0" }}
	},
}

func (p *plant) indexers() cache.Indexers {
	return cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc, byOwner: ownerOf}
}

func (p *plant) informerOf(lw cache.ListerWatcher) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, 0, p.indexers())
}

// TestDemand is eight workers, thousands of children, a watch that lags by up to five seconds, is cut and expires; and not one
// read that is older than what was written.
func TestDemand(t *testing.T) {
	for _, sort := range slices.Sorted(maps.Keys(sorts)) {
		t.Run(sort, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlant(t, sort, true)
				p.work(*cycles / slower / testsize.Of(1, 4))
				p.report()
				if n := p.stale.Load(); n != 0 {
					t.Errorf("%d stale reads", n)
				}
				if n := p.duplicates.Load(); n != 0 {
					t.Errorf("%d duplicate children", n)
				}
				if n := p.echoes.Load(); n*20 > p.writes.Load() {
					t.Errorf("%d own events in %d writes", n, p.writes.Load())
				}
				if s := p.tracker.Stats(); s.Waiting != 0 || s.Refused+s.Incomparable != 0 || int64(s.Recorded) != p.writes.Load() {
					t.Errorf("%+v after %d writes", s, p.writes.Load())
				}
				p.same()
			})
		})
	}
}

// TestDemandWithout is the same without a tracker. If it finds nothing wrong, the test above is worth nothing.
func TestDemandWithout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, "typed", false)
		p.work(160)
		p.report()
		if p.stale.Load() < 160 || p.duplicates.Load() < 40 || p.echoes.Load() < p.writes.Load()/2 {
			t.Error("reads without a tracker are too good")
		}
	})
}

func newPlant(t *testing.T, sort string, tracked bool) *plant {
	p := &plant{t: t, server: apitest.New(t, apitest.Config{InProcess: true, CreateNamespaces: true})}
	for i, text := range []string{"lag delay=1s p=0.5", "lag delay=1500ms p=0.5", "lag delay=2500ms p=0.4", "duplicate p=0.02"} {
		fault, err := apitest.ParseFault(fmt.Sprintf("watch configmaps: %s seed=%d", text, i))
		mustNot(t, err)
		_, err = p.server.Inject(fault)
		mustNot(t, err)
	}
	var err error
	p.client, err = typed.NewForConfig(p.server.RESTConfig())
	mustNot(t, err)
	p.dynamic, err = dynamic.NewForConfig(p.server.RESTConfig())
	mustNot(t, err)
	informer, config := sorts[sort](p)
	p.informer, p.indexer = informer, informer.GetIndexer()
	var handler cache.ResourceEventHandler = cache.ResourceEventHandlerFuncs{
		AddFunc: p.reconcile, UpdateFunc: func(_, obj any) { p.reconcile(obj) }, DeleteFunc: p.reconcile,
	}
	if tracked {
		p.tracker, err = New(informer, config)
		mustNot(t, err)
		p.indexer = p.tracker.Indexer()
		handler = p.tracker.Handler(handler)
	}
	_, err = informer.AddEventHandler(handler)
	mustNot(t, err)
	return p
}

// reconcile is called for what others did: with children, that is always a mistake.
func (p *plant) reconcile(obj any) {
	if _, m := new(core).identify(obj); m.GetLabels()[byOwner] != "" {
		p.echoes.Add(1)
	}
}

// work runs the informer, the faults and the workers, and then sends a bookmark.
func (p *plant) work(cycles int) {
	ctx, cancel := context.WithCancel(p.t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.informer.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), p.informer.HasSynced) {
		p.t.Fatal("not synced")
	}
	faults, end := context.WithCancel(ctx)
	running.Go(func() { p.injectFaults(faults) })
	var working sync.WaitGroup
	for n := range workers {
		working.Go(func() {
			w := &worker{plant: p, owner: strconv.Itoa(n), namespace: namespaces[n%len(namespaces)], random: rand.New(rand.NewPCG(uint64(n), 7))}
			for range cycles / workers {
				w.cycle(ctx)
			}
		})
	}
	working.Wait()
	end()
	time.Sleep(75 * time.Second)
	cancel()
	running.Wait()
	if p.tracker != nil {
		mustNot(p.t, p.tracker.check())
		p.t.Cleanup(func() { mustNot(p.t, p.tracker.Close()) })
	}
}

// injectFaults ends watches, some of them with an error, and writes as another client.
func (p *plant) injectFaults(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		sleep(ctx, 700*time.Millisecond)
		others := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "others-", Namespace: "one", Labels: map[string]string{"shard": "0"}}}
		if _, err := p.server.Create(p.t.Context(), others); err != nil {
			p.t.Error(err)
		}
		effect := apitest.End
		switch n % 60 {
		case 19, 39:
		case 59:
			effect = apitest.EndExpired
			p.server.Compact()
		default:
			continue
		}
		in, err := p.server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"watch"}}, Effect: effect, Times: 3})
		if err != nil {
			p.t.Error(err)
		}
		sleep(ctx, time.Second)
		in.Remove()
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// same fails if the view is not the store at the end.
func (p *plant) same() {
	want(p.t, "List at the end", shorts(p.indexer.List()), shorts(p.informer.GetStore().List()))
}

func (p *plant) report() {
	p.t.Logf("%d writes: %d stale reads, %d duplicate children, %.3f reconciles a write",
		p.writes.Load(), p.stale.Load(), p.duplicates.Load(), float64(p.echoes.Load())/float64(p.writes.Load()))
	if p.tracker != nil {
		p.t.Logf("%+v", p.tracker.Stats())
	}
	s := cache.StateOf(p.informer)
	p.t.Logf("%d events in %d watches and %d lists", s.Events, s.Watches, s.Lists)
}
