package cache

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/internal/table"
)

// TestLongListsWaitForASlot has a long list wait while as many others are copied as there are processors. It holds no view
// meanwhile, short lists do not wait, and it shows what was written until it got a slot.
func TestLongListsWaitForASlot(t *testing.T) {
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
			for i := range 256 {
				mustNot(t, s.Add(pod("ns", fmt.Sprint(i), "1")))
			}
			table := s.(*cache).table
			others := takeCopySlots(t, table)
			got := make(chan int)
			go func() { got <- list(s) }()
			for began := time.Now(); ; time.Sleep(time.Millisecond) {
				views, waits := table.Readers()
				if waits == 1 && views == len(others) {
					break
				}
				if time.Since(began) > 10*time.Second {
					t.Fatalf("%d waits, %d views", waits, views)
				}
			}
			mustNot(t, s.Add(pod("ns", "late", "2")))
			mustNot(t, s.Add(pod("few", "one", "2")))
			if short, err := s.ByIndex(NamespaceIndex, "few"); err != nil || len(short) != 1 {
				t.Errorf("a short list: %d, %v", len(short), err)
			}
			select {
			case n := <-got:
				t.Errorf("%d objects were listed without a slot", n)
			default:
			}
			for i := range others {
				others[i].Release()
			}
			if n := <-got; n < 257 {
				t.Errorf("%d objects, want those that came meanwhile, too", n)
			}
			for _, v := range takeCopySlots(t, table) {
				v.Release()
			}
			if views, waits := table.Readers(); views != 0 || waits != 1 {
				t.Errorf("%d views were not released, %d waits", views, waits)
			}
		})
	}
}

// takeCopySlots takes all slots in which long views are copied.
func takeCopySlots(t *testing.T, s *table.Table) (views []table.View) {
	for range runtime.GOMAXPROCS(0) {
		v, err := s.All().ForCopy(nil)
		mustNot(t, err)
		views = append(views, v)
	}
	return views
}
