package cache

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/internal/object"
	"vedette.dev/internal/testsize"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

var hammerFor = flag.Duration("hammer", 3*time.Second, "how long TestHammerAnInformer goes on")

// TestHammerAnInformer has writers change what a server has, while connections are cut, history is forgotten, and handlers
// of all speeds come and go. In the end the store, and what each handler knows, is what the server has.
func TestHammerAnInformer(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true, History: 200})
	client, err := typed.NewForConfig(server.RESTConfig())
	mustNot(t, err)
	h := &informerHammer{t: t, server: server, client: client, until: time.Now().Add(testsize.Of(*hammerFor, min(*hammerFor, time.Second)))}
	h.informer = newStoredInformer(h.lw(), &corev1.Pod{}, SharedIndexInformerOptions{
		Indexers:     Indexers{NamespaceIndex: MetaNamespaceIndexFunc},
		ResyncPeriod: time.Second,
	})
	h.listen(0)
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { h.informer.Run(stop) })

	var working sync.WaitGroup
	for seed := range 3 {
		working.Go(func() { h.loop(uint64(seed), h.write) })
	}
	working.Go(func() { h.loop(10, h.disturb) })
	working.Go(func() { h.loop(11, h.comeAndGo) })
	working.Wait()

	h.settle()
	close(stop)
	running.Wait()
}

type informerHammer struct {
	t        *testing.T
	server   *apitest.Server
	client   *typed.CoreV1Client
	informer SharedIndexInformer
	until    time.Time

	mu        sync.Mutex
	listeners []*believer
}

// believer is a handler that knows what it was told, and is slow at times.
type believer struct {
	mu     sync.Mutex
	knows  knowledge
	slow   time.Duration
	handle ResourceEventHandlerRegistration
}

func (b *believer) OnAdd(obj any, initial bool) {
	time.Sleep(b.slow)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.knows.OnAdd(obj, initial)
}

func (b *believer) OnUpdate(oldObj, newObj any) {
	time.Sleep(b.slow)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.knows.OnUpdate(oldObj, newObj)
}

func (b *believer) OnDelete(obj any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.knows.OnDelete(obj)
}

func (h *informerHammer) lw() *ListWatch {
	return NewListWatchFromClient(h.client.RESTClient(), "pods", "", nil)
}

func (h *informerHammer) loop(seed uint64, step func(*rand.Rand)) {
	r := rand.New(rand.NewPCG(seed, 1))
	for time.Now().Before(h.until) && !h.t.Failed() {
		step(r)
	}
}

// write changes one of sixty pods.
func (h *informerHammer) write(r *rand.Rand) {
	ctx := context.Background()
	name := "pod-" + strconv.Itoa(r.IntN(60))
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"n": strconv.Itoa(r.IntN(1e6))}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	var err error
	switch r.IntN(8) {
	case 0, 1:
		_, err = h.server.Create(ctx, p)
	case 2:
		now := int64(0)
		err = h.server.Delete(ctx, p, metav1.DeleteOptions{GracePeriodSeconds: &now})
	default:
		_, err = h.server.Update(ctx, p)
	}
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) && !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) {
		h.t.Error(err)
	}
	time.Sleep(time.Duration(r.IntN(500)) * time.Microsecond)
}

// disturb makes faults, now and then.
func (h *informerHammer) disturb(r *rand.Rand) {
	time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
	if r.IntN(2) == 0 {
		h.server.Compact()
	}
	h.server.CutConnections()
}

// comeAndGo adds a handler or removes one.
func (h *informerHammer) comeAndGo(r *rand.Rand) {
	time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
	if r.IntN(2) == 0 {
		h.listen(time.Duration(r.IntN(3)) * time.Millisecond)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.listeners); n > 1 {
		last := h.listeners[n-1]
		h.listeners = h.listeners[:n-1]
		mustNot(h.t, h.informer.RemoveEventHandler(last.handle))
	}
}

func (h *informerHammer) listen(slow time.Duration) {
	b := &believer{slow: slow, knows: knowledge{pods: map[string]*corev1.Pod{}}}
	handle, err := h.informer.AddEventHandlerWithOptions(b, HandlerOptions{MaxWaiting: 20})
	if err != nil {
		h.t.Error(err)
		return
	}
	b.handle = handle
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners = append(h.listeners, b)
}

// settle waits until all know what the server has.
func (h *informerHammer) settle() {
	var problem error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if problem = h.compare(); problem == nil {
			break
		}
	}
	if problem != nil {
		h.t.Errorf("%v; state %+v", problem, StateOf(h.informer))
	}
	for _, b := range h.listeners {
		if b.knows.err != nil {
			h.t.Error(b.knows.err)
		}
	}
	mustNot(h.t, h.informer.GetStore().(*cache).table.Verify())
}

func (h *informerHammer) compare() error {
	list, _, err := h.server.List(context.Background(), corev1.SchemeGroupVersion.WithResource("pods"), "")
	if err != nil {
		return err
	}
	want := map[string]string{}
	for _, obj := range list {
		p := obj.(*corev1.Pod)
		want[p.Name] = p.ResourceVersion
	}
	got := map[string]string{}
	for _, obj := range h.informer.GetStore().List() {
		p := obj.(*corev1.Pod)
		got[p.Name] = p.ResourceVersion
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the store has %v, the server %v", got, want)
	}
	for n, b := range h.listeners {
		if heard := b.versions(); !reflect.DeepEqual(heard, want) {
			return fmt.Errorf("handler %d knows %v, the server has %v", n, heard, want)
		}
	}
	return nil
}

func (b *believer) versions() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]string{}
	for name, p := range b.knows.pods {
		out[name] = p.ResourceVersion
	}
	return out
}

// knowledge is a handler that believes what it is notified of. It has an error if that contradicts what it knows.
type knowledge struct {
	pods map[string]*corev1.Pod
	err  error
}

func (k *knowledge) OnAdd(obj any, _ bool) {
	p := obj.(*corev1.Pod)
	if known := k.pods[p.Name]; known != nil {
		k.err = fmt.Errorf("%s was added at %s, and was known at %s", p.Name, p.ResourceVersion, known.ResourceVersion)
	}
	k.pods[p.Name] = p
}

func (k *knowledge) OnUpdate(oldObj, newObj any) {
	old, p := oldObj.(*corev1.Pod), newObj.(*corev1.Pod)
	switch known := k.pods[p.Name]; {
	case known == nil || object.Of(known) != object.Of(old) || !storages[*storageFlag].Packed && known != old:
		k.err = fmt.Errorf("%s was updated from %s, and was known as %v", p.Name, old.ResourceVersion, object.Of(known))
	case old.UID != p.UID:
		k.err = fmt.Errorf("%s was updated from one object to another", p.Name)
	}
	k.pods[p.Name] = p
}

func (k *knowledge) OnDelete(obj any) {
	p, ok := obj.(*corev1.Pod)
	if d, unseen := obj.(DeletedFinalStateUnknown); unseen {
		p, ok = d.Obj.(*corev1.Pod)
	}
	known := (*corev1.Pod)(nil)
	if ok {
		known = k.pods[p.Name]
	}
	if known == nil || known.UID != p.UID {
		k.err = fmt.Errorf("%v was deleted, and was known as %v", obj, known)
		return
	}
	delete(k.pods, p.Name)
}
