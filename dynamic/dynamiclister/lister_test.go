package dynamiclister

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

func object(namespace, name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetNamespace(namespace)
	obj.SetName(name)
	obj.SetLabels(map[string]string{"name": name})
	return obj
}

func TestLister(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, obj := range []*unstructured.Unstructured{object("here", "one"), object("here", "two"), object("there", "one"), object("", "free")} {
		if err := indexer.Add(obj); err != nil {
			t.Fatal(err)
		}
	}
	lister := New(indexer, schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
	shim := NewRuntimeObjectShim(lister)
	one := labels.SelectorFromSet(labels.Set{"name": "one"})
	for _, tt := range []struct {
		name     string
		selector labels.Selector
		all, in  int
	}{
		{"everything", labels.Everything(), 4, 2},
		{"one", one, 2, 1},
		{"nothing", labels.Nothing(), 0, 0},
	} {
		list, err := lister.List(tt.selector)
		in, errIn := lister.Namespace("here").List(tt.selector)
		objects, errShim := shim.List(tt.selector)
		objectsIn, errShimIn := shim.ByNamespace("here").List(tt.selector)
		if err != nil || errIn != nil || errShim != nil || errShimIn != nil {
			t.Fatal(err, errIn, errShim, errShimIn)
		}
		if len(list) != tt.all || len(objects) != tt.all || len(in) != tt.in || len(objectsIn) != tt.in {
			t.Errorf("%s: %d, %d, %d and %d", tt.name, len(list), len(objects), len(in), len(objectsIn))
		}
	}
	if obj, err := lister.Get("free"); err != nil || obj.GetName() != "free" {
		t.Errorf("%v, %v", obj, err)
	}
	if obj, err := shim.ByNamespace("there").Get("one"); err != nil || obj.(*unstructured.Unstructured).GetNamespace() != "there" {
		t.Errorf("%v, %v", obj, err)
	}
	if obj, err := shim.ByNamespace("there").Get("two"); !apierrors.IsNotFound(err) || obj != nil || err.Error() != `widgets.example.com "two" not found` {
		t.Errorf("%v, %v", obj, err)
	}
	if obj, err := lister.Namespace("there").Get("two"); !apierrors.IsNotFound(err) || obj != nil {
		t.Errorf("%v, %v", obj, err)
	}
}
