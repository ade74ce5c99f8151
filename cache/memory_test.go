package cache

import (
	"fmt"
	"runtime"
	"testing"

	"vedette.dev/internal/testsize"
)

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what the first one found, the second one frees
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestMemoryGoesBackWhenObjectsGo(t *testing.T) {
	n := testsize.Of(50_000, 10_000)
	stay := n / 100
	s := NewIndexer(MetaNamespaceKeyFunc, Indexers{
		NamespaceIndex: MetaNamespaceIndexFunc,
		"one":          func(any) ([]string, error) { return []string{"x"}, nil },
		"each":         func(obj any) ([]string, error) { k, err := MetaNamespaceKeyFunc(obj); return []string{k}, err },
	})
	before := heapInUse()
	for i := range n {
		mustNot(t, s.Add(pod(fmt.Sprint("ns", i%10), fmt.Sprint(i), "1")))
	}
	full := heapInUse() - before
	for i := range n {
		if i%(n/stay) != 7 { // what stays is spread over all
			mustNot(t, s.Delete(pod(fmt.Sprint("ns", i%10), fmt.Sprint(i), "1")))
		}
	}
	rest := heapInUse() - before
	wantEqual(t, "objects", len(s.List()), stay)
	if allowed := full*3/100 + 100<<10; rest > allowed {
		t.Errorf("%d KB of %d are held for one object in %d, want at most %d", rest>>10, full>>10, n/stay, allowed>>10)
	}
	mustNot(t, s.(*cache).table.Verify())
	runtime.KeepAlive(s)
}

func TestAnEmptyQueueHoldsLittle(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	before := heapInUse()
	for i := range 50_000 {
		mustNot(t, f.Add(pod("ns", fmt.Sprint(i), "1")))
	}
	for range 50_000 {
		Pop(f)
	}
	if rest := heapInUse() - before; rest > 200<<10 {
		t.Errorf("%d KB are held by an empty queue", rest>>10)
	}
	runtime.KeepAlive(f)
}
