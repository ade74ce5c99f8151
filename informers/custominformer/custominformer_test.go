package custominformer_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/gentype"
	"vedette.dev/informers/custominformer"
	"vedette.dev/informers/pool"
)

// Nothing here may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Widget is a kind as a user would write it: nothing is generated for it.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	Size int `json:"size,omitempty"`
}

var widgetKind = apitest.Kind{
	GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, Namespaced: true,
}

func newClient(t *testing.T) *gentype.Custom[Widget] {
	t.Helper()
	server := apitest.New(t, apitest.Config{InProcess: true, CreateNamespaces: true, Kinds: []apitest.Kind{widgetKind}})
	client, err := gentype.NewForConfig[Widget](server.RESTConfig(), gentype.Resource{
		Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets",
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func put(t *testing.T, client *gentype.Custom[Widget], namespace, name string, size int) {
	t.Helper()
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: WidgetSpec{Size: size}}
	if _, err := client.In(namespace).Create(t.Context(), widget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestAStructWithoutGeneratedCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t)
		put(t, client, "here", "one", 1)
		widgets, err := custominformer.New(client, custominformer.Config{
			Indexers: cache.TypedIndexersToIndexers(cache.TypedIndexers[*Widget]{
				"large": func(w *Widget) ([]string, error) { return []string{map[bool]string{true: "yes"}[w.Spec.Size > 5]}, nil },
			}),
			Transform: func(obj any) (any, error) {
				obj.(*Widget).ManagedFields = nil
				return obj, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var events []string
		widgets.Informer().AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*Widget]{
			AddFunc:    func(w *Widget) { events = append(events, "add "+w.Name) },
			DeleteFunc: func(d cache.DeletedObject[*Widget]) { events = append(events, "delete "+d.GetName()) },
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { widgets.Informer().RunWithContext(ctx); close(done) }()
		synctest.Wait()
		put(t, client, "there", "two", 7)
		synctest.Wait()
		if got, err := widgets.Lister().ByNamespace("here").Get("one"); err != nil || got.Spec.Size != 1 || got.UID == "" {
			t.Errorf("%+v, %v", got, err)
		}
		if all, err := widgets.Lister().List(labels.Everything()); err != nil || len(all) != 2 {
			t.Errorf("%v, %v", all, err)
		}
		if large, err := widgets.Informer().GetTypedIndexer().ByTypedIndex("large", "yes"); err != nil || len(large) != 1 || large[0].Name != "two" {
			t.Errorf("%v, %v", large, err)
		}
		if _, err := widgets.Lister().ByNamespace("here").Get("two"); !apierrors.IsNotFound(err) || err.Error() != `widgets.example.com "two" not found` {
			t.Errorf("got %v", err)
		}
		if err := client.In("here").Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := strings.Join(events, ", "); got != "add one, add two, delete one" {
			t.Errorf("the handler heard %s", got)
		}
		cancel()
		<-done
	})
}

func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t)
		put(t, client, "here", "one", 1)
		put(t, client, "there", "one", 1)
		factory, err := pool.New[reflect.Type](pool.Config{Namespaces: []string{"here"}})
		if err != nil {
			t.Fatal(err)
		}
		first, err := custominformer.New(client, custominformer.Config{Share: factory})
		if err != nil {
			t.Fatal(err)
		}
		lease := factory.Lease()
		second, err := custominformer.New(client, custominformer.Config{Share: lease})
		if err != nil {
			t.Fatal(err)
		}
		factory.StartWithContext(t.Context())
		synctest.Wait()
		if keys := second.Informer().GetStore().ListKeys(); len(keys) != 1 || keys[0] != "here/one" {
			t.Errorf("got %v", keys)
		}
		if err := factory.SetNamespaces("here", "there"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if n := len(first.Informer().GetStore().List()); n != 2 || len(factory.State()) != 1 {
			t.Errorf("%d objects, %d informers", n, len(factory.State()))
		}
		if err := factory.Release(t.Context()); err != nil || first.Informer().IsStopped() {
			t.Errorf("%v, or it stopped although a lease holds it", err)
		}
		if err := lease.Release(t.Context()); err != nil || !first.Informer().IsStopped() {
			t.Errorf("%v, or it runs although no lease holds it", err)
		}
	})
}

func TestBadInput(t *testing.T) {
	client := newClient(t)
	for want, config := range map[string]custominformer.Config{
		"Resync":   {Resync: -1},
		"Indexers": {Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}},
	} {
		if _, err := custominformer.New(client, config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := custominformer.New[Widget](nil, custominformer.Config{}); err == nil {
		t.Error("a nil client was accepted")
	}
}
