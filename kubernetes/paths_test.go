package kubernetes_test

import (
	"context"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/kubernetes/scheme"
)

// TestEveryKindGoesToItsPath calls each kind's Create and Get. The plural is that of apimachinery, which is not the
// generator's.
func TestEveryKindGoesToItsPath(t *testing.T) {
	s := newServer(t)
	clientset := reflect.ValueOf(s.clientset(t))
	for name, kind := range servedKinds(t) {
		create, ok := kind.client.MethodByName("Create")
		if !ok {
			continue // an eviction
		}
		object := reflect.New(create.Type.Out(0).Elem())
		object.Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(metav1.ObjectMeta{Name: "x"}))
		s.reply = func(seen) runtime.Object { return object.Interface().(runtime.Object) }
		gvk := gvkOf(t, object)

		var namespace []reflect.Value
		want := collectionPath(gvk, "")
		if kind.method.NumIn() == 1 {
			namespace = []reflect.Value{reflect.ValueOf("ns")}
			want = collectionPath(gvk, "ns")
		}
		client := clientset.MethodByName(kind.group).Call(nil)[0].MethodByName(kind.plural).Call(namespace)[0]

		mustSucceed(t, name, client.MethodByName("Create").Call(arguments(object, metav1.CreateOptions{})))
		if got := s.last(t); got.path != want || got.kind != gvk {
			t.Errorf("%s: created a %v at %s, want a %v at %s", name, got.kind, got.path, gvk, want)
		}
		if _, ok := kind.client.MethodByName("Get"); !ok {
			continue
		}
		mustSucceed(t, name, client.MethodByName("Get").Call(arguments(reflect.ValueOf("x"), metav1.GetOptions{})))
		if got := s.last(t); got.path != want+"/x" {
			t.Errorf("%s: read %s, want %s", name, got.path, want+"/x")
		}
	}
}

func gvkOf(t *testing.T, object reflect.Value) schema.GroupVersionKind {
	t.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(object.Interface().(runtime.Object))
	if err != nil {
		t.Fatal(err)
	}
	return kinds[0]
}

func collectionPath(gvk schema.GroupVersionKind, namespace string) string {
	resource, _ := meta.UnsafeGuessKindToResource(gvk)
	path := "/apis/" + gvk.Group + "/" + gvk.Version
	if gvk.Group == "" {
		path = "/api/" + gvk.Version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	return path + "/" + resource.Resource
}

func arguments(what reflect.Value, opts any) []reflect.Value {
	return []reflect.Value{reflect.ValueOf(context.Background()), what, reflect.ValueOf(opts)}
}

func mustSucceed(t *testing.T, name string, results []reflect.Value) {
	t.Helper()
	if err, _ := results[1].Interface().(error); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
