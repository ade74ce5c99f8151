package cache

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func failsWith(name, how string) *corev1.Pod { return labelled(pod("ns", name, "1"), "fail", how) }

// An index function that fails leaves its object out of its index, and disturbs nothing else.
func TestAFailingIndexFunctionIsAnErrorThatNamesKeyAndIndex(t *testing.T) {
	for _, how := range []string{"error", "panic"} {
		s := podIndexer(Indexers{"failing": failing})
		mustNot(t, s.Add(failsWith("a", "")))
		bad := failsWith("a", how)
		for name, do := range map[string]func() error{
			"Add":         func() error { return s.Add(bad) },
			"Update":      func() error { return s.Update(bad) },
			"Replace":     func() error { return s.Replace([]any{bad}, "5") },
			"Transaction": func() error { return s.(TransactionStore).Transaction(Transaction{bad, TransactionTypeUpdate}) },
		} {
			err := do()
			wantError(t, err, `unable to calculate an index entry for key "ns/a" on index "failing"`)
			if x, ok := errors.AsType[IndexError](err); !ok || x.Key != "ns/a" || x.Index != "failing" {
				t.Errorf("%s: %v is no IndexError", name, err)
			}
			if got, _, _ := s.GetByKey("ns/a"); got != any(bad) {
				t.Errorf("%s: the object was not stored", name)
			}
			if got, _ := s.ByIndex(NamespaceIndex, "ns"); len(got) != 1 {
				t.Errorf("%s: the object is not in the other indexes", name)
			}
			wantEqual(t, name+": values", s.ListIndexFuncValues("failing"), []string{})
			mustNot(t, s.(*cache).table.Verify())
			mustNot(t, s.Update(failsWith("a", "")))
			wantEqual(t, name+": values when it is well again", s.ListIndexFuncValues("failing"), []string{"fine"})
		}
	}
}

func TestAThreadSafeStorePanicsWhenItIsConsistentAgain(t *testing.T) {
	s := NewThreadSafeStore(Indexers{"failing": failing}, nil)
	sentence := `unable to calculate an index entry for key "k" on index "failing": bad object`
	wantPanic(t, sentence, func() { s.Add("k", failsWith("a", "error")) })
	wantPanic(t, sentence, func() { s.Replace(map[string]any{"k": failsWith("a", "error")}, "1") })
	mustNot(t, s.(*threadSafeMap).table.Verify())
	if _, ok := s.Get("k"); !ok {
		t.Error("the object was not stored")
	}
	s.Delete("k")
}

func TestAddIndexersNamesObjectsForWhichItFails(t *testing.T) {
	s := podIndexer(nil)
	for i := range 100 {
		mustNot(t, s.Add(failsWith(fmt.Sprint("bad", i), "panic")))
	}
	mustNot(t, s.Add(failsWith("good", "")))
	err := s.AddIndexers(Indexers{"failing": failing})
	wantError(t, err, "index function panicked: boom")
	wantError(t, err, "and 90 objects more")
	keys, err := s.IndexKeys("failing", "fine")
	mustNot(t, err)
	wantEqual(t, "keys", keys, []string{"ns/good"})
	mustNot(t, s.(*cache).table.Verify())
}

func TestIndexWithAFailingFunctionIsAnError(t *testing.T) {
	s := podIndexer(Indexers{"failing": failing})
	_, err := s.Index("failing", failsWith("a", "panic"))
	wantError(t, err, "index function panicked: boom")
	_, err = s.Index("failing", failsWith("a", "error"))
	wantError(t, err, "bad object")
}

func TestAnObjectMayHaveThousandsOfValues(t *testing.T) {
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprint("v", (i*7919)%2500) // each twice, not sorted
	}
	s := NewIndexer(MetaNamespaceKeyFunc, Indexers{"many": func(obj any) ([]string, error) {
		if obj.(*corev1.Pod).Labels["few"] != "" {
			return many[:3], nil
		}
		return many, nil
	}})
	for i := range 5 {
		mustNot(t, s.Add(pod("ns", fmt.Sprint(i), "")))
	}
	wantEqual(t, "values", len(s.ListIndexFuncValues("many")), 2500)
	mustNot(t, s.(*cache).table.Verify())
	for i := range 4 {
		mustNot(t, s.Update(labelled(pod("ns", fmt.Sprint(i), ""), "few", "yes")))
	}
	mustNot(t, s.(*cache).table.Verify())
	mustNot(t, s.Delete(pod("ns", "4", "")))
	wantEqual(t, "values", len(s.ListIndexFuncValues("many")), 3)
	mustNot(t, s.(*cache).table.Verify())
	wantEqual(t, "the function's own slice", many[1], "v419")
}

// The function runs without the lock, so it may look into the store.
func TestAnIndexFunctionMayUseTheStore(t *testing.T) {
	var s Indexer
	s = NewIndexer(MetaNamespaceKeyFunc, Indexers{"siblings": func(any) ([]string, error) {
		return []string{fmt.Sprint(len(s.List()))}, nil
	}})
	mustNot(t, s.Add(pod("ns", "a", "")))
	mustNot(t, s.Add(pod("ns", "b", "")))
	wantEqual(t, "values", len(s.ListIndexFuncValues("siblings")), 2)
}

func TestNilObjectsAreStoredAndNotIndexed(t *testing.T) {
	s := NewThreadSafeStore(Indexers{NamespaceIndex: MetaNamespaceIndexFunc}, nil)
	s.Add("k", nil)
	if got, ok := s.Get("k"); got != nil || !ok {
		t.Errorf("got %v, %v", got, ok)
	}
	wantEqual(t, "list", s.List(), []any{nil})
	wantPanic(t, "object has no meta: it is a nil pointer", func() { s.Add("k", (*corev1.Pod)(nil)) })
	mustNot(t, s.(*threadSafeMap).table.Verify())
}

func TestAMapIsAnObjectLikeAnyOther(t *testing.T) { // it cannot be compared
	s := NewThreadSafeStore(nil, nil)
	s.Add("k", map[string]int{"a": 1})
	s.Add("k", map[string]int{"a": 2})
	mustNot(t, s.AddIndexers(Indexers{"x": func(any) ([]string, error) { return []string{"x"}, nil }}))
	wantEqual(t, "list", s.List(), []any{map[string]int{"a": 2}})
}
