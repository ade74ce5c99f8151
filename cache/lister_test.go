package cache

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Point 10 of what client-go's users rely on.

var pods = schema.GroupResource{Resource: "pods"}

// foreign hides that a store is of this package.
type foreign struct{ Indexer }

// listed is an indexer with four pods, with or without the index by namespace, ours or foreign.
func listed(t *testing.T) map[string]Indexer {
	t.Helper()
	out := map[string]Indexer{
		"indexed":   NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc}),
		"unindexed": NewIndexer(MetaNamespaceKeyFunc, nil),
	}
	for _, x := range out {
		for key, app := range map[ObjectName]string{{"a", "1"}: "x", {"a", "2"}: "y", {"b", "1"}: "x", {"", "c"}: "x"} {
			mustNot(t, x.Add(labelled(pod(key.Namespace, key.Name, ""), "app", app)))
		}
	}
	out["foreign"] = foreign{out["indexed"]}
	out["foreign unindexed"] = foreign{out["unindexed"]}
	out["typed"] = NewTypedIndexer[*corev1.Pod](out["indexed"])
	return out
}

func keysOf[T any](t *testing.T, list []T) []string {
	keys := []string{}
	for _, obj := range list {
		key, err := MetaNamespaceKeyFunc(obj)
		mustNot(t, err)
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestListersFindByNamespaceAndSelector(t *testing.T) {
	x := labels.SelectorFromSet(labels.Set{"app": "x"})
	for name, indexer := range listed(t) {
		for _, c := range []struct {
			namespace string
			selector  labels.Selector
			want      []string
		}{
			{"", labels.Everything(), []string{"a/1", "a/2", "b/1", "c"}},
			{"", x, []string{"a/1", "b/1", "c"}},
			{"", labels.Nothing(), []string{}},
			{"a", labels.Everything(), []string{"a/1", "a/2"}},
			{"a", nil, []string{"a/1", "a/2"}},
			{"a", x, []string{"a/1"}},
			{"a", labels.Nothing(), []string{}},
			{"none", x, []string{}},
		} {
			typed, err := NewTypedLister[*corev1.Pod](indexer, pods).ByNamespace(c.namespace).List(c.selector)
			mustNot(t, err)
			wantEqual(t, name+" typed", keysOf(t, typed), c.want)
			generic, err := NewGenericLister(indexer, pods).ByNamespace(c.namespace).List(c.selector)
			mustNot(t, err)
			wantEqual(t, name+" generic", keysOf(t, generic), c.want)
			var all []any
			mustNot(t, ListAllByNamespace(indexer, c.namespace, c.selector, func(obj any) { all = append(all, obj) }))
			wantEqual(t, name+" all", keysOf(t, all), c.want)
		}
	}
}

func TestAListerThatDoesNotFindSaysNotFound(t *testing.T) {
	for name, indexer := range listed(t) {
		l := NewTypedLister[*corev1.Pod](indexer, pods)
		p, err := l.ByNamespace("a").Get("1")
		if err != nil || p.Namespace != "a" || p.Name != "1" {
			t.Errorf("%s: got %v, %v", name, p, err)
		}
		_, err = l.ByNamespace("b").Get("2")
		wantEqual(t, name+": not found", apierrors.IsNotFound(err), true)
		wantError(t, err, `pods "2" not found`)
		g := NewGenericLister(indexer, pods)
		obj, err := g.Get("a/1") // a key where there is no namespace
		mustNot(t, err)
		wantEqual(t, name, obj, runtime.Object(p))
		_, err = g.ByNamespace("a").Get("none")
		wantEqual(t, name+": not found", apierrors.IsNotFound(err), true)
	}
}

// unlabelled has no metadata, so that it can only be listed by those who do not look.
type unlabelled struct{}

func TestWithEverythingLabelsAreNotRead(t *testing.T) {
	s := NewIndexer(func(any) (string, error) { return "k", nil }, nil)
	mustNot(t, s.Add(unlabelled{}))
	list, err := NewTypedLister[unlabelled](s, pods).List(labels.Everything())
	wantEqual(t, "list", list, []unlabelled{{}})
	mustNot(t, err)
	n := 0
	mustNot(t, ListAll(s, labels.Everything(), func(any) { n++ }))
	wantEqual(t, "listed", n, 1)
	selector := labels.SelectorFromSet(labels.Set{"app": "x"})
	_, err = NewTypedLister[unlabelled](s, pods).List(selector)
	wantError(t, err, "does not implement")
	wantError(t, ListAll(s, selector, func(any) {}), "does not implement")
}

func TestAnObjectOfAnotherTypeIsAnErrorAndNoPanic(t *testing.T) {
	s := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	mustNot(t, s.Add(&corev1.Node{}))
	want := "unexpected object of type *v1.Node in the cache, want *v1.Pod"
	for _, indexer := range []Indexer{s, foreign{s}} {
		l := NewTypedLister[*corev1.Pod](indexer, pods)
		_, err := l.Get("")
		wantError(t, err, want)
		_, err = l.List(labels.Everything())
		wantError(t, err, want)
		_, err = NewTypedIndexer[*corev1.Pod](indexer).ByTypedIndex(NamespaceIndex, "")
		wantError(t, err, want)
		_, err = NewTypedIndexer[*corev1.Pod](indexer).TypedIndex(NamespaceIndex, pod("", "", ""))
		wantError(t, err, want)
	}
	wantError(t, s.AddIndexers(TypedIndexersToIndexers(TypedIndexers[*corev1.Pod]{
		"x": func(*corev1.Pod) ([]string, error) { return nil, nil },
	})), want)
}

func TestATypedIndexerIsAViewOfTheSameStore(t *testing.T) {
	s := podIndexer(nil)
	for _, indexer := range []Indexer{s, foreign{podIndexer(nil)}} {
		typed := NewTypedIndexer[*corev1.Pod](indexer)
		a, b := labelled(pod("ns", "a", ""), "app", "x y"), labelled(pod("ns", "b", ""), "app", "x")
		mustNot(t, typed.Add(a))
		mustNot(t, indexer.Add(b))
		mustNot(t, typed.AddTypedIndexers(TypedIndexers[*corev1.Pod]{
			"name": func(p *corev1.Pod) ([]string, error) { return []string{p.Name}, nil },
		}))
		got, err := typed.ByTypedIndex("name", "a")
		mustNot(t, err)
		wantEqual(t, "by name", got, []*corev1.Pod{a})
		got, err = typed.TypedIndex("app", b)
		mustNot(t, err)
		wantEqual(t, "alike", keysOf(t, got), []string{"ns/a", "ns/b"})
		_, err = typed.ByTypedIndex("none", "")
		wantError(t, err, "Index with name none does not exist")
		_, err = typed.TypedIndex("none", a)
		wantError(t, err, "Index with name none does not exist")
	}
}

func TestAnIndexFunctionWithOneValueMakesAKey(t *testing.T) {
	keyFunc := IndexFuncToKeyFuncAdapter(byApp)
	key, err := keyFunc(labelled(pod("", "", ""), "app", "x"))
	mustNot(t, err)
	wantEqual(t, "key", key, "x")
	_, err = keyFunc(labelled(pod("", "", ""), "app", "x y"))
	wantError(t, err, "too many keys: [x y]")
	_, err = keyFunc(labelled(pod("", "", ""), "app", ""))
	wantError(t, err, "unexpected empty indexKeys")
	_, err = IndexFuncToKeyFuncAdapter(failing)(failsWith("", "error"))
	wantEqual(t, "error", err, errBad)
}
