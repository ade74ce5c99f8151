package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// caller calls the informer back from each kind of code that the informer calls.
type caller struct {
	informer SharedIndexInformer
	running  atomic.Bool // the informer runs
	indexes  atomic.Int64

	mu     sync.Mutex
	called map[string]int
	inside map[string]int
}

// from is called by code of a kind.
func (c *caller) from(kind string) {
	if !c.running.Load() {
		return
	}
	c.count(kind, 1, 1)
	defer c.count(kind, 0, -1)
	i := c.informer
	_ = StateOf(i)
	_ = i.GetStore().List()
	_ = i.GetStore().ListKeys()
	_, _ = i.GetIndexer().ByIndex("user", "x")
	_ = i.GetStore().LastStoreSyncResourceVersion()
	_ = i.LastSyncResourceVersion()
	_ = i.HasSynced()
	_ = i.IsStopped()
	_ = i.SetTransform(nil)
	if h, err := i.AddEventHandler(ResourceEventHandlerFuncs{}); err == nil {
		_ = HandlerStateOf(h)
		_ = i.RemoveEventHandler(h)
	}
	if kind != "index function" { // which would wait for itself to be added
		index := func(any) ([]string, error) { return nil, nil }
		_ = i.AddIndexers(Indexers{fmt.Sprint("more", c.indexes.Add(1)): index})
	}
}

func (c *caller) count(kind string, called, inside int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called[kind] += called
	c.inside[kind] += inside
}

func (c *caller) calls(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.called[kind]
}

// The kinds of code.

func (c *caller) OnAdd(any, bool)     { c.from("handler") }
func (c *caller) OnUpdate(_, _ any)   { c.from("handler") }
func (c *caller) OnDelete(any)        { c.from("handler") }
func (c *caller) HandlerName() string { return "caller" }
func (c *caller) AddObject(any)       { c.from("mutation detector") }
func (c *caller) Run(<-chan struct{}) {}
func (c *caller) Set(float64)         { c.from("metric") }
func (c *caller) Observe(float64)     { c.from("metric") }
func (c *caller) transform(obj any) (any, error) {
	c.from("transform")
	return obj, nil
}

func (c *caller) index(any) ([]string, error) {
	c.from("index function")
	return []string{"x"}, nil
}

func (c *caller) NewQueuedItemMetric(InformerNameAndResource) GaugeMetric            { return c }
func (c *caller) NewProcessingLatencyMetric(InformerNameAndResource) HistogramMetric { return c }
func (c *caller) NewStoreResourceVersionMetric(InformerNameAndResource) GaugeMetric  { return c }

// TestCodeOfUsersMayCallTheInformer would hang if a lock were held while code of a user is called. It is no test in a bubble, as
// those do not tell who waits for a lock.
func TestCodeOfUsersMayCallTheInformer(t *testing.T) {
	name, err := NewInformerName(t.Name())
	mustNot(t, err)
	defer name.Release()
	kinds := []string{"handler", "transform", "index function", "mutation detector", "watch error handler", "metric"}
	for _, informer := range []string{"shared", "namespaced", "partitioned"} {
		t.Run(informer, func(t *testing.T) {
			want := kinds
			c := &caller{called: map[string]int{}, inside: map[string]int{}}
			options := SharedIndexInformerOptions{
				Indexers: Indexers{"user": c.index}, MutationDetector: c, MaxPending: 1,
				Backoff:                 &wait.Backoff{Duration: time.Millisecond, Steps: 1},
				Identifier:              name.WithResource(schema.GroupVersionResource{Resource: informer}),
				InformerMetricsProvider: c,
			}
			s := newStage(pod("ns", "a", "1"))
			s.fail(errors.New("not now"))
			switch informer {
			case "shared":
				c.informer = NewSharedIndexInformerWithOptions(s.lw(), &corev1.Pod{}, options)
			case "namespaced":
				lw := func(string) ListerWatcher { return s.lw() }
				c.informer = NewNamespacedInformer(lw, &corev1.Pod{}, []string{"ns"}, options)
			case "partitioned":
				c.informer = newOnePartition(t, s, options)
				want = kinds[:5] // it has no metrics
			}
			callBack(t, c, s, want)
		})
	}
}

func callBack(t *testing.T, c *caller, s *stage, kinds []string) {
	mustNot(t, c.informer.SetTransform(c.transform))
	mustNot(t, c.informer.SetWatchErrorHandlerWithContext(func(context.Context, *Reflector, error) { c.from("watch error handler") }))
	_, err := c.informer.AddEventHandler(c)
	mustNot(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	c.running.Store(true)
	go func() {
		defer close(ended)
		c.informer.RunWithContext(ctx)
	}()
	within := time.After(20 * time.Second)
	until := func(what string, ok func() bool) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for !ok() {
			select {
			case <-within:
				c.mu.Lock()
				defer c.mu.Unlock()
				t.Fatalf("%s: hangs; called %v, not returned %v", what, c.called, c.inside)
			case <-tick.C:
			}
		}
	}
	has := func(version string) func() bool {
		return func() bool {
			obj, _, _ := c.informer.GetStore().GetByKey("ns/a")
			p, _ := obj.(*corev1.Pod)
			return p != nil && p.ResourceVersion == version
		}
	}
	until("watch error", func() bool { return c.calls("watch error handler") > 0 })
	s.fail(nil)
	until("list", has("1"))
	until("watch", func() bool { return s.current() != nil })
	s.current().Modify(pod("ns", "a", "2"))
	until("update", has("2"))
	s.current().Delete(pod("ns", "a", "3"))
	until("deletion", func() bool { return len(c.informer.GetStore().List()) == 0 })
	s.set("9", pod("ns", "a", "9"))
	s.relist()
	until("relist", has("9"))
	for _, kind := range kinds {
		until("call by "+kind, func() bool { return c.calls(kind) > 0 })
	}
	cancel()
	until("end", func() bool { return isClosed(ended) })
}

// The queues call a transform without their lock, too, and once for each object.
func TestATransformMayCallItsQueue(t *testing.T) {
	known := NewStore(MetaNamespaceKeyFunc)
	for name, make := range map[string]func(TransformFunc) Queue{
		"DeltaFIFO": func(f TransformFunc) Queue {
			return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: known, Transformer: f})
		},
		"RealFIFO": func(f TransformFunc) Queue { return NewRealFIFO(MetaNamespaceKeyFunc, known, f) },
		"RealFIFO with atomic events": func(f TransformFunc) Queue {
			return NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Transformer: f})
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var q Queue
			q = make(func(obj any) (any, error) {
				calls++
				_ = q.HasSynced()
				_ = q.(interface{ IsClosed() bool }).IsClosed()
				return obj, nil
			})
			done := asynchronously(func() {
				mustNot(t, q.Replace([]any{pod("", "a", "1"), pod("", "b", "1")}, "1"))
				mustNot(t, q.Add(pod("", "c", "2")))
				mustNot(t, q.Update(pod("", "a", "3")))
				mustNot(t, q.Delete(pod("", "a", "4")))
				mustNot(t, q.Delete(DeletedFinalStateUnknown{"b", pod("", "b", "1")}))
			})
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("hangs")
			}
			wantEqual(t, "calls", calls, 5)
		})
	}
}

func asynchronously(do func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	return done
}
