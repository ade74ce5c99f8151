package cache

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// The sentences are those of docs/compatibility.md; the numbers in comments are of client-go's behaviours there.

func TestAHandlerHearsOfTheFirstListAndThenOfEachChange(t *testing.T) { // 27, 28, 36
	s := newStage(pod("ns", "a", "1"), pod("ns", "b", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		d := &diary{}
		r := listen(t, i, d, HandlerOptions{})
		wantEqual(t, "first", d.read(), []string{"initially a@1", "initially b@1"})
		wantEqual(t, "synced", []bool{i.HasSynced(), r.HasSynced()}, []bool{true, true})
		s.current().Add(pod("ns", "c", "2"))
		s.current().Modify(pod("ns", "a", "3"))
		s.current().Delete(pod("ns", "b", "4"))
		synctest.Wait()
		wantEqual(t, "then", d.read(), []string{"add c@2", "update a@1 to a@3", "delete b@4"})
		wantEqual(t, "version", i.LastSyncResourceVersion(), "4")
		wantEqual(t, "version of the store", i.GetStore().LastStoreSyncResourceVersion(), "4")
		wantEqual(t, "in the store", namesOf(i.GetStore().List()), []string{"a", "c"})
	})
}

func TestARelistTellsOfWhatChangedAndOfDeletionsFirst(t *testing.T) { // 29, and only what changed
	s := newStage(uid("same", "1", "u1"), uid("changed", "1", "u2"), uid("gone", "1", "u3"), uid("reborn", "1", "u4"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		d := &diary{}
		listen(t, i, d, HandlerOptions{})
		d.read()
		before, _, _ := i.GetStore().GetByKey("ns/same")
		s.set("9", uid("same", "1", "u1"), uid("changed", "8", "u2"), uid("reborn", "9", "u5"))
		s.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantEqual(t, "heard", d.read(), []string{"delete gone@1?", "update changed@1 to changed@8", "delete reborn@1?", "add reborn@9"})
		after, _, _ := i.GetStore().GetByKey("ns/same")
		wantEqual(t, "the unchanged object is the one it was", after == before, true)
		wantEqual(t, "version", i.GetStore().LastStoreSyncResourceVersion(), "9")
	})
}

func TestALateHandlerHearsOfAllThereIsAndOfEachChangeOnce(t *testing.T) { // 39
	s := newStage(pod("ns", "a", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		s.current().Modify(pod("ns", "a", "2"))
		s.current().Add(pod("ns", "b", "3"))
		synctest.Wait()
		d := &diary{}
		r := listen(t, i, d, HandlerOptions{})
		wantEqual(t, "replayed", d.read(), []string{"initially a@2", "initially b@3"})
		wantEqual(t, "synced", r.HasSynced(), true)
		s.current().Delete(pod("ns", "a", "4"))
		synctest.Wait()
		wantEqual(t, "then", d.read(), []string{"delete a@4"})
	})
}

func TestARegistrationHasSyncedWhenItsHandlerHasDealtWithTheFirstList(t *testing.T) { // 36
	s := newStage(pod("ns", "a", "1"), pod("ns", "b", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		gate := make(chan struct{})
		d := &diary{during: func(string) { <-gate }}
		r := listen(t, i, d, HandlerOptions{})
		wantEqual(t, "the informer and the handler", []bool{i.HasSynced(), r.HasSynced()}, []bool{true, false})
		gate <- struct{}{}
		synctest.Wait()
		wantEqual(t, "after the first call", r.HasSynced(), false)
		gate <- struct{}{}
		synctest.Wait()
		wantEqual(t, "after the second", r.HasSynced(), true)
		close(gate)
	})
}

func TestAnEmptyFirstListIsSynced(t *testing.T) { // 15, 23
	inBubble(t, newStage(), SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		r := listen(t, i, &diary{}, HandlerOptions{})
		wantEqual(t, "synced", []bool{i.HasSynced(), r.HasSynced()}, []bool{true, true})
		wantEqual(t, "version", i.GetStore().LastStoreSyncResourceVersion(), "1")
	})
}

func TestOnlyHandlersWhoseTurnItIsHearOfAResync(t *testing.T) { // 37, 38
	s := newStage(uid("a", "1", "u"))
	synctest.Test(t, func(t *testing.T) {
		i := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{ResyncPeriod: time.Hour})
		often, rarely, never := &diary{}, &diary{}, &diary{}
		for d, period := range map[*diary]time.Duration{often: 10 * time.Second, rarely: 30 * time.Second, never: 0} {
			_, err := i.AddEventHandlerWithResyncPeriod(d, period)
			mustNot(t, err)
		}
		run(t, i)
		for _, d := range []*diary{often, rarely, never} {
			wantEqual(t, "at first", d.read(), []string{"initially a@1"})
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		resync := "update a@1 to a@1"
		wantEqual(t, "often", often.read(), []string{resync, resync, resync})
		wantEqual(t, "rarely", rarely.read(), []string{resync})
		wantEqual(t, "never", len(never.read()), 0)
	})
}

// A period of -1 is a way to say that nothing is resynced.
func TestANegativeResyncPeriodIsNone(t *testing.T) {
	hour := time.Hour
	for name, c := range map[string]struct{ informer, handler time.Duration }{
		"informer": {-1, -1}, "informer with a handler that wants one": {-1, hour}, "handler": {hour, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(pod("ns", "a", "1"))
			inBubble(t, s, SharedIndexInformerOptions{ResyncPeriod: c.informer}, func(t *testing.T, i *informer) {
				d := &diary{}
				listen(t, i, d, HandlerOptions{ResyncPeriod: &c.handler})
				time.Sleep(5 * time.Hour)
				wantEqual(t, "heard", d.read(), []string{"initially a@1"})
			})
		})
	}
	t.Run("partitioned", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			i := newOnePartition(t, newStage(pod("ns", "a", "1")), SharedIndexInformerOptions{ResyncPeriod: -1})
			run(t, i)
			d := &diary{}
			listen(t, i, d, HandlerOptions{})
			time.Sleep(time.Hour)
			wantEqual(t, "heard", d.read(), []string{"initially a@1"})
		})
	})
}

func TestAfterItHasStoppedAnInformerTakesNoHandlersAndNoIndexes(t *testing.T) { // 7, 34
	s := newStage()
	synctest.Test(t, func(t *testing.T) {
		i := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
		mustNot(t, i.SetTransform(func(obj any) (any, error) { return obj, nil }))
		mustNot(t, i.SetWatchErrorHandler(func(*Reflector, error) {}))
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() { defer close(ended); i.Run(stop) }()
		synctest.Wait()
		wantError(t, i.SetTransform(nil), "has already started")                                         // 35
		wantError(t, i.SetWatchErrorHandler(nil), "has already started")                                 // 35
		wantError(t, i.SetWatchErrorHandlerWithContext(DefaultWatchErrorHandler), "has already started") // 35
		i.Run(stop)                                                                                      // a second time: returns at once
		wantEqual(t, "stopped", i.IsStopped(), false)
		close(stop)
		<-ended
		wantEqual(t, "stopped", i.IsStopped(), true)
		_, err := i.AddEventHandler(&diary{})
		wantError(t, err, "has stopped already")
		wantError(t, i.AddIndexers(Indexers{"x": byApp}), "already stopped")
		wantEqual(t, "phase", StateOf(i).Phase, PhaseStopped)
	})
}

func TestARemovedHandlerHearsNothingMore(t *testing.T) { // 42
	s := newStage(pod("ns", "a", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		d, other := &diary{}, &diary{}
		r := listen(t, i, d, HandlerOptions{})
		listen(t, i, other, HandlerOptions{})
		mustNot(t, ShutDownEventHandler(i, r))
		mustNot(t, i.RemoveEventHandler(r)) // again
		wantError(t, i.RemoveEventHandler(nil), "invalid key type")
		elsewhere := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
		theirs, err := elsewhere.AddEventHandler(&diary{})
		mustNot(t, err)
		mustNot(t, i.RemoveEventHandler(theirs))
		s.current().Modify(pod("ns", "a", "2"))
		synctest.Wait()
		wantEqual(t, "heard", d.read(), []string{"initially a@1"})
		wantEqual(t, "the other", other.read(), []string{"initially a@1", "update a@1 to a@2"})
	})
}

func TestAHandlerMayRemoveItselfAndStopTheInformer(t *testing.T) {
	s := newStage(pod("ns", "a", "1"), pod("ns", "b", "1"))
	synctest.Test(t, func(t *testing.T) {
		i := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
		stop := make(chan struct{})
		var r ResourceEventHandlerRegistration
		leaver := &diary{}
		leaver.during = func(string) { _ = i.RemoveEventHandler(r) }
		stopper := &diary{during: func(line string) {
			if line == "update a@1 to a@2" {
				close(stop)
			}
		}}
		var err error
		r, err = i.AddEventHandler(leaver)
		mustNot(t, err)
		_, err = i.AddEventHandler(stopper)
		mustNot(t, err)
		go func() {
			synctest.Wait()
			s.current().Modify(pod("ns", "a", "2"))
		}()
		i.Run(stop)
		wantEqual(t, "the one that left", leaver.read(), []string{"initially a@1"})
		wantEqual(t, "the one that stopped", stopper.read(), []string{"initially a@1", "initially b@1", "update a@1 to a@2"})
	})
}

func TestIndexesMayComeWhileTheInformerRuns(t *testing.T) { // 7
	s := newStage(labelled(pod("ns", "a", "1"), "app", "x"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		mustNot(t, i.AddIndexers(Indexers{"app": byApp}))
		s.current().Add(labelled(pod("ns", "b", "2"), "app", "x"))
		synctest.Wait()
		found, err := i.GetIndexer().ByIndex("app", "x")
		mustNot(t, err)
		wantEqual(t, "found", namesOf(found), []string{"a", "b"})
		wantError(t, i.AddIndexers(Indexers{"app": byApp}), "indexer conflict")
	})
}

func TestTheStoreHasAChangeBeforeItsHandlerHearsOfIt(t *testing.T) { // 31
	s := newStage()
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		var missing []string
		d := &diary{during: func(line string) {
			if _, ok, _ := i.GetStore().GetByKey("ns/a"); !ok {
				missing = append(missing, line)
			}
		}}
		listen(t, i, d, HandlerOptions{})
		s.current().Add(pod("ns", "a", "2"))
		s.current().Modify(pod("ns", "a", "3"))
		synctest.Wait()
		wantEqual(t, "heard", len(d.read()), 2)
		wantEqual(t, "without the store", len(missing), 0)
	})
}

func TestADeletionOfWhatNobodyKnowsIsNotTold(t *testing.T) { // 13
	s := newStage()
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		d := &diary{}
		listen(t, i, d, HandlerOptions{})
		s.current().Delete(pod("ns", "a", "2"))
		synctest.Wait()
		wantEqual(t, "heard", len(d.read()), 0)
		wantEqual(t, "version", i.GetStore().LastStoreSyncResourceVersion(), "2")
	})
}

func TestABookmarkMovesTheVersionOfTheStore(t *testing.T) { // 8, 55
	s := newStage()
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		s.current().Action(watch.Bookmark, pod("", "", "77"))
		synctest.Wait()
		wantEqual(t, "version", i.GetStore().LastStoreSyncResourceVersion(), "77")
		wantEqual(t, "version", i.LastSyncResourceVersion(), "77")
	})
}

func TestGetControllerDoesNothingButTell(t *testing.T) { // 44
	s := newStage()
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		c := i.GetController()
		c.Run(nil)
		wantEqual(t, "synced", c.HasSynced(), true)
		wantEqual(t, "version", c.LastSyncResourceVersion(), "1")
	})
}
