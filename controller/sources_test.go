package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
)

// cluster is an API server in a bubble, informers of it, and a controller of what they tell.
type cluster struct {
	t       *testing.T
	server  *apitest.Server
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	ctx     context.Context
	cancel  context.CancelFunc
	err     chan error

	*Controller[cache.ObjectName]
	mu   sync.Mutex
	seen []string
}

func newCluster(t *testing.T) *cluster {
	server := apitest.New(t, apitest.Config{InMemory: true})
	client, err := kubernetes.NewForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, server: server, client: client, factory: informers.NewSharedInformerFactory(client, 0), err: make(chan error, 1)}
	c.ctx, c.cancel = context.WithCancel(t.Context())
	return c
}

func (c *cluster) reconcile(_ context.Context, key cache.ObjectName) (Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, key.String())
	return Result{}, nil
}

// took returns the keys that were reconciled since it was last called, when there are no more to come.
func (c *cluster) took() string {
	time.Sleep(5 * time.Second)
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.seen)
	took := strings.Join(c.seen, " ")
	c.seen = nil
	return took
}

func (c *cluster) run(config Config[cache.ObjectName]) {
	c.t.Helper()
	c.prepare(config)
	c.start()
}

func (c *cluster) prepare(config Config[cache.ObjectName]) {
	c.t.Helper()
	if config.Name == "" {
		config.Name = "test"
	}
	if config.Reconcile == nil {
		config.Reconcile = c.reconcile
	}
	made, err := New(config)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Controller = made
}

func (c *cluster) start() {
	c.factory.StartWithContext(c.ctx)
	go func() { c.err <- c.Run(c.ctx) }()
}

func (c *cluster) end() {
	c.cancel()
	if err := <-c.err; err != nil {
		c.t.Error(err)
	}
	c.factory.Shutdown()
}

func (c *cluster) create(name string, change ...func(*corev1.ConfigMap)) *corev1.ConfigMap {
	c.t.Helper()
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	for _, f := range change {
		f(m)
	}
	m, err := c.client.CoreV1().ConfigMaps("default").Create(c.t.Context(), m, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *cluster) update(m *corev1.ConfigMap, change func(*corev1.ConfigMap)) *corev1.ConfigMap {
	c.t.Helper()
	change(m)
	m, err := c.client.CoreV1().ConfigMaps("default").Update(c.t.Context(), m, metav1.UpdateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *cluster) remove(name string) {
	c.t.Helper()
	if err := c.client.CoreV1().ConfigMaps("default").Delete(c.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) maps() cache.TypedSharedIndexInformer[*corev1.ConfigMap] {
	return c.factory.Core().V1().ConfigMaps().TypedInformer()
}

func (c *cluster) expect(what, want string) {
	c.t.Helper()
	if got := c.took(); got != want {
		c.t.Errorf("after %s: reconciled %q, want %q", what, got, want)
	}
}

// inject makes faults until it is removed.
func (c *cluster) inject(text string) *apitest.Injection {
	c.t.Helper()
	fault, err := apitest.ParseFault(text)
	if err != nil {
		c.t.Fatal(err)
	}
	injection, err := c.server.Inject(fault)
	if err != nil {
		c.t.Fatal(err)
	}
	return injection
}

func (c *cluster) inBubble(f func()) {
	f()
	c.end()
}

func bubble(t *testing.T, f func(c *cluster)) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.inBubble(func() { f(c) })
	})
}

type names = []Source[cache.ObjectName]

func setData(value string) func(*corev1.ConfigMap) {
	return func(m *corev1.ConfigMap) { m.Data = map[string]string{"value": value} }
}

func TestForAsksForTheObjects(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.create("before")
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps())}})
		c.expect("the start", "default/before")
		m := c.create("one")
		c.expect("a creation", "default/one")
		c.update(m, setData("new"))
		c.expect("an update", "default/one")
		c.remove("one")
		c.expect("a deletion", "default/one")
	})
}

func owned(kind string, controller bool, owners ...string) func(*corev1.ConfigMap) {
	return func(m *corev1.ConfigMap) {
		m.OwnerReferences = nil
		for _, name := range owners {
			m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{
				APIVersion: "example.com/v1", Kind: kind, Name: name, UID: "x", Controller: &controller,
			})
		}
	}
}

func TestOwnsAsksForTheOwners(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.run(Config[cache.ObjectName]{Sources: names{Owns(c.maps(), Owner{Group: "example.com", Kind: "Widget"})}})
		m := c.create("child", owned("Widget", true, "w1"))
		c.create("orphan")
		c.create("other kind", func(m *corev1.ConfigMap) { m.Name = "other"; owned("Gadget", true, "g")(m) })
		c.create("no controller", func(m *corev1.ConfigMap) { m.Name = "guest"; owned("Widget", false, "w9")(m) })
		c.expect("creations", "default/w1")
		m = c.update(m, owned("Widget", true, "w2"))
		c.expect("a change of owner", "default/w1 default/w2")
		c.update(m, setData("new"))
		c.expect("an update", "default/w2")
		c.remove("child")
		c.expect("a deletion", "default/w2")
	})
}

func TestOwnsAnyOwnerWithoutNamespace(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.run(Config[cache.ObjectName]{Sources: names{
			Owns(c.maps(), Owner{Group: "example.com", Kind: "Widget", ClusterScoped: true, Any: true}),
		}})
		c.create("child", owned("Widget", false, "w1", "w2"))
		c.expect("a creation", "w1 w2")
	})
}

func TestWatchesAsksForWhatAFunctionSays(t *testing.T) {
	bubble(t, func(c *cluster) {
		calls := 0
		c.run(Config[cache.ObjectName]{Sources: names{Watches(c.maps(), func(m *corev1.ConfigMap) []cache.ObjectName {
			if calls++; m.Name == "bad" && calls < 3 {
				panic("cannot map this one yet")
			}
			if m.Data["value"] == "" {
				return nil
			}
			return []cache.ObjectName{{Name: m.Data["value"]}}
		})}})
		m := c.create("a", setData("x"))
		c.expect("a creation", "x")
		m = c.update(m, setData("y"))
		c.expect("an update", "x y")
		c.update(m, func(m *corev1.ConfigMap) { m.Data = nil })
		c.expect("an update to nothing", "y")
		calls = 0
		c.create("bad", setData("z"))
		c.expect("a function that panicked twice", "z")
	})
}

func TestPredicatesLeaveOut(t *testing.T) {
	bubble(t, func(c *cluster) {
		red, err := labels.Parse("colour=red")
		if err != nil {
			t.Fatal(err)
		}
		type event = Event[*corev1.ConfigMap]
		noDeletions := Predicate[*corev1.ConfigMap](func(e event) bool { return e.Reason != Deleted })
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps(), Labelled[*corev1.ConfigMap](red), All(noDeletions, VersionChanged[*corev1.ConfigMap]()))}})
		paint := func(colour string) func(*corev1.ConfigMap) {
			return func(m *corev1.ConfigMap) { m.Labels = map[string]string{"colour": colour} }
		}
		m := c.create("m", paint("blue"))
		c.expect("blue", "")
		m = c.update(m, paint("red"))
		c.expect("blue to red", "default/m")
		m = c.update(m, paint("green"))
		c.expect("red to green", "default/m")
		m = c.update(m, paint("white"))
		c.expect("green to white", "")
		c.update(m, paint("red"))
		c.expect("white to red", "default/m")
		c.remove("m")
		c.expect("a deletion", "")
	})
}

func TestCombinedPredicates(t *testing.T) {
	yes := func(Event[*corev1.ConfigMap]) bool { return true }
	no := Not[*corev1.ConfigMap](yes)
	var e Event[*corev1.ConfigMap]
	for i, p := range []Predicate[*corev1.ConfigMap]{yes, All(yes, yes), Any(no, yes), Not(no), All[*corev1.ConfigMap](), Not(Any[*corev1.ConfigMap]())} {
		if !p(e) || Not(p)(e) || All(p, no)(e) || Any(no, no)(e) {
			t.Errorf("predicate %d is wrong", i)
		}
	}
	changed := GenerationChanged[*corev1.ConfigMap]()
	at := func(generation int64) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Generation: generation}}
	}
	if changed(Event[*corev1.ConfigMap]{Reason: Updated, Old: at(1), Object: at(1)}) ||
		!changed(Event[*corev1.ConfigMap]{Reason: Updated, Old: at(1), Object: at(2)}) ||
		!changed(Event[*corev1.ConfigMap]{Reason: Added, Object: at(2)}) {
		t.Error("GenerationChanged is wrong")
	}
}

func TestASourceServesOneController(t *testing.T) {
	bubble(t, func(c *cluster) {
		source := For(c.maps())
		c.run(Config[cache.ObjectName]{Sources: names{source}})
		synctest.Wait()
		other, err := New(Config[cache.ObjectName]{Name: "other", Reconcile: c.reconcile, Sources: names{source}})
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Run(c.ctx); err == nil || !strings.Contains(err.Error(), "create one for each") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAnInformerThatCannotListIsNamedWithItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.inject("list,watch configmaps: 403")
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps())}})
		err := <-c.err
		if err == nil || !strings.Contains(err.Error(), "for v1.ConfigMap was not ready within 2m0s") || !strings.Contains(err.Error(), "403") && !strings.Contains(err.Error(), "forbidden") {
			t.Errorf("got %v", err)
		}
		c.cancel()
		c.factory.Shutdown()
	})
}

// What happens now goes before what was there at the start.
func TestNewEventsGoFirst(t *testing.T) {
	bubble(t, func(c *cluster) {
		for i := range 20 {
			c.create(fmt.Sprintf("old-%02d", i))
		}
		gate := make(chan struct{})
		var order []string
		c.run(Config[cache.ObjectName]{
			Sources: names{For(c.maps())},
			Reconcile: func(_ context.Context, key cache.ObjectName) (Result, error) {
				<-gate
				c.mu.Lock()
				defer c.mu.Unlock()
				order = append(order, key.Name)
				return Result{}, nil
			},
		})
		time.Sleep(time.Second)
		c.create("new")
		time.Sleep(time.Second)
		close(gate)
		time.Sleep(time.Second)
		c.mu.Lock()
		defer c.mu.Unlock()
		if at := slices.Index(order, "new"); at != 1 {
			t.Errorf("the new one was number %d of %v, want it behind the one that was being worked on", at, order)
		}
	})
}
