package cache

import (
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestLongListsTakeTurns has a long list wait while as many others are copied as may be. It holds no view meanwhile, others are not
// held up, and it shows what was written until its turn came.
func TestLongListsTakeTurns(t *testing.T) {
	for name, list := range map[string]func(s Indexer) int{
		"List":    func(s Indexer) int { return len(s.List()) },
		"ByIndex": func(s Indexer) int { list, _ := s.ByIndex(NamespaceIndex, "ns"); return len(list) },
		"ByTypedIndex": func(s Indexer) int {
			list, _ := NewTypedIndexer[*corev1.Pod](s).ByTypedIndex(NamespaceIndex, "ns")
			return len(list)
		},
		"lister": func(s Indexer) int {
			list, _ := NewTypedLister[*corev1.Pod](s, pods).ByNamespace("ns").List(labels.Everything())
			return len(list)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := podIndexer(Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
			for i := range longList {
				mustNot(t, s.Add(pod("ns", fmt.Sprint(i), "1")))
			}
			sharing := &s.(*cache).table.sharing
			var others []*sync.Mutex
			for range sharing.turns.slots {
				others = append(others, sharing.turns.try())
			}
			if sharing.turns.try() != nil {
				t.Fatal("there is a turn more than there are slots")
			}
			got := make(chan int)
			go func() { got <- list(s) }()
			for began := time.Now(); sharing.turns.next.Load() == 0 || sharing.readers.Load() != 0; {
				if time.Since(began) > 10*time.Second {
					t.Fatalf("%d wait, %d have a view", sharing.turns.next.Load(), sharing.readers.Load())
				}
				time.Sleep(time.Millisecond)
			}
			mustNot(t, s.Add(pod("ns", "late", "2")))
			mustNot(t, s.Add(pod("few", "one", "2")))
			if short, err := s.ByIndex(NamespaceIndex, "few"); err != nil || len(short) != 1 {
				t.Errorf("a short list: %d, %v", len(short), err)
			}
			select {
			case n := <-got:
				t.Errorf("%d objects were listed out of turn", n)
			default:
			}
			for _, slot := range others {
				slot.Unlock()
			}
			if n := <-got; n < longList+1 {
				t.Errorf("%d objects, want those that came meanwhile, too", n)
			}
			if sharing.readers.Load() != 0 {
				t.Error("a view was not released")
			}
			for range sharing.turns.slots {
				if sharing.turns.try() == nil {
					t.Error("a turn did not end")
				}
			}
		})
	}
}
