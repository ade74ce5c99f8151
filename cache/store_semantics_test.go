package cache

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Points 4 to 9 of what client-go's users rely on.

func podIndexer(more Indexers) Indexer {
	x := Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "app": byApp}
	for name, f := range more {
		x[name] = f
	}
	return NewIndexer(MetaNamespaceKeyFunc, x)
}

func TestGetAndListReturnTheStoredPointers(t *testing.T) {
	s := NewStore(MetaNamespaceKeyFunc)
	p := pod("ns", "a", "1")
	mustNot(t, s.Add(p))
	got, exists, err := s.Get(pod("ns", "a", ""))
	if got != any(p) || !exists || err != nil || s.List()[0] != any(p) {
		t.Errorf("got %v, %v, %v", got, exists, err)
	}
	wantEqual(t, "keys", s.ListKeys(), []string{"ns/a"})
	got, exists, err = s.GetByKey("ns/b")
	if got != nil || exists || err != nil {
		t.Errorf("got %v, %v, %v for a key that is not there", got, exists, err)
	}
}

func TestAListBelongsToTheCaller(t *testing.T) {
	s := podIndexer(nil)
	for _, name := range []string{"a", "b", "c"} {
		mustNot(t, s.Add(pod("ns", name, "")))
	}
	list := s.List()
	slices.Reverse(list)
	clear(append(list, nil)[:1])
	byIndex, _ := s.ByIndex(NamespaceIndex, "ns")
	clear(byIndex)
	wantEqual(t, "names", namesOf(s.List()), []string{"a", "b", "c"})
}

func TestReplaceSwapsEverythingAndRebuildsAllIndexes(t *testing.T) {
	s := podIndexer(nil)
	mustNot(t, s.Add(labelled(pod("old", "a", "1"), "app", "x")))
	mustNot(t, s.Replace([]any{labelled(pod("new", "b", "2"), "app", "y")}, "7"))
	wantEqual(t, "keys", s.ListKeys(), []string{"new/b"})
	wantEqual(t, "apps", s.ListIndexFuncValues("app"), []string{"y"})
	wantEqual(t, "namespaces", s.ListIndexFuncValues(NamespaceIndex), []string{"new"})
	wantEqual(t, "version", s.LastStoreSyncResourceVersion(), "7")
}

func TestOfTwoObjectsWithOneKeyTheLaterStaysAfterReplace(t *testing.T) {
	s := podIndexer(nil)
	later := labelled(pod("ns", "a", "2"), "app", "y")
	mustNot(t, s.Replace([]any{labelled(pod("ns", "a", "1"), "app", "x"), later}, "3"))
	wantEqual(t, "list", s.List(), []any{later})
	wantEqual(t, "apps", s.ListIndexFuncValues("app"), []string{"y"})
}

func TestAnIndexFollowsEveryChange(t *testing.T) {
	s := podIndexer(nil)
	p := labelled(pod("ns", "a", "1"), "app", "x y")
	mustNot(t, s.Add(p))
	mustNot(t, s.Update(labelled(pod("ns", "a", "2"), "app", "y z")))
	for value, want := range map[string]int{"x": 0, "y": 1, "z": 1} {
		got, err := s.ByIndex("app", value)
		mustNot(t, err)
		wantEqual(t, value, len(got), want)
	}
	mustNot(t, s.Delete(p))
	wantEqual(t, "values after Delete", s.ListIndexFuncValues("app"), []string{})
}

// The old values are remembered, not computed again from an object that someone may have changed.
func TestAnObjectThatWasChangedInPlaceLeavesNoStaleValue(t *testing.T) {
	s := podIndexer(nil)
	p := labelled(pod("ns", "a", "1"), "app", "x")
	mustNot(t, s.Add(p))
	p.Labels["app"] = "y"
	mustNot(t, s.Update(p))
	wantEqual(t, "values", s.ListIndexFuncValues("app"), []string{"y"})
	p.Labels["app"] = "z"
	mustNot(t, s.Delete(p))
	wantEqual(t, "values after Delete", s.ListIndexFuncValues("app"), []string{})
	mustNot(t, s.(*cache).table.Verify())
}

func TestAnUnknownIndexIsAnErrorAndAnUnknownValueIsNot(t *testing.T) {
	s := podIndexer(nil)
	_, err := s.ByIndex("none", "x")
	wantError(t, err, "Index with name none does not exist")
	_, err = s.IndexKeys("none", "x")
	wantError(t, err, "Index with name none does not exist")
	_, err = s.Index("none", pod("ns", "a", ""))
	wantError(t, err, "Index with name none does not exist")
	got, err := s.ByIndex("app", "x")
	if got == nil || len(got) != 0 || err != nil {
		t.Errorf("got %v, %v for an unknown value", got, err)
	}
	wantEqual(t, "values of an unknown index", s.ListIndexFuncValues("none"), []string{})
}

func TestIndexKeysAreSorted(t *testing.T) {
	s := podIndexer(nil)
	for _, name := range []string{"c", "a", "d", "b"} {
		mustNot(t, s.Add(pod("ns", name, "")))
	}
	keys, err := s.IndexKeys(NamespaceIndex, "ns")
	mustNot(t, err)
	wantEqual(t, "keys", keys, []string{"ns/a", "ns/b", "ns/c", "ns/d"})
}

func TestIndexReturnsEachObjectOnceThatSharesAValue(t *testing.T) {
	s := podIndexer(nil)
	for name, app := range map[string]string{"a": "x y", "b": "y z", "c": "z", "d": "w"} {
		mustNot(t, s.Add(labelled(pod("ns", name, ""), "app", app)))
	}
	for app, want := range map[string][]string{"x y": {"a", "b"}, "z": {"b", "c"}, "": {}, "x y z w": {"a", "b", "c", "d"}} {
		got, err := s.Index("app", labelled(pod("", "", ""), "app", app))
		mustNot(t, err)
		wantEqual(t, app, namesOf(got), want)
	}
}

func TestIndexersCanBeAddedToAStoreWithObjects(t *testing.T) {
	s := NewIndexer(MetaNamespaceKeyFunc, nil)
	for i := range 600 { // more than two steps of the filling
		mustNot(t, s.Add(labelled(pod("ns", string(rune('a'+i%26))+string(rune('a'+i/26)), ""), "app", "x")))
	}
	mustNot(t, s.AddIndexers(Indexers{"app": byApp}))
	got, err := s.ByIndex("app", "x")
	mustNot(t, err)
	wantEqual(t, "objects", len(got), 600)
	mustNot(t, s.(*cache).table.Verify())
}

func TestAnIndexerWhoseNameIsTakenIsRefusedWithAllOthers(t *testing.T) {
	s := podIndexer(nil)
	wantError(t, s.AddIndexers(Indexers{"app": byApp, "new": byApp}), "indexer conflict: [app]")
	if len(s.GetIndexers()) != 2 {
		t.Errorf("indexers %v", s.GetIndexers())
	}
}

func TestTheStoresVersionIsThatOfTheLastWrite(t *testing.T) {
	s := NewThreadSafeStore(nil, nil).(ThreadSafeStoreWithTransaction)
	want := func(version string) {
		t.Helper()
		wantEqual(t, "version", s.LastStoreSyncResourceVersion(), version)
	}
	want("")
	s.Add("a", pod("", "a", "1"))
	want("1")
	s.Update("a", pod("", "a", "2"))
	want("2")
	s.DeleteWithObject("a", pod("", "a", "3"))
	want("3")
	s.Add("b", "an object without metadata")
	want("3")
	s.Delete("b")
	want("3")
	s.Bookmark("4")
	want("4")
	s.Replace(map[string]any{"c": pod("", "c", "1")}, "5")
	want("5")
	s.Transaction(
		ThreadSafeStoreTransaction{Transaction{pod("", "c", "9"), TransactionTypeUpdate}, "c"},
		ThreadSafeStoreTransaction{Transaction{pod("", "c", "8"), TransactionTypeDelete}, "c"},
	)
	want("8")
	s.Transaction()
	want("8")
	wantEqual(t, "objects", len(s.List()), 0)
}

func TestATransactionLeavesOutWhatHasNoKey(t *testing.T) {
	s := podIndexer(nil)
	mustNot(t, s.Add(pod("ns", "old", "1")))
	err := s.(TransactionStore).Transaction(
		Transaction{pod("ns", "a", "2"), TransactionTypeAdd},
		Transaction{"no key", TransactionTypeAdd},
		Transaction{pod("ns", "old", "3"), TransactionTypeDelete},
	)
	if err == nil || err.TotalTransactions != 3 || len(err.Errors) != 1 || !slices.Equal(err.SuccessfulIndices, []int{0, 2}) {
		t.Fatalf("error %+v", err)
	}
	if _, ok := errors.AsType[KeyError](err); !ok {
		t.Errorf("error %v has no KeyError", err)
	}
	wantEqual(t, "keys", s.ListKeys(), []string{"ns/a"})
	if err := s.(TransactionStore).Transaction(Transaction{pod("ns", "b", "4"), TransactionTypeAdd}); err != nil {
		t.Error(err)
	}
}

func TestATransformerChangesWhatIsStoredButNotTheKey(t *testing.T) {
	rename := func(obj any) (any, error) {
		if obj.(*corev1.Pod).Name == "bad" {
			return nil, errBad
		}
		return pod("", "transformed", "1"), nil
	}
	s := NewStore(MetaNamespaceKeyFunc, WithTransformer(rename))
	mustNot(t, s.Add(pod("ns", "a", "")))
	mustNot(t, s.Replace([]any{pod("ns", "a", ""), pod("ns", "b", "")}, "2"))
	got, _, _ := s.GetByKey("ns/b")
	wantEqual(t, "name", got.(*corev1.Pod).Name, "transformed")
	wantError(t, s.Update(pod("ns", "bad", "")), "transforming: bad object")
	wantError(t, s.Replace([]any{pod("ns", "bad", "")}, "3"), "transforming: bad object")
	wantEqual(t, "objects", len(s.List()), 2)
}
