package ownwrites

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	listers "vedette.dev/listers/core/v1"
)

func TestOwnWritesAreSeenUntilTheStoreHasThem(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	view := tracker.Indexer()
	s.put(configMap("a", "1", 5, "red"))

	mustNot(t, tracker.Updated(configMap("a", "1", 7, "green"), "5"))
	mustNot(t, tracker.Created(configMap("b", "2", 8, "green")))
	want(t, "Get", show(t, view, "ns/a"), "a@7")
	want(t, "List", shorts(view.List()), []string{"a@7", "b@8"})
	green, err := view.ByIndex(byColor, "green")
	mustNot(t, err)
	want(t, "ByIndex", shorts(green), []string{"a@7", "b@8"})
	red, err := view.ByIndex(byColor, "red")
	mustNot(t, err)
	want(t, "ByIndex", shorts(red), []string{})
	want(t, "the store", shorts(s.store.List()), []string{"a@5"})
	pods, err := listers.NewConfigMapLister(view).ConfigMaps("ns").List(labels.Everything())
	if err != nil || len(pods) != 2 {
		t.Fatal(pods, err)
	}

	s.put(configMap("a", "1", 7, "green"))
	want(t, "waiting", tracker.Stats().Waiting, 1)
	s.put(configMap("b", "2", 9, "red")) // another client wrote
	want(t, "Get", show(t, view, "ns/b"), "b@9")
	want(t, "waiting", tracker.Stats().Waiting, 0)
	want(t, "settled", tracker.Stats().Settled, uint64(2))
}

func TestDeletionsHideTheObjectAndNoOther(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	view := tracker.Indexer()
	s.put(configMap("a", "1", 5, "red"))
	mustNot(t, tracker.Deleted(Deletion{Namespace: "ns", Name: "a", UID: "1"}))
	want(t, "Get", show(t, view, "ns/a"), "none")
	want(t, "keys", len(view.ListKeys()), 0)
	want(t, "values", len(view.ListIndexFuncValues(byColor)), 0)
	s.put(configMap("a", "1", 6, "red")) // an update from before
	want(t, "Get", show(t, view, "ns/a"), "none")
	s.remove(configMap("a", "1", 7, "red"))
	want(t, "waiting", tracker.Stats().Waiting, 0)
	s.put(configMap("a", "2", 8, "red"))
	want(t, "Get", show(t, view, "ns/a"), "a@8")

	// Created and deleted before the watch has said a word.
	mustNot(t, tracker.Created(configMap("b", "3", 9, "red")))
	mustNot(t, tracker.Deleted(Deletion{Namespace: "ns", Name: "b", UID: "3"}))
	mustNot(t, tracker.Updated(configMap("b", "3", 10, "red"), "9")) // an answer that comes late
	want(t, "Get", show(t, view, "ns/b"), "none")
	s.put(configMap("b", "3", 9, "red"))
	want(t, "Get", show(t, view, "ns/b"), "none")
	s.put(configMap("b", "3", 10, "red"))
	s.remove(configMap("b", "3", 11, "red"))
	want(t, "waiting", tracker.Stats().Waiting, 0)
}

// An object that neither we nor the store have seen, and that is deleted, may still come.
func TestDeletionOfUnseenObject(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	d := Deletion{Namespace: "ns", Name: "a", UID: "1"}
	if err := tracker.Deleted(d); !errors.Is(err, ErrUnbounded) {
		t.Fatal(err)
	}
	s.bookmark(1)
	d.After = "9"
	mustNot(t, tracker.Deleted(d))
	s.put(configMap("a", "0", 3, "red")) // another client had one before
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "none")
	s.remove(configMap("a", "0", 4, "red"))
	s.put(configMap("a", "1", 5, "red"))
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "none")
	s.remove(configMap("a", "1", 6, "red"))
	want(t, "waiting", tracker.Stats().Waiting, 1)
	s.bookmark(9)
	tracker.settleAll()
	want(t, "waiting", tracker.Stats().Waiting, 0)
}

// Two own writes of one name, and what others did in between, in a store that does not say how far it is.
func TestWhatOthersDidBetweenTwoOwnWrites(t *testing.T) {
	at := func(uid string, version uint64) held {
		return held{obj: configMap("a", uid, int(version), ""), exists: true, uid: types.UID(uid), version: version}
	}
	ours := &entry{obj: configMap("a", "x", 21, ""), uid: "x", version: 21, number: 1}
	// Others deleted x and created u, and we deleted that, when we knew of x.
	gone := afterDeletion(ours, &entry{uid: "u"}, dead{uid: "u", bound: 29}, 1)
	for what, h := range map[string]held{"nothing": {}, "x": at("x", 21), "x, changed by others": at("x", 23), "u": at("u", 25), "one before": at("w", 20)} {
		if s := gone.choose(21, h); s.exists {
			t.Errorf("when the store has %s, %v is shown", what, s.obj)
		}
	}
	if !gone.choose(21, at("y", 30)).exists {
		t.Error("what came later is hidden")
	}
	// We did not know of x when we sent the deletion: u may have been there before.
	unclear := afterDeletion(ours, &entry{uid: "u"}, dead{uid: "u", bound: 29}, 0)
	if s := unclear.choose(20, at("u", 19)); !s.own {
		t.Errorf("%v is shown", s.obj)
	}
	if unclear.choose(21, at("u", 25)).exists {
		t.Error("what we deleted is shown")
	}
}

// A transform may make other objects of what is written.
func TestATransformToAnotherType(t *testing.T) {
	s := newStub()
	s.store = cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, nil)
	transform := func(obj any) (any, error) {
		c := obj.(*corev1.ConfigMap)
		return &metav1.PartialObjectMetadata{ObjectMeta: c.ObjectMeta}, nil
	}
	tracker := newTracker(t, s, Config{Transform: transform})
	small, _ := transform(configMap("a", "1", 4, ""))
	s.put(small)
	mustNot(t, tracker.Updated(configMap("a", "1", 5, ""), "4"))
	obj, _, _ := tracker.Indexer().GetByKey("ns/a")
	if _, ok := obj.(*metav1.PartialObjectMetadata); !ok || short(obj) != "a@5" {
		t.Errorf("%T %v", obj, obj)
	}
}

// An object written in one form is returned in the form of the store.
func TestForms(t *testing.T) {
	kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	maps, metadata := &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}
	maps.SetGroupVersionKind(kind)
	metadata.SetGroupVersionKind(kind)
	written := configMap("a", "1", 5, "red")
	written.Data = map[string]string{"k": "v"}
	for _, example := range []runtime.Object{&corev1.ConfigMap{}, maps, metadata} {
		var f form
		f.learn(example)
		for _, obj := range []runtime.Object{written, toMap(written)} {
			got, err := f.copyOf(obj)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "type", reflect.TypeOf(got), reflect.TypeOf(example))
			want(t, "name", short(got), "a@5")
			if _, dynamically := obj.(*unstructured.Unstructured); !dynamically {
				want(t, "kind", got.GetObjectKind().GroupVersionKind(), example.GetObjectKind().GroupVersionKind())
			}
			switch got := got.(type) {
			case *corev1.ConfigMap:
				want(t, "data", got.Data["k"], "v")
			case *unstructured.Unstructured:
				data, _, _ := unstructured.NestedString(got.Object, "data", "k")
				want(t, "data", data, "v")
			}
		}
		if _, err := f.copyOf(&corev1.Service{}); err == nil {
			t.Errorf("a service for %T", example)
		}
	}
}

// A bookmark moves the store without an event: it is seen at the next sweep.
func TestABookmarkEmptiesTheOverlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub()
		tracker := newTracker(t, s, Config{})
		mustNot(t, tracker.Created(configMap("never heard of", "0", 4, "red")))
		time.Sleep(giveUp + 2*defaultSweep)
		want(t, "waiting, in a store without versions", tracker.Stats().Waiting, 0)
		s.bookmark(1)
		mustNot(t, tracker.Created(configMap("a", "1", 5, "red")))
		time.Sleep(time.Hour)
		want(t, "waiting", tracker.Stats().Waiting, 1)
		want(t, "age", time.Since(tracker.Stats().Oldest), time.Hour)
		s.bookmark(6) // it was created, and deleted by others, while the watch was cut
		time.Sleep(defaultSweep)
		synctest.Wait()
		want(t, "waiting", tracker.Stats().Waiting, 0)
		want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "none")
		s.stopped = true
		mustNot(t, tracker.Created(configMap("a", "1", 7, "red")))
		want(t, "Get after the informer has stopped", show(t, tracker.Indexer(), "ns/a"), "a@7")
	})
}

func TestATransformIsAppliedAndTheAnswerLeftAlone(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{Transform: func(obj any) (any, error) {
		c := obj.(*corev1.ConfigMap)
		switch c.Name {
		case "panic":
			panic("no")
		case "nil":
			return nil, nil
		case "bare": // a transform may take everything
			c.ObjectMeta = metav1.ObjectMeta{Namespace: "ns", Name: "bare"}
		}
		c.ManagedFields = nil
		return c, nil
	}})
	answer := configMap("a", "1", 5, "red")
	answer.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
	mustNot(t, tracker.Created(answer))
	if len(answer.ManagedFields) != 1 {
		t.Error("the caller's object was changed")
	}
	answer.Data = map[string]string{"mine": "now"}
	obj, _, _ := tracker.Indexer().GetByKey("ns/a")
	if c := obj.(*corev1.ConfigMap); c.ManagedFields != nil || c.Data != nil {
		t.Error(c)
	}
	for _, name := range []string{"panic", "nil"} {
		if err := tracker.Created(configMap(name, name, 6, "red")); err == nil {
			t.Error(name)
		}
	}
	mustNot(t, tracker.Created(configMap("bare", "2", 8, "red")))
	want(t, "Get", show(t, tracker.Indexer(), "ns/bare"), "bare@")
	s.bookmark(8)
	tracker.settleAll()
	want(t, "waiting", tracker.Stats().Waiting, 0)
}

// What the store could not decode is older than it says.
func TestAnUndecodableStateDoesNotHideTheOwnOne(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	s.put(configMap("a", "1", 5, "red"))
	mustNot(t, tracker.Updated(configMap("a", "1", 7, "red"), "5"))
	s.bookmark(9)
	tracker.settleAll()
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "a@7")
}

func TestTheViewIsReadOnly(t *testing.T) {
	s := newStub()
	view := newTracker(t, s, Config{}).Indexer()
	for _, err := range []error{view.Add(nil), view.Update(nil), view.Delete(nil), view.Replace(nil, "")} {
		if !errors.Is(err, ErrReadOnly) {
			t.Error(err)
		}
	}
	func() {
		defer func() { want(t, "Bookmark", recover(), any(ErrReadOnly)) }()
		view.Bookmark("1")
	}()
	mustNot(t, view.Resync())
	mustNot(t, view.AddIndexers(cache.Indexers{"more": cache.MetaNamespaceIndexFunc}))
	want(t, "indexers", len(view.GetIndexers()), 3)
	s.bookmark(3)
	want(t, "version", view.LastStoreSyncResourceVersion(), "3")
}

// Errors are those of the store, whether something waits or not.
func TestErrorsAreThoseOfTheStore(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	errs := func(i cache.Indexer) []string {
		var out []string
		note := func(_ any, err error) { out = append(out, strings.TrimSpace(fmt.Sprint(err))) }
		note(i.ByIndex("nope", "x"))
		note(i.IndexKeys("nope", "x"))
		note(i.Index("nope", configMap("a", "", 1, "red")))
		note(i.Index(byColor, configMap("a", "", 1, "")))
		note(i.Index(byColor, configMap("a", "", 1, "panic")))
		_, _, err := i.Get(7)
		note(nil, err)
		_, _, err = i.GetByKey("a/b/c")
		note(nil, err)
		note(nil, fmt.Errorf("%v", i.ListIndexFuncValues("nope")))
		return out
	}
	before := errs(s.store)
	want(t, "empty", errs(tracker.Indexer()), before)
	mustNot(t, tracker.Created(configMap("a", "1", 5, "panic")))
	want(t, "waiting", errs(tracker.Indexer()), before)
}

func TestAllocs(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	for n := range 100 {
		s.put(configMap(fmt.Sprint(n), fmt.Sprint(n), n+1, "red"))
	}
	count := func(i cache.Indexer) []float64 {
		obj := configMap("7", "7", 8, "red")
		lister := cache.NewTypedLister[*corev1.ConfigMap](i, configMaps.GroupResource()).ByNamespace("ns")
		return []float64{
			testing.AllocsPerRun(100, func() { _, _, _ = i.GetByKey("ns/7") }),
			testing.AllocsPerRun(100, func() { _, _, _ = i.Get(obj) }),
			testing.AllocsPerRun(100, func() { _ = i.List() }),
			testing.AllocsPerRun(100, func() { _, _ = i.ByIndex(byColor, "red") }),
			testing.AllocsPerRun(100, func() { _, _ = lister.List(labels.Everything()) }),
		}
	}
	store, view := count(s.store), count(tracker.Indexer())
	for i := range store {
		if view[i] > store[i] {
			t.Errorf("read %d: %v allocations, and %v by the store", i, view[i], store[i])
		}
	}
	mustNot(t, tracker.Created(configMap("x", "x", 1000, "red")))
	if n := testing.AllocsPerRun(100, func() { _, _, _ = tracker.Indexer().GetByKey("ns/x") }); n > 0 {
		t.Errorf("%v allocations for an own write", n)
	}
}
