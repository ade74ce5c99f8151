package cache

import (
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
)

// Points 11 to 19 of what client-go's users rely on.

// known is a store that a DeltaFIFO may ask.
func known(objs ...any) Store {
	s := NewStore(MetaNamespaceKeyFunc)
	_ = s.Replace(objs, "") // pods have keys
	return s
}

func fifoOver(objs ...any) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: known(objs...), EmitDeltaTypeReplaced: true})
}

// popAll takes everything out without waiting.
func popAll(t *testing.T, q Queue, more func() int) (out []Deltas) {
	t.Helper()
	for more() > 0 {
		got, err := q.Pop(func(any, bool) error { return nil })
		mustNot(t, err)
		out = append(out, got.(Deltas))
	}
	return out
}

func (f *DeltaFIFO) length() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue.Len()
}

func TestKeysLeaveInTheOrderInWhichTheyFirstChanged(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	a1, b1, a2 := pod("", "a", "1"), pod("", "b", "2"), pod("", "a", "3")
	mustNot(t, f.Add(a1))
	mustNot(t, f.Add(b1))
	mustNot(t, f.Update(a2))
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Added, a1}, {Updated, a2}}, {{Added, b1}}})
}

func TestOnlyADeletionAfterADeletionIsLeftOut(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	p, q := pod("", "a", "1"), pod("", "a", "2")
	unknown := DeletedFinalStateUnknown{Key: "a"}
	for range 2 {
		mustNot(t, f.Update(p)) // the same update twice is two updates
	}
	mustNot(t, f.Delete(unknown))
	mustNot(t, f.Delete(p))       // knows more than the one before
	mustNot(t, f.Delete(unknown)) // knows less
	mustNot(t, f.Delete(q))       // knows as much, and the older stays
	mustNot(t, f.Add(q))
	mustNot(t, f.Delete(q))
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Updated, p}, {Updated, p}, {Deleted, p}, {Added, q}, {Deleted, q}}})
}

func TestADeletionOfWhatIsNeitherKnownNorQueuedIsDropped(t *testing.T) {
	a, b := pod("", "a", "1"), pod("", "b", "1")
	f := fifoOver(a)
	mustNot(t, f.Delete(b))
	wantEqual(t, "queued", f.length(), 0)
	mustNot(t, f.Delete(a)) // known
	mustNot(t, f.Add(b))
	mustNot(t, f.Delete(b)) // queued
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Deleted, a}}, {{Added, b}, {Deleted, b}}})
	f = NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	mustNot(t, f.Delete(a))
	wantEqual(t, "queued without known objects", f.length(), 0)
}

func TestReplaceQueuesTheListAndThenDeletionsOfAllElse(t *testing.T) {
	gone, stays, queued, tomb := pod("", "gone", "1"), pod("", "stays", "1"), pod("", "queued", "1"), pod("", "tomb", "1")
	f := fifoOver(gone, stays, tomb)
	mustNot(t, f.Add(queued))
	mustNot(t, f.Delete(DeletedFinalStateUnknown{"tomb", tomb}))
	fresh := pod("", "stays", "2")
	mustNot(t, f.Replace([]any{fresh}, "9"))
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{
		{{Added, queued}, {Deleted, DeletedFinalStateUnknown{"queued", queued}}},
		{{Deleted, DeletedFinalStateUnknown{"tomb", tomb}}}, // unwrapped, not a tombstone in a tombstone
		{{Replaced, fresh}},
		{{Deleted, DeletedFinalStateUnknown{"gone", gone}}},
	})
}

func TestReplaceQueuesSyncUnlessTheConsumerKnowsReplaced(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	a := pod("", "a", "1")
	mustNot(t, f.Replace([]any{a}, ""))
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Sync, a}}})
}

func TestAKnownKeyWithoutAnObjectIsDeletedWithoutOne(t *testing.T) {
	for _, err := range []error{nil, errBad} {
		store := &FakeCustomStore{
			ListKeysFunc: func() []string { return []string{"a"} },
			GetByKeyFunc: func(string) (any, bool, error) { return "ignored", false, err },
		}
		f := NewDeltaFIFO(MetaNamespaceKeyFunc, store)
		mustNot(t, f.Replace(nil, ""))
		wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Deleted, DeletedFinalStateUnknown{Key: "a"}}}})
		mustNot(t, f.Resync())
		wantEqual(t, "queued by Resync", f.length(), 0)
	}
}

func TestItHasSyncedWhenTheFirstListWasPopped(t *testing.T) {
	f := fifoOver(pod("", "gone", "1"))
	wantEqual(t, "synced when new", f.HasSynced(), false)
	mustNot(t, f.Replace([]any{pod("", "a", "1"), pod("", "a", "2"), pod("", "b", "1")}, ""))
	mustNot(t, f.Add(pod("", "c", "1"))) // does not count
	for i := range 4 {
		wantEqual(t, "synced", f.HasSynced(), i == 3) // a, b and the deletion
		_, err := f.Pop(func(_ any, isInInitialList bool) error {
			wantEqual(t, "isInInitialList", isInInitialList, i < 3)
			// The count goes down before the last item is processed.
			wantEqual(t, "done while processing", IsDone(f.HasSyncedChecker()), i >= 2)
			return nil
		})
		mustNot(t, err)
	}
	wantEqual(t, "synced at the end", f.HasSynced(), true)
}

func TestItHasSyncedAtOnceIfAnythingElseCameFirst(t *testing.T) {
	for name, do := range map[string]func(*DeltaFIFO) error{
		"Add":             func(f *DeltaFIFO) error { return f.Add(pod("", "a", "")) },
		"Update":          func(f *DeltaFIFO) error { return f.Update(pod("", "a", "")) },
		"Delete":          func(f *DeltaFIFO) error { return f.Delete(pod("", "a", "")) },
		"AddIfNotPresent": func(f *DeltaFIFO) error { return f.AddIfNotPresent(Deltas{{Added, pod("", "a", "")}}) },
		"empty Replace":   func(f *DeltaFIFO) error { return f.Replace(nil, "") },
	} {
		f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
		mustNot(t, do(f))
		wantEqual(t, name, f.HasSynced(), true)
		mustNot(t, f.Replace([]any{pod("", "b", "")}, ""))
		wantEqual(t, name+", and a list later", f.HasSynced(), true)
	}
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	mustNot(t, f.Bookmark("1"))
	wantEqual(t, "a bookmark is no item", f.HasSynced(), false)
}

func TestPopWaitsAndEndsWhenTheQueueIsClosedAndEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
		popped := make(chan any)
		go func() { popped <- Pop(f) }()
		synctest.Wait()
		a := pod("", "a", "1")
		mustNot(t, f.Add(a))
		wantEqual(t, "popped", <-popped, any(Deltas{{Added, a}}))

		mustNot(t, f.Add(a))
		f.Close()
		wantEqual(t, "closed", f.IsClosed(), true)
		wantEqual(t, "left behind", Pop(f), any(Deltas{{Added, a}}))
		_, err := f.Pop(nil)
		wantEqual(t, "error", err, ErrFIFOClosed)
	})
}

func TestNothingIsQueuedWhileProcessRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
		mustNot(t, f.Add(pod("", "a", "1")))
		_, err := f.Pop(func(any, bool) error {
			go func() { mustNot(t, f.Add(pod("", "b", "1"))) }()
			if f.queue.Len() != 0 { // read without the lock, which this goroutine has
				t.Error("queued while process was running")
			}
			return nil
		})
		mustNot(t, err)
		synctest.Wait()
		wantEqual(t, "keys", f.ListKeys(), []string{"b"})
	})
}

func TestAPanicInProcessDoesNotKeepTheLock(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	mustNot(t, f.Add(pod("", "a", "1")))
	wantPanic(t, "boom", func() { _, _ = f.Pop(func(any, bool) error { panic("boom") }) })
	mustNot(t, f.verify())
}

func TestWhatIsToBeRequeuedIsPutBackUnlessThereIsSomethingNewer(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	a, b := pod("", "a", "1"), pod("", "b", "1")
	mustNot(t, f.Add(a))
	mustNot(t, f.Add(b))
	got, err := f.Pop(func(any, bool) error { return ErrRequeue{Err: errBad} })
	wantEqual(t, "popped", got.(Deltas), Deltas{{Added, a}})
	wantEqual(t, "error", err, errBad)
	wantEqual(t, "keys", f.ListKeys(), []string{"b", "a"})
	_, err = f.Pop(func(any, bool) error { return ErrRequeue{} })
	mustNot(t, err)
	mustNot(t, f.AddIfNotPresent(Deltas{{Updated, a}})) // there is something already
	mustNot(t, f.AddIfNotPresent(Deltas{{Updated, pod("", "c", "1")}}))
	wantEqual(t, "keys", f.ListKeys(), []string{"a", "b", "c"})
	deltas, exists, err := f.Get(a)
	wantEqual(t, "deltas", deltas.(Deltas), Deltas{{Added, a}})
	wantEqual(t, "exists", exists && err == nil, true)
	wantEqual(t, "list", f.List()[:2], []any{a, b})
	wantError(t, f.AddIfNotPresent(a), "object must be of type deltas")
	wantError(t, f.AddIfNotPresent(Deltas{}), "0 length Deltas object")
	mustNot(t, f.verify())
}

func TestResyncQueuesWhatIsKnownAndNotQueued(t *testing.T) {
	a, b := pod("", "a", "1"), pod("", "b", "1")
	f := fifoOver(a, b)
	newer := pod("", "a", "2")
	mustNot(t, f.Update(newer))
	mustNot(t, f.Resync())
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Updated, newer}}, {{Sync, b}}})
	f = NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	mustNot(t, f.Resync())
	wantEqual(t, "queued without known objects", f.length(), 0)
}

func TestTheTransformerSeesEachObjectOnceAndNoTombstone(t *testing.T) {
	calls := map[string]int{}
	store := known(pod("", "known", "1"))
	f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: store, Transformer: func(obj any) (any, error) {
		p := obj.(*corev1.Pod)
		calls[p.Name]++
		if p.Name == "bad" {
			return nil, errBad
		}
		return pod("", p.Name, "transformed"), nil
	}})
	mustNot(t, f.Resync())
	mustNot(t, f.Add(pod("", "added", "1")))
	mustNot(t, f.Delete(pod("", "added", "1")))
	mustNot(t, f.Replace([]any{pod("", "listed", "1")}, ""))
	wantEqual(t, "calls", calls, map[string]int{"added": 2, "listed": 1})
	wantEqual(t, "what was added", f.items.Get("added").deltas[0].Object.(*corev1.Pod).ResourceVersion, "transformed")
	before := f.length()
	for _, err := range []error{f.Add(pod("", "bad", "1")), f.Replace([]any{pod("", "fine", "1"), pod("", "bad", "1")}, "")} {
		wantError(t, err, "bad object")
	}
	wantEqual(t, "queued", f.length(), before)
	mustNot(t, f.verify())
}

func TestKeyOfLooksIntoDeltasAndTombstones(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	for _, obj := range []any{
		pod("", "a", ""), DeletedFinalStateUnknown{Key: "a"}, Deltas{{Added, pod("", "old", "")}, {Added, pod("", "a", "")}},
		Deltas{{Deleted, DeletedFinalStateUnknown{Key: "a"}}},
	} {
		key, err := f.KeyOf(obj)
		mustNot(t, err)
		wantEqual(t, "key", key, "a")
	}
	_, err := f.KeyOf(Deltas{})
	wantError(t, err, ErrZeroLengthDeltasObject.Error())
}
