package cache

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// TestStreamHasSyncedWhenItsPartitionsHave: whoever waits for a partition and then looks at the stream, or gives it another
// partition, may do so before the reflector has noted its list.
func TestStreamHasSyncedWhenItsPartitionsHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		never := func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		s := NewPartitionedInformer(&corev1.Pod{}, SharedIndexInformerOptions{})
		streams, err := s.Change(PartitionChange{
			Add:   []PartitionConfig{{ID: "a"}},
			Start: []StreamConfig{{Source: &ListWatch{ListWithContextFunc: never}, Partitions: []string{"a"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		go s.RunWithContext(ctx)
		synctest.Wait()
		stream := streams[0]
		wantEqual(t, "synced before the list", stream.State().Synced, false)

		s.listed(stream) // as the store of the stream does
		wantEqual(t, "partition synced", isClosed(s.PartitionSynced("a")), true)
		wantEqual(t, "stream synced", stream.State().Synced, true)
		change := PartitionChange{Add: []PartitionConfig{{ID: "b"}}, Feed: map[*Stream][]string{stream: {"a", "b"}}}
		if _, err := s.Change(change); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "new partition synced", isClosed(s.PartitionSynced("b")), true)
	})
}

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
			change := PartitionChange{Router: func(_ string, e *Envelope) string {
				if e.Name == "a" {
					return to
				}
				return "p"
			}}
			if i.partition("q") == nil {
				change.Add = []PartitionConfig{{ID: "q"}}
			}
			_, err := i.Change(change)
			mustNot(t, err)
			mustNot(t, i.indexer.table.Verify())
			for value, want := range map[string][]string{"all": {"a", "b"}, "a": {"a"}, "b": {"b"}} {
				found, err := i.GetIndexer().ByIndex("user", value)
				mustNot(t, err)
				wantEqual(t, "found by "+value, namesOf(found), want)
			}
			found, err := i.GetIndexer().ByIndex(PartitionIndex, "q")
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
				covers := func(uid string) func(*Envelope) bool {
					return func(e *Envelope) bool { return string(e.UID) == uid }
				}
				i := NewPartitionedInformer(&corev1.Pod{}, SharedIndexInformerOptions{})
				_, err := i.Change(PartitionChange{
					Add:    []PartitionConfig{{ID: "p", MaxEventRate: 0.001}},
					Router: func(string, *Envelope) string { return "p" },
					Start: []StreamConfig{
						{Name: "a", Source: a.lw(), Partitions: []string{"p"}, Covers: covers("a")},
						{Name: "b", Source: b.lw(), Partitions: []string{"p"}, Covers: covers("b")},
					},
				})
				mustNot(t, err)
				i.Complete()
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
		i := NewPartitionedInformer(&corev1.Pod{}, SharedIndexInformerOptions{Indexers: Indexers{"slow": index}})
		streams, err := i.Change(PartitionChange{
			Add: []PartitionConfig{{ID: "p"}, {ID: "q"}},
			Start: []StreamConfig{
				{Name: "a", Source: a.lw(), Partitions: []string{"p"}, Fixed: true},
				{Name: "b", Source: b.lw(), Partitions: []string{"q"}, Fixed: true},
			},
		})
		mustNot(t, err)
		i.Complete()
		run(t, i)
		c := make(chan struct{})
		gate.Store(&c)
		b.set("5", uid("y", "5", "y"))
		b.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		_, err = i.Change(PartitionChange{
			Successors: map[string]string{"p": "q", "q": "p"},
			Feed:       map[*Stream][]string{streams[0]: {"q"}, streams[1]: {"p"}},
		})
		mustNot(t, err)
		gate.Store(nil)
		close(c)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantEqual(t, "objects", namesOf(i.GetIndexer().List()), []string{"x", "y"})
		for key, want := range map[string]string{"ns/x": "q", "ns/y": "p"} {
			owner, _ := i.PartitionOf(key)
			wantEqual(t, "owner of "+key, owner, want)
		}
		obj, _, err := i.GetIndexer().GetByKey("ns/y")
		mustNot(t, err)
		wantEqual(t, "version of y", obj.(*corev1.Pod).ResourceVersion, "5")
	})
}
