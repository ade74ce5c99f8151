package cache

import (
	"slices"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// An object that is deleted while the others still come is not there in the end, whatever the store can do.
func TestObjectsThatGoWhileOthersCome(t *testing.T) {
	for name, make := range map[string]func(ListerWatcher, Store) *Reflector{
		"plain":    func(lw ListerWatcher, s Store) *Reflector { return NewReflector(lw, &corev1.Pod{}, s, 0) },
		"relisted": func(lw ListerWatcher, s Store) *Reflector { return newSinkReflector(lw, newRelistedStore(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			p, store := newPuppet("1"), newPodStore()
			p.streams = true
			synctest.Test(t, func(t *testing.T) {
				r := make(p, store)
				while(t, r, func() {
					w := p.current()
					for _, name := range []string{"a", "b", "c", "d"} {
						w.Add(podAt(name + "@1"))
					}
					w.Delete(podAt("b@2"))
					w.Delete(podAt("c@3"))
					w.Add(podAt("c@4"))
					w.Modify(podAt("d@5"))
					synctest.Wait()
					wantEqual(t, "before the end", len(store.List()), 0)
					end := podAt("@6")
					end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
					w.Action("BOOKMARK", end)
					synctest.Wait()
					got := []string{}
					for _, obj := range store.List() {
						got = append(got, nameAt(obj))
					}
					slices.Sort(got)
					wantEqual(t, "in the store", got, []string{"a@1", "c@4", "d@5"})
					wantEqual(t, "version", r.LastSyncResourceVersion(), "6")
				})
			})
		})
	}
}

// What a list has in the same state is not even decoded.
func TestWhatIsKnownIsNotDecoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		store := newPodStore()
		mustNot(t, store.Add(podAt("a@5")))
		mustNot(t, store.Add(podAt("b@6")))
		r := newSinkReflector(s.listWatch("raw"), newRelistedStore(store))
		while(t, r, func() {
			for _, line := range [][]string{{"watch", "error", "400"}, {"list", "10", "broken:a@5", "broken:b@7"}} {
				mustNot(t, s.do(line))
				synctest.Wait()
			}
			state := r.State()
			wantEqual(t, "undecodable", state.Undecodable, 1)
			wantEqual(t, "the one", state.LastUndecodable.Key, "b")
			wantEqual(t, "keys", len(store.ListKeys()), 1) // this store does not keep what cannot be read
		})
	})
}

// A function that a program has put into a ListWatch is called.
func TestOwnFunctionsOfAListWatchAreCalled(t *testing.T) {
	s := newScript(t)
	lw := s.listWatch("raw")
	wantEqual(t, "raw", rawOf(lw) != nil, true)
	wantEqual(t, "raw of a wrapped one", rawOf(ToListWatcherWithWatchListSemantics(lw, nil)) != nil, true)
	inner := lw.ListFunc
	lw.ListFunc = func(options metav1.ListOptions) (runtime.Object, error) { return inner(options) }
	wantEqual(t, "raw", rawOf(lw) != nil, false)
	wantEqual(t, "raw of plain functions", rawOf(s.listWatch("functions")) != nil, false)
	wantEqual(t, "raw of something else", rawOf(newPuppet("1")) != nil, false)
}

// Point 59.
func TestClientsThatKnowNoStreams(t *testing.T) {
	p := newPuppet("1")
	lw := &ListWatch{ListFunc: p.List, WatchFunc: p.Watch}
	for _, c := range []struct {
		lw   ListerWatcher
		want bool
	}{
		{lw, false}, {p, true},
		{ToListWatcherWithWatchListSemantics(lw, p), true},
		{ToListWatcherWithWatchListSemantics(lw, struct{}{}), false},
	} {
		wantEqual(t, "refuses", refusesWatchList(c.lw), c.want)
	}
	reflecting(t, ToListWatcherWithWatchListSemantics(lw, p), newPodStore(), ReflectorOptions{}, func(r *Reflector) {
		lists, watches := p.asked()
		wantEqual(t, "lists", lists, 1)
		wantEqual(t, "watches", watches, 1)
		if p.watches[0].SendInitialEvents != nil {
			t.Error("a stream was asked for")
		}
	})
}
