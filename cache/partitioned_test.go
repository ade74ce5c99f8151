package cache

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/engine"
)

// TestAnObjectThatMovesKeepsItsIndexValues: index functions are not asked again, also of an index that is added meanwhile.
func TestAnObjectThatMovesKeepsItsIndexValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		index := func(obj any) ([]string, error) {
			calls++
			return []string{"all", obj.(*corev1.Pod).Name}, nil
		}
		i := newOnePartition(t, newStage(pod("ns", "a", "1"), pod("ns", "b", "1")), SharedIndexInformerOptions{Indexers: Indexers{"user": index}})
		run(t, i)
		mustNot(t, i.AddIndexers(Indexers{"later": func(any) ([]string, error) { return []string{"x"}, nil }}))
		before := calls
		for _, to := range []string{"q", "p", "q"} {
			change := engine.PartitionChange{Router: func(_ string, e *engine.Envelope) string {
				if e.Name == "a" {
					return to
				}
				return "p"
			}}
			if _, ok := i.engine.Partition("q"); !ok {
				change.Add = []engine.PartitionConfig{{ID: "q"}}
			}
			_, err := i.engine.Change(change)
			mustNot(t, err)
			mustNot(t, i.indexer.table.Verify())
			for value, want := range map[string][]string{"all": {"a", "b"}, "a": {"a"}, "b": {"b"}} {
				found, err := i.GetIndexer().ByIndex("user", value)
				mustNot(t, err)
				wantEqual(t, "found by "+value, namesOf(found), want)
			}
			found, err := i.GetIndexer().ByIndex(engine.PartitionIndex, "q")
			mustNot(t, err)
			if want := map[string]int{"q": 1, "p": 0}[to]; len(found) != want {
				t.Errorf("%d objects in q, want %d", len(found), want)
			}
			found, err = i.GetIndexer().ByIndex("later", "x")
			mustNot(t, err)
			wantEqual(t, "found by the index that came later", namesOf(found), []string{"a", "b"})
		}
		wantEqual(t, "calls of the index function", calls, before)
	})
}

// TestADeletionIsNotLostBehindWhatDoesNotCount: an object is deleted, another of its name comes through another stream, and is gone again
// in the next list of that stream, while all of it waits.
func TestADeletionIsNotLostBehindWhatDoesNotCount(t *testing.T) {
	for name, deletionFirst := range map[string]bool{"deletion first": true, "deletion last": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				withUID := func(name, uid, version string) *corev1.Pod {
					p := pod("ns", name, version)
					p.UID = types.UID(uid)
					return p
				}
				a, b := newStage(withUID("x", "a", "1"), withUID("other", "a", "1")), newStage()
				covers := func(uid string) func(*engine.Envelope) bool {
					return func(e *engine.Envelope) bool { return string(e.UID) == uid }
				}
				i := newDivided(SharedIndexInformerOptions{})
				_, err := i.engine.Change(engine.PartitionChange{
					Add:    []engine.PartitionConfig{{ID: "p", MaxEventRate: 0.001}},
					Router: func(string, *engine.Envelope) string { return "p" },
					Start: []engine.StreamConfig{
						{Name: "a", Source: sourceOf(a.lw()), Partitions: []string{"p"}, Covers: covers("a")},
						{Name: "b", Source: sourceOf(b.lw()), Partitions: []string{"p"}, Covers: covers("b")},
					},
				})
				mustNot(t, err)
				i.engine.Complete()
				run(t, i)
				for _, version := range []string{"2", "3"} { // one uses up the limit, the other waits for it
					a.current().Modify(withUID("other", "a", version))
					synctest.Wait()
				}
				deletion := func() { a.current().Delete(withUID("x", "a", "5")) }
				creation := func() { b.current().Add(withUID("x", "b", "6")) }
				if deletionFirst {
					deletion()
					synctest.Wait()
					creation()
				} else {
					creation()
					synctest.Wait()
					deletion()
				}
				synctest.Wait()
				b.set("9")
				b.relist()
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				wantEqual(t, "objects", namesOf(i.GetIndexer().List()), []string{"other"})
			})
		})
	}
}

// TestPartitionsAreSwappedWhileAListIsApplied: two streams that have all objects of a partition each change places after one of them
// has read a list and before the list is applied. What the other one brought is not missing in it.
func TestPartitionsAreSwappedWhileAListIsApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newStage(uid("x", "1", "x")), newStage(uid("y", "1", "y"))
		var gate atomic.Pointer[chan struct{}]
		index := func(any) ([]string, error) {
			if c := gate.Load(); c != nil {
				<-*c
			}
			return nil, nil
		}
		i := newDivided(SharedIndexInformerOptions{Indexers: Indexers{"slow": index}})
		streams, err := i.engine.Change(engine.PartitionChange{
			Add: []engine.PartitionConfig{{ID: "p"}, {ID: "q"}},
			Start: []engine.StreamConfig{
				{Name: "a", Source: sourceOf(a.lw()), Partitions: []string{"p"}, Fixed: true},
				{Name: "b", Source: sourceOf(b.lw()), Partitions: []string{"q"}, Fixed: true},
			},
		})
		mustNot(t, err)
		i.engine.Complete()
		run(t, i)
		c := make(chan struct{})
		gate.Store(&c)
		b.set("5", uid("y", "5", "y"))
		b.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		_, err = i.engine.Change(engine.PartitionChange{
			Successors: map[string]string{"p": "q", "q": "p"},
			Feed:       map[*engine.Stream][]string{streams[0]: {"q"}, streams[1]: {"p"}},
		})
		mustNot(t, err)
		gate.Store(nil)
		close(c)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantEqual(t, "objects", namesOf(i.GetIndexer().List()), []string{"x", "y"})
		for key, want := range map[string]string{"ns/x": "q", "ns/y": "p"} {
			owner, _ := i.engine.PartitionOf(key)
			wantEqual(t, "owner of "+key, owner, want)
		}
		obj, _, err := i.GetIndexer().GetByKey("ns/y")
		mustNot(t, err)
		wantEqual(t, "version of y", obj.(*corev1.Pod).ResourceVersion, "5")
	})
}

// newDivided returns an informer of pods without partitions.
func newDivided(options SharedIndexInformerOptions) *informer {
	i, _, _ := NewDividedInformer(&corev1.Pod{}, options)
	return i.(*informer)
}
