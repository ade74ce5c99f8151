package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/kubernetes"
	"vedette.dev/testenv"
)

// TestInformerThroughFaults has five thousand pods change while the server is killed and etcd forgets the past. In the
// end the store, and what each handler knows, is what the server has.
func TestInformerThroughFaults(t *testing.T) {
	env := testenv.New(t, testenv.Config{})
	config := env.RESTConfig()
	config.QPS = -1
	client, err := kubernetes.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	c := &podCluster{t: t, client: client, ns: newNamespace(t, client)}
	c.fill(5000)

	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", c.ns, nil),
		&corev1.Pod{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	quick, slow := &view{}, &view{delay: 2 * time.Millisecond}
	for _, v := range []*view{quick, slow} {
		if _, err := informer.AddEventHandler(v); err != nil {
			t.Fatal(err)
		}
	}
	runInformer(t, informer)
	others := c.otherStorages()
	c.agree(informer, quick, slow)

	t.Log("the server is killed")
	c.churn(2*time.Second, func() { env.KillAPIServer() })
	seen(t, informer, func(s cache.State) bool { return s.Cause != nil })
	if err := env.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.agree(informer, quick, slow)

	t.Log("etcd forgets the past")
	before := cache.StateOf(informer).Events
	c.churn(2*time.Second, nil)
	env.KillAPIServer()
	if err := env.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.churn(time.Second, nil)
	if _, err := env.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := env.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.churn(time.Second, nil)
	c.agree(informer, quick, slow)
	if now := cache.StateOf(informer).Events; now <= before {
		t.Errorf("%d events, and %d before: nothing was heard", now, before)
	}
	c.agreeInFull(informer, nil)
	for name, other := range others {
		t.Log("stored in another way:", name)
		c.agree(other.SharedIndexInformer, other.view)
		c.agreeInFull(other.SharedIndexInformer, other.keep)
	}
}

// otherStorage is an informer that stores objects in another way than most do.
type otherStorage struct {
	cache.SharedIndexInformer
	view *view
	keep func(pod *corev1.Pod) *corev1.Pod // what it keeps of a pod; nil means all
}

// otherStorages start beside the informer, and go through the same faults.
func (c *podCluster) otherStorages() map[string]otherStorage {
	labelsAlone := func(p *corev1.Pod) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion, Generation: p.Generation, Labels: p.Labels,
		}}
	}
	out := map[string]otherStorage{}
	for name, way := range map[string]struct {
		cache.Storage
		keep func(*corev1.Pod) *corev1.Pod
	}{
		"packed":         {Storage: cache.Storage{Packed: true}},
		"projected":      {cache.Storage{Keep: []string{"metadata.labels"}}, labelsAlone},
		"both":           {cache.Storage{Packed: true, Keep: []string{"metadata.labels"}}, labelsAlone},
		"without fields": {cache.Storage{Drop: []string{cache.DropManagedFields}}, func(p *corev1.Pod) *corev1.Pod { p = p.DeepCopy(); p.ManagedFields = nil; return p }},
	} {
		lw := cache.NewListWatchFromClient(c.client.CoreV1().RESTClient(), "pods", c.ns, nil)
		informer := cache.NewSharedIndexInformerWithOptions(lw, &corev1.Pod{}, cache.SharedIndexInformerOptions{Storage: way.Storage})
		v := &view{}
		if _, err := informer.AddEventHandler(v); err != nil {
			c.t.Fatal(err)
		}
		runInformer(c.t, informer)
		out[name] = otherStorage{informer, v, way.keep}
	}
	return out
}

// agreeInFull compares every field of every pod with what the server has.
func (c *podCluster) agreeInFull(informer cache.SharedIndexInformer, keep func(*corev1.Pod) *corev1.Pod) {
	c.t.Helper()
	list, err := c.client.CoreV1().Pods(c.ns).List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range list.Items {
		want := &list.Items[i]
		if keep != nil {
			want = keep(want)
		}
		got, _, err := informer.GetStore().GetByKey(c.ns + "/" + want.Name)
		if err != nil || !equality.Semantic.DeepEqual(got, want) {
			c.t.Fatalf("%s: got %v (%v), want %v", want.Name, got, err, want)
		}
	}
}

// podCluster is the pods of a namespace.
type podCluster struct {
	t      *testing.T
	client kubernetes.Interface
	ns     string
}

func (c *podCluster) pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

func (c *podCluster) fill(pods int) {
	c.t.Helper()
	var group sync.WaitGroup
	numbers := make(chan int)
	for range 16 {
		group.Go(func() {
			for n := range numbers {
				if _, err := c.client.CoreV1().Pods(c.ns).Create(c.t.Context(), c.pod("pod-"+strconv.Itoa(n)), metav1.CreateOptions{}); err != nil {
					c.t.Error(err)
				}
			}
		})
	}
	for n := range pods {
		numbers <- n
	}
	close(numbers)
	group.Wait()
}

// churn changes pods for a while. In the middle of it, something happens. Writers do not mind a server that is not there.
func (c *podCluster) churn(limit time.Duration, happens func()) {
	ctx, cancel := context.WithTimeout(c.t.Context(), limit)
	defer cancel()
	var group sync.WaitGroup
	for seed := range 4 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(limit)))
			for ctx.Err() == nil {
				c.change(ctx, r)
			}
		})
	}
	if happens != nil {
		select {
		case <-time.After(limit / 2):
		case <-ctx.Done():
		}
		happens()
	}
	group.Wait()
}

func (c *podCluster) change(ctx context.Context, r *rand.Rand) {
	pods, name := c.client.CoreV1().Pods(c.ns), "pod-"+strconv.Itoa(r.IntN(5000))
	now := int64(0)
	switch r.IntN(6) {
	case 0:
		_ = pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	case 1:
		_, _ = pods.Create(ctx, c.pod(name), metav1.CreateOptions{})
	default:
		patch := fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, r.IntN(1e6))
		_, _ = pods.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	}
}

// agree waits until all know what the server has.
func (c *podCluster) agree(informer cache.SharedIndexInformer, views ...*view) {
	c.t.Helper()
	var problem error
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if problem = c.compare(informer, views); problem == nil {
			return
		}
	}
	c.t.Fatalf("%v; state %+v", problem, cache.StateOf(informer))
}

func (c *podCluster) compare(informer cache.SharedIndexInformer, views []*view) error {
	list, err := c.client.CoreV1().Pods(c.ns).List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	want := map[string]string{}
	for i := range list.Items {
		want[list.Items[i].Name] = list.Items[i].ResourceVersion
	}
	got := map[string]string{}
	for _, obj := range informer.GetStore().List() {
		got[obj.(*corev1.Pod).Name] = obj.(*corev1.Pod).ResourceVersion
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("the store has %d pods, the server %d, and they are not the same", len(got), len(want))
	}
	for n, v := range views {
		if known := v.versions(); !maps.Equal(known, want) {
			return fmt.Errorf("handler %d knows %d pods, the server has %d, and they are not the same", n, len(known), len(want))
		}
	}
	return nil
}

// view is a handler that remembers what it was told.
type view struct {
	delay time.Duration
	mu    sync.Mutex
	pods  map[string]string
}

func (v *view) set(obj any, there bool) {
	time.Sleep(v.delay)
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	p := obj.(*corev1.Pod)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pods == nil {
		v.pods = map[string]string{}
	}
	if there {
		v.pods[p.Name] = p.ResourceVersion
	} else {
		delete(v.pods, p.Name)
	}
}

func (v *view) OnAdd(obj any, _ bool)  { v.set(obj, true) }
func (v *view) OnUpdate(_, newObj any) { v.set(newObj, true) }
func (v *view) OnDelete(obj any)       { v.set(obj, false) }

func (v *view) versions() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.pods)
}

// runInformer runs an informer until the test ends.
func runInformer(t *testing.T, informer cache.SharedIndexInformer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); informer.RunWithContext(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// seen waits for a state.
func seen(t *testing.T, informer cache.SharedIndexInformer, is func(cache.State) bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if is(cache.StateOf(informer)) {
			return
		}
	}
	t.Fatalf("the state is %+v", cache.StateOf(informer))
}

// TestInformerOfAKindThatComesAndGoes starts before its kind is defined, and outlives the definition.
func TestInformerOfAKindThatComesAndGoes(t *testing.T) {
	client := newClientset(t)
	ns := newNamespace(t, client)
	gadgets := newPassingKind(t)
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromRequester(gadgets.in(ns), nil, nil), gadgets.example(), 0, nil)
	runInformer(t, informer)
	missing := func(s cache.State) bool { return apierrors.IsNotFound(s.Cause) }
	seen(t, informer, missing)

	for round := range 2 {
		gadgets.define()
		gadgets.create(ns, "one")
		seen(t, informer, func(s cache.State) bool { return s.Synced && s.Objects == 1 && s.Cause == nil })
		gadgets.undefine()
		seen(t, informer, missing)
		t.Log("round", round)
	}
}
