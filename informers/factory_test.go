package informers

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/cache"
	coreinformers "vedette.dev/informers/core/v1"
	"vedette.dev/informers/internalinterfaces"
	"vedette.dev/kubernetes"
	typedcore "vedette.dev/kubernetes/typed/core/v1"
)

var podType = reflect.TypeFor[*corev1.Pod]()

// The sample that all know: handlers, start, wait, list.
func TestClassicUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := newClient(t, pod("here", "one"))
		factory := NewSharedInformerFactory(client, 0)
		pods := factory.Core().V1().Pods()
		var heard, typed []string // each handler has a goroutine
		pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { heard = append(heard, "add "+obj.(*corev1.Pod).Name) },
			DeleteFunc: func(obj any) { heard = append(heard, "delete "+obj.(*corev1.Pod).Name) },
		})
		pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
			DeleteFunc: func(d coreinformers.DeletedPod) { typed = append(typed, "delete "+d.GetName()) },
		})
		stop := make(chan struct{})
		factory.Start(stop)
		factory.Start(stop)
		if synced := factory.WaitForCacheSync(stop); !maps.Equal(synced, map[reflect.Type]bool{podType: true}) {
			t.Errorf("synced: %v", synced)
		}
		if got, err := pods.Lister().Pods("here").Get("one"); err != nil || got.Labels["name"] != "one" {
			t.Errorf("%v, %v", got, err)
		}
		if _, err := pods.Lister().Pods("here").Get("two"); !apierrors.IsNotFound(err) {
			t.Errorf("got %v", err)
		}
		if err := server.Delete(t.Context(), pod("here", "one"), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := strings.Join(append(heard, typed...), ", "); got != "add one, delete one, delete one" {
			t.Errorf("heard %s", got)
		}
		close(stop)
		factory.Shutdown()
		if !pods.Informer().IsStopped() {
			t.Error("Shutdown did not wait")
		}
		nodes := factory.Core().V1().Nodes().Informer()
		factory.StartWithContext(t.Context())
		synctest.Wait()
		if nodes.HasSynced() {
			t.Error("something was started after Shutdown")
		}
	})
}

func TestWaitForCacheSyncSaysWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := newClient(t)
		server.Close()
		factory := NewSharedInformerFactory(client, 0)
		factory.Core().V1().Pods().Informer()
		ctx, cancel := context.WithCancelCause(t.Context())
		factory.StartWithContext(ctx)
		synctest.Wait()
		why := errors.New("enough")
		cancel(why)
		err := factory.WaitForCacheSyncWithContext(ctx).AsError()
		if !errors.Is(err, why) || !strings.Contains(err.Error(), "v1.Pod") {
			t.Errorf("got %v", err)
		}
		factory.Shutdown()
	})
}

func TestOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newClient(t, pod("here", "one"), pod("here", "two"), pod("there", "one"),
			&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one"}})
		name, err := cache.NewInformerName("test")
		if err != nil {
			t.Fatal(err)
		}
		factory := NewSharedInformerFactoryWithOptions(client, time.Hour,
			WithNamespace("here"),
			WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=one" }),
			WithTransform(func(obj any) (any, error) {
				obj.(metav1.Object).SetAnnotations(map[string]string{"seen": "yes"})
				return obj, nil
			}),
			WithCustomResyncConfig(map[metav1.Object]time.Duration{&corev1.Pod{}: time.Minute}),
			WithInformerName(name))
		var ofPods, ofNodes int // how often each was told again
		pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
		pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { ofPods++ }})
		nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { ofNodes++ }})
		ctx, cancel := context.WithCancel(t.Context())
		factory.StartWithContext(ctx)
		time.Sleep(2*time.Hour + time.Second)
		synctest.Wait()
		list, err := pods.Lister().List(labels.Everything())
		if err != nil || len(list) != 1 || list[0].Namespace != "here" || list[0].Annotations["seen"] != "yes" {
			t.Errorf("%v, %v", list, err)
		}
		if n := len(nodes.Informer().GetStore().List()); n != 1 {
			t.Errorf("%d nodes: a namespace does not limit what lives in none", n)
		}
		if ofPods < 115 || ofNodes < 1 || ofNodes > 3 {
			t.Errorf("pods were told again %d times, nodes %d times", ofPods, ofNodes)
		}
		if factory.InformerName() != name {
			t.Error("the name is gone")
		}
		cancel()
		factory.Shutdown()
		if name.WithResource(corev1.SchemeGroupVersion.WithResource("pods")).Reserved() {
			t.Error("the name was not released")
		}
	})
}

func TestInformersThatAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newClient(t, pod("here", "one"), pod("here", "two"), pod("there", "one"))
		tweak := func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=one" }
		options := internalinterfaces.InformerOptions{TweakListOptions: tweak}
		byName := coreinformers.PodIndexers{"name": func(p *corev1.Pod) ([]string, error) { return []string{p.Name}, nil }}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{}, 7)
		for name, tt := range map[string]struct {
			informer cache.SharedIndexInformer
			want     int
		}{
			"New":                       {coreinformers.NewPodInformer(client, "here", 0, nil), 2},
			"NewTyped":                  {coreinformers.NewTypedPodInformer(client, "", 0, byName), 3},
			"NewFiltered":               {coreinformers.NewFilteredPodInformer(client, "", 0, nil, tweak), 2},
			"NewTypedFiltered":          {coreinformers.NewTypedFilteredPodInformer(client, "there", 0, byName, tweak), 1},
			"NewWithOptions":            {coreinformers.NewPodInformerWithOptions(client, "here", options), 1},
			"NewTypedWithOptions":       {coreinformers.NewTypedPodInformerWithOptions(client, "", options), 2},
			"a client without requests": {coreinformers.NewFilteredPodInformer(plainClient{client}, "", 0, nil, tweak), 2},
		} {
			go func() { tt.informer.RunWithContext(ctx); ended <- struct{}{} }()
			synctest.Wait()
			if n := len(tt.informer.GetStore().List()); n != tt.want || !tt.informer.HasSynced() {
				t.Errorf("%s: %d objects, want %d", name, n, tt.want)
			}
			if strings.HasPrefix(name, "NewTyped") && !strings.HasSuffix(name, "Options") {
				found, err := coreinformers.ToPodIndexInformer(tt.informer).GetTypedIndexer().ByTypedIndex("name", "one")
				if err != nil || len(found) == 0 {
					t.Errorf("%s: %v, %v", name, found, err)
				}
			}
		}
		cancel()
		for range cap(ended) {
			<-ended
		}
	})
}

// plainClient is a client as tests have it, which lists and watches, and can do nothing else.
type plainClient struct{ kubernetes.Interface }

func (c plainClient) CoreV1() typedcore.CoreV1Interface { return plainCore{c.Interface.CoreV1()} }

type plainCore struct{ typedcore.CoreV1Interface }

func (c plainCore) Pods(namespace string) typedcore.PodInterface {
	return plainPods{c.CoreV1Interface.Pods(namespace)}
}

type plainPods struct{ typedcore.PodInterface }

// An informer that came from elsewhere gets its typed form, and one that has it keeps it.
func TestToTyped(t *testing.T) {
	_, client := newClient(t)
	pods := mustNew(t, Config{Client: client}).Core().V1().Pods()
	if coreinformers.ToTypedPodInformer(pods) != pods {
		t.Error("another one was made")
	}
	adapted := coreinformers.ToTypedPodInformer(untyped{pods})
	if adapted.Informer() != pods.Informer() || adapted.TypedInformer() == nil || adapted.Lister() == nil {
		t.Error("the adapted one is another")
	}
	bare := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, nil)
	if coreinformers.ToPodIndexInformer(bare).GetTypedIndexer() == nil {
		t.Error("no typed form of a bare informer")
	}
}

type untyped struct{ coreinformers.PodInformer }

// A negative period means no resync. client-go takes any period, too, but an informer resyncs without a pause then.
func TestANegativePeriodIsNone(t *testing.T) {
	_, client := newClient(t)
	custom := WithCustomResyncConfig(map[metav1.Object]time.Duration{&corev1.Pod{}: -1})
	for _, factory := range []SharedInformerFactory{
		NewSharedInformerFactory(client, -1), NewSharedInformerFactoryWithOptions(client, time.Hour, custom),
	} {
		if factory.Core().V1().Pods().Informer() == nil {
			t.Error("no informer")
		}
	}
}

func TestBadConfig(t *testing.T) {
	_, client := newClient(t)
	for want, config := range map[string]Config{
		"Client":                    {},
		"Resync":                    {Client: client, Resync: -1},
		"ResyncOf[*v1.Pod]":         {Client: client, ResyncOf: map[reflect.Type]time.Duration{podType: -1}},
		`Namespaces: "" is not the`: {Client: client, Namespaces: []string{"a", ""}},
	} {
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
