package informers

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/kubernetes/scheme"
)

// kindsByResource are all kinds that there are types for, by the resource that they are served as.
func kindsByResource() map[schema.GroupVersionResource]schema.GroupVersionKind {
	found := map[schema.GroupVersionResource]schema.GroupVersionKind{}
	for gvk := range scheme.Scheme.AllKnownTypes() {
		resource, _ := meta.UnsafeGuessKindToResource(gvk)
		found[resource] = gvk
	}
	return found
}

// Every kind of every version of every group: its informer syncs, and its lister finds an object.
func TestEveryKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := newClient(t)
		factory := mustNew(t, Config{Client: client})
		kinds := kindsByResource()
		want := map[reflect.Type]schema.GroupVersionResource{}
		for resource := range newResources() {
			obj, err := scheme.Scheme.New(kinds[resource])
			if err != nil {
				t.Errorf("%v has no type: %v", resource, err)
				continue
			}
			want[reflect.TypeOf(obj)] = resource
			put(t, server.Put, obj, kinds[resource])
			if _, err := factory.ForResource(resource); err != nil {
				t.Error(err)
			}
		}
		if len(want) != len(newResources()) || len(want) < 147 {
			t.Errorf("%d types for %d resources", len(want), len(newResources()))
		}
		factory.StartWithContext(t.Context())
		result := factory.WaitForCacheSyncWithContext(t.Context())
		if err := result.AsError(); err != nil || len(result.Synced) != len(want) {
			t.Errorf("%d of %d, %v", len(result.Synced), len(want), err)
		}
		for typ, resource := range want {
			check(t, factory, typ, resource)
		}
		release(t, factory)
	})
}

// put creates an object named one, in a namespace if its kind has any.
func put(t *testing.T, create func(...runtime.Object) error, obj runtime.Object, gvk schema.GroupVersionKind) {
	t.Helper()
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	obj.(metav1.Object).SetName("one")
	obj.(metav1.Object).SetNamespace("here")
	if err := create(obj); err != nil {
		obj.(metav1.Object).SetNamespace("")
		if err := create(obj); err != nil {
			t.Errorf("%v: %v", gvk, err)
		}
	}
}

// check finds the object of a kind by its generic informer and by the lister behind it.
func check(t *testing.T, factory *Factory, typ reflect.Type, resource schema.GroupVersionResource) {
	t.Helper()
	generic, err := factory.ForResource(resource)
	if err != nil {
		t.Error(err)
		return
	}
	keys := generic.Informer().GetStore().ListKeys()
	if len(keys) != 1 {
		t.Errorf("%v: there are %v", resource, keys)
		return
	}
	obj, err := generic.Lister().Get(keys[0])
	if err != nil || reflect.TypeOf(obj) != typ {
		t.Errorf("%v: %T, %v", resource, obj, err)
	}
	if _, err := generic.Lister().Get("none"); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), resource.Resource) {
		t.Errorf("%v: %v", resource, err)
	}
	if generic.Informer().GetIndexer().GetIndexers()[cache.NamespaceIndex] == nil {
		t.Errorf("%v has no index of namespaces", resource)
	}
	if state := cache.StateOf(generic.Informer()); state.Bytes == 0 {
		t.Errorf("%v does not read frames: %+v", resource, state)
	}
}

// Every kind by its way through the factory, which has a method for each group, version and kind: what it returns is the
// informer of ForResource, and so the lister is that of the same store.
func TestEveryAccessor(t *testing.T) {
	_, client := newClient(t)
	factory := mustNew(t, Config{Client: client})
	tried := 0
	for group := range methods(reflect.ValueOf(factory), reflect.TypeFor[Groups]()) {
		for version := range methods(group, group.Type()) {
			for kind := range methods(version, version.Type()) {
				tried++
				informer := kind.Interface().(informed).Informer()
				lister := kind.MethodByName("Lister").Call(nil)[0]
				typed := kind.MethodByName("TypedInformer").Call(nil)[0].Interface().(cache.SharedIndexInformer)
				if lister.IsNil() || typed.GetIndexer() == nil || informer == nil {
					t.Errorf("%v", kind.Type())
				}
			}
		}
	}
	if n := len(factory.Informers()); n != tried || n != len(newResources()) {
		t.Errorf("%d kinds, %d informers, %d resources", tried, n, len(newResources()))
	}
}

// methods calls each method of an interface, without arguments.
func methods(v reflect.Value, i reflect.Type) func(yield func(reflect.Value) bool) {
	return func(yield func(reflect.Value) bool) {
		for n := range i.NumMethod() {
			if !yield(v.MethodByName(i.Method(n).Name).Call(nil)[0]) {
				return
			}
		}
	}
}

func TestForResourceOfNothing(t *testing.T) {
	_, client := newClient(t)
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	if _, err := NewSharedInformerFactory(client, 0).ForResource(resource); err == nil || err.Error() != "no informer found for "+resource.String() {
		t.Errorf("got %v", err)
	}
}
