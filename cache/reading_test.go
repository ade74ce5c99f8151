package cache

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/internal/object"
)

// storageForms runs a test for each storage and form of bytes.
func storageForms(t *testing.T, indexers Indexers, test func(t *testing.T, c *storageCase)) {
	for name, storage := range map[string]Storage{"live": {}, "packed": {Packed: true}, "kept": {Packed: true, Keep: []string{"spec.nodeName", "metadata.labels"}}} {
		for _, form := range []string{inProtobuf, inJSON, inCBOR} {
			t.Run(name+"/"+form, func(t *testing.T) {
				withStorageIn(t, form, SharedIndexInformerOptions{Storage: storage, Indexers: indexers}, nil, test)
			})
		}
	}
}

// podNames returns the names of pods, sorted, and the error that came with them.
func podNames[T metav1.Object](pods iter.Seq2[T, error]) (names []string, err error) {
	for pod, e := range pods {
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		names = append(names, pod.GetName())
	}
	slices.Sort(names)
	return names, err
}

func TestIterators(t *testing.T) {
	storageForms(t, Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "node": IndexByField("spec.nodeName")}, func(t *testing.T, c *storageCase) {
		lister := NewTypedLister[*corev1.Pod](c.GetIndexer(), corev1.Resource("pods"))
		for name, want := range map[string][]string{"": {"db-1", "web-1", "web-2"}, "node-0": {"db-1", "web-1"}, "none": nil} {
			selector := labels.Everything()
			if name != "" {
				selector = labels.SelectorFromSet(labels.Set{"node": name})
			}
			for _, l := range []TypedLister[*corev1.Pod]{lister, lister.ByNamespace("default")} {
				got, err := podNames(l.All(selector))
				mustNot(t, err)
				wantEqual(t, "pods of "+name, got, want)
				meta, err := podNames(l.Metadata().All(selector))
				mustNot(t, err)
				wantEqual(t, "metadata of pods of "+name, meta, want)
			}
			if name != "" {
				got, err := podNames(lister.AllByIndex("node", name))
				mustNot(t, err)
				wantEqual(t, "pods by index of "+name, got, want)
				got, err = podNames(lister.ByNamespace("other").AllByIndex("node", name))
				mustNot(t, err)
				wantEqual(t, "pods of another namespace", got, nil)
			}
		}
		for range lister.All(labels.Nothing()) {
			t.Error("Nothing matches")
		}
		for _, err := range lister.AllByIndex("other", "") {
			wantError(t, err, "Index with name other does not exist")
		}
		for _, err := range NewTypedLister[*corev1.Node](c.GetIndexer(), corev1.Resource("nodes")).All(labels.Everything()) {
			wantError(t, err, "unexpected object of type *v1.Pod in the cache")
		}
		n := 0
		for range lister.All(labels.Everything()) {
			n++
			break
		}
		wantEqual(t, "objects before a break", n, 1)
		views, _ := c.GetIndexer().(*cache).table.Readers()
		wantEqual(t, "views that are in use", views, 0)
	})
}

// TestIteratorsShowOneMoment writes to the store in a loop over it.
func TestIteratorsShowOneMoment(t *testing.T) {
	store := NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": byApp})
	for i := range 1000 {
		mustNot(t, store.Add(labelled(pod("a", fmt.Sprint(i), "1"), "app", "web")))
	}
	for _, all := range []iter.Seq2[*corev1.Pod, error]{
		NewTypedLister[*corev1.Pod](store, corev1.Resource("pods")).All(labels.Everything()),
		NewTypedLister[*corev1.Pod](store, corev1.Resource("pods")).AllByIndex("app", "web"),
	} {
		n := 0
		for p, err := range all {
			mustNot(t, err)
			if p.ResourceVersion != "1" {
				t.Fatalf("%s is of version %s", p.Name, p.ResourceVersion)
			}
			n++
			next := p.DeepCopy()
			next.ResourceVersion = "2"
			mustNot(t, store.Update(next))
			mustNot(t, store.Delete(pod("a", fmt.Sprint((n+500)%1000), "")))
		}
		wantEqual(t, "objects", n, 1000)
		for i := range 1000 {
			mustNot(t, store.Add(labelled(pod("a", fmt.Sprint(i), "1"), "app", "web")))
		}
	}
}

// foreignIndexer is an Indexer that is not of this package.
type foreignIndexer struct{ Indexer }

func TestIteratorsOfOtherIndexers(t *testing.T) {
	store := foreignIndexer{NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": byApp})}
	mustNot(t, store.Add(labelled(pod("a", "one", "1"), "app", "web")))
	lister := NewTypedLister[*corev1.Pod](store, corev1.Resource("pods"))
	got, err := podNames(lister.All(nil))
	mustNot(t, err)
	wantEqual(t, "pods", got, []string{"one"})
	got, err = podNames(lister.AllByIndex("app", "web"))
	mustNot(t, err)
	wantEqual(t, "pods by index", got, []string{"one"})
	_, err = podNames(lister.AllByIndex("none", "web"))
	wantError(t, err, "does not exist")
	nodes := NewTypedLister[*corev1.Node](store, corev1.Resource("nodes"))
	_, err = podNames(nodes.All(nil))
	wantError(t, err, "unexpected object")
	_, err = podNames(nodes.AllByIndex("app", "web"))
	wantError(t, err, "unexpected object")
	got, err = podNames(lister.ByNamespace("b").AllByIndex("app", "web"))
	mustNot(t, err)
	wantEqual(t, "pods of another namespace", got, nil)
	meta, err := lister.Metadata().ByNamespace("a").Get("one")
	mustNot(t, err)
	wantEqual(t, "label", meta.Labels["app"], "web")
	all, err := lister.Metadata().List(labels.SelectorFromSet(labels.Set{"app": "web"}))
	if err != nil || len(all) != 1 {
		t.Errorf("got %v, %v", all, err)
	}
	some, err := lister.Fields("spec.nodeName")
	mustNot(t, err)
	if p, err := some.Get("a/one"); err != nil || p.Labels["app"] != "web" {
		t.Errorf("got %v, %v", p, err)
	}
}

func TestMetadataLister(t *testing.T) {
	storageForms(t, Indexers{NamespaceIndex: MetaNamespaceIndexFunc}, func(t *testing.T, c *storageCase) {
		lister := NewTypedLister[*corev1.Pod](c.GetIndexer(), corev1.Resource("pods")).Metadata().ByNamespace("default")
		m, err := lister.Get("web-2")
		mustNot(t, err)
		want := c.onServer("web-2")
		if m.Name != "web-2" || m.UID != want.UID || m.ResourceVersion != want.ResourceVersion || !reflect.DeepEqual(m.Labels, want.Labels) {
			t.Errorf("got %+v", m)
		}
		_, err = lister.Get("none")
		wantError(t, err, `pods "none" not found`)
		list, err := lister.List(labels.SelectorFromSet(labels.Set{"node": "node-1"}))
		if err != nil || len(list) != 1 || list[0].Name != "web-2" {
			t.Errorf("got %v, %v", list, err)
		}
	})
}

func TestFieldsLister(t *testing.T) {
	storageForms(t, Indexers{NamespaceIndex: MetaNamespaceIndexFunc}, func(t *testing.T, c *storageCase) {
		whole := NewTypedLister[*corev1.Pod](c.GetIndexer(), corev1.Resource("pods"))
		lister, err := whole.Fields("spec.nodeName")
		mustNot(t, err)
		got, err := lister.Get("default/web-2")
		mustNot(t, err)
		want := c.onServer("web-2")
		if got.Name != "web-2" || got.UID != want.UID || got.ResourceVersion != want.ResourceVersion || got.Spec.NodeName != "node-1" {
			t.Errorf("got %+v", got)
		}
		if stored, _ := c.GetIndexer().(*cache).table.Get("default/web-2"); object.IsAtRest(stored) {
			if len(got.Spec.Containers) != 0 || got.Labels != nil {
				t.Errorf("other fields are set: %+v", got)
			}
			got.Spec.NodeName = "changed"
			if again, _ := lister.Get("default/web-2"); again.Spec.NodeName != "node-1" {
				t.Error("what one reader changed, another sees")
			}
		}
		list, err := lister.ByNamespace("default").List(labels.SelectorFromSet(labels.Set{"node": "node-1"})) // labels are not among the fields
		if err != nil || len(list) != 1 || list[0].Spec.NodeName != "node-1" {
			t.Errorf("got %v, %v", list, err)
		}
		_, err = whole.Fields("spec.nodename")
		wantError(t, err, "spec.nodeName")
		_, err = NewTypedLister[metav1.Object](c.GetIndexer(), corev1.Resource("pods")).Fields("spec.nodeName")
		wantError(t, err, "needs a lister of one Go type")
	})
}

// TestFieldsListerOfAView: a view converts objects, so that its lister decodes them as a whole.
func TestFieldsListerOfAView(t *testing.T) {
	withStorage(t, packedOptions, nil, func(t *testing.T, c *storageCase) {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		view, err := NewInformerView(c, u)
		mustNot(t, err)
		lister, err := NewTypedLister[*unstructured.Unstructured](view.GetIndexer(), corev1.Resource("pods")).Fields("spec.nodeName")
		mustNot(t, err)
		got, err := lister.Get("default/web-2")
		mustNot(t, err)
		node, _, _ := unstructured.NestedString(got.Object, "spec", "nodeName")
		wantEqual(t, "node", node, "node-1")
	})
}

func TestIndexByField(t *testing.T) {
	indexers := Indexers{"node": IndexByField("spec.nodeName"), "label": IndexByField("metadata.labels[node]")}
	storageForms(t, indexers, func(t *testing.T, c *storageCase) {
		check := func(index string, want map[string]int) {
			t.Helper()
			got := map[string]int{}
			for _, value := range c.GetIndexer().ListIndexFuncValues(index) {
				keys, err := c.GetIndexer().IndexKeys(index, value)
				mustNot(t, err)
				got[value] = len(keys)
			}
			wantEqual(t, "index "+index, fmt.Sprint(got), fmt.Sprint(want))
		}
		check("node", map[string]int{"node-0": 2, "node-1": 1})
		check("label", map[string]int{"node-0": 2, "node-1": 1})
		mustNot(t, c.GetIndexer().AddIndexers(Indexers{"late": IndexByField("metadata.name"), "wrong": func(any) ([]string, error) { return nil, nil }}))
		check("late", map[string]int{"db-1": 1, "web-1": 1, "web-2": 1})
		err := c.GetIndexer().AddIndexers(Indexers{"bad": IndexByField("spec.nodename")})
		wantError(t, err, "spec.nodename")
		check("bad", map[string]int{})
		same, err := c.GetIndexer().Index("node", &corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-0"}})
		if err != nil || len(same) != 2 {
			t.Errorf("got %v, %v", same, err)
		}
	})
}

// TestIndexByFieldDecodesNothing: an object at rest is read for its field alone.
func TestIndexByFieldDecodesNothing(t *testing.T) {
	for path, want := range map[string]bool{"spec.nodeName": true} {
		if IndexByField(path).decodesItself() != want {
			t.Error("the function is not recognised")
		}
	}
	if (IndexFunc)(byApp).decodesItself() {
		t.Error("another function is taken for one")
	}
	store := NewIndexer(MetaNamespaceKeyFunc, Indexers{"node": IndexByField("spec.nodeName")})
	err := store.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	if err == nil || !strings.Contains(err.Error(), "spec.nodeName") {
		t.Errorf("got %v", err)
	}
	mustNot(t, store.Add(pod("a", "b", "1")))
	keys, err := store.IndexKeys("node", "")
	mustNot(t, err)
	wantEqual(t, "keys", keys, []string{"a/b"})
}
