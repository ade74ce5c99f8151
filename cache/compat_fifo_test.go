package cache

import (
	"testing"
	"testing/synctest"
)

func TestFIFOHandsOutTheNewestStateOnce(t *testing.T) {
	f := NewFIFO(MetaNamespaceKeyFunc)
	a2 := pod("", "a", "2")
	mustNot(t, f.Add(pod("", "a", "1")))
	mustNot(t, f.Add(pod("", "b", "1")))
	mustNot(t, f.Update(a2))
	mustNot(t, f.AddIfNotPresent(pod("", "a", "3")))
	mustNot(t, f.Delete(pod("", "b", "")))
	wantEqual(t, "keys", f.ListKeys(), []string{"a"})
	wantEqual(t, "list", f.List(), []any{a2})
	got, exists, err := f.Get(a2)
	wantEqual(t, "get", got == any(a2) && exists && err == nil, true)
	mustNot(t, f.Resync())
	wantEqual(t, "popped", Pop(f), any(a2))
	f.Close()
	_, err = f.Pop(nil)
	wantEqual(t, "error", err, ErrFIFOClosed)
}

func TestFIFOHasSyncedWhenTheFirstListWasProcessed(t *testing.T) {
	f := NewFIFO(MetaNamespaceKeyFunc)
	mustNot(t, f.Replace([]any{pod("", "a", "1"), pod("", "a", "2"), pod("", "b", "1"), pod("", "c", "1")}, ""))
	mustNot(t, f.Delete(pod("", "b", "")))
	for range 2 {
		wantEqual(t, "synced", f.HasSynced(), false)
		_, err := f.Pop(func(_ any, isInInitialList bool) error {
			wantEqual(t, "isInInitialList", isInInitialList, true)
			wantEqual(t, "done while processing", IsDone(f), false)
			return nil
		})
		mustNot(t, err)

	}
	wantEqual(t, "synced", f.HasSynced(), true)
}

func TestFIFOPutsBackWhatIsToBeRequeued(t *testing.T) {
	f := NewFIFO(MetaNamespaceKeyFunc)
	a := pod("", "a", "1")
	mustNot(t, f.Add(a))
	mustNot(t, f.Add(pod("", "b", "1")))
	_, err := f.Pop(func(any, bool) error { return ErrRequeue{Err: errBad} })
	wantEqual(t, "error", err, errBad)
	Pop(f)
	wantEqual(t, "popped", Pop(f), any(a))
}

func TestFIFOWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFIFO(MetaNamespaceKeyFunc)
		popped := make(chan any)
		go func() { popped <- Pop(f) }()
		synctest.Wait()
		a := pod("", "a", "1")
		mustNot(t, f.Add(a))
		wantEqual(t, "popped", <-popped, any(a))
	})
}

func TestUndeltaStorePushesEverythingAfterEachChange(t *testing.T) {
	var pushed [][]string
	u := NewUndeltaStore(func(list []any) { pushed = append(pushed, namesOf(list)) }, MetaNamespaceKeyFunc)
	mustNot(t, u.Add(pod("", "a", "")))
	mustNot(t, u.Update(pod("", "b", "")))
	mustNot(t, u.Delete(pod("", "a", "")))
	mustNot(t, u.Replace([]any{pod("", "c", "")}, ""))
	wantError(t, u.Add("no key"), "couldn't create key")
	wantEqual(t, "pushed", pushed, [][]string{{"a"}, {"a", "b"}, {"b"}, {"c"}})
}

func TestFakeCustomStoreCallsWhatIsThere(t *testing.T) {
	var empty FakeCustomStore
	_, exists, err := empty.Get(nil)
	_, exists2, err2 := empty.GetByKey("")
	empty.Bookmark("1")
	for _, e := range []error{empty.Add(1), empty.Update(1), empty.Delete(1), empty.Replace(nil, ""), empty.Resync(), err, err2} {
		mustNot(t, e)
	}
	wantEqual(t, "nothing", exists || exists2 || empty.List() != nil || empty.ListKeys() != nil || empty.LastStoreSyncResourceVersion() != "", false)
	full := FakeCustomStore{
		AddFunc: func(any) error { return errBad }, ListFunc: func() []any { return []any{1} },
		LastStoreSyncResourceVersionFunc: func() string { return "7" },
	}
	wantEqual(t, "error", full.Add(1), errBad)
	wantEqual(t, "list", full.List(), []any{1})
	wantEqual(t, "version", full.LastStoreSyncResourceVersion(), "7")
}
