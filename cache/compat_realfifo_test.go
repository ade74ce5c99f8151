package cache

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Points 20 to 26 of what client-go's users rely on.

func atomicFIFO(transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{
		AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true, Transformer: transformer,
	})
}

func (f *RealFIFO) length() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.items.Len()
}

func TestRealFIFOHandsOutEverythingInOrder(t *testing.T) {
	f := NewRealFIFO(MetaNamespaceKeyFunc, known(), nil)
	a1, b1, a2 := pod("", "a", "1"), pod("", "b", "2"), pod("", "a", "3")
	mustNot(t, f.Add(a1))
	mustNot(t, f.Add(b1))
	mustNot(t, f.Update(a2))
	mustNot(t, f.Delete(a2))
	mustNot(t, f.Delete(a2)) // twice is twice
	wantEqual(t, "popped", popAll(t, f, f.length),
		[]Deltas{{{Added, a1}}, {{Added, b1}}, {{Updated, a2}}, {{Deleted, a2}}, {{Deleted, a2}}})
}

func TestRealFIFOQueuesDeletionsBeforeTheList(t *testing.T) {
	gone, queued, deleted := pod("", "gone", "1"), pod("", "queued", "1"), pod("", "deleted", "1")
	f := NewRealFIFO(MetaNamespaceKeyFunc, known(gone, deleted), nil)
	mustNot(t, f.Add(queued))
	mustNot(t, f.Delete(deleted))
	fresh := pod("", "fresh", "2")
	mustNot(t, f.Replace([]any{fresh}, "9"))
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{
		{{Added, queued}}, {{Deleted, deleted}},
		{{Deleted, DeletedFinalStateUnknown{"queued", queued}}},
		{{Deleted, DeletedFinalStateUnknown{"gone", gone}}},
		{{Replaced, fresh}},
	})
}

func TestRealFIFOResyncsWhatIsKnownAndNotQueued(t *testing.T) {
	a, b := pod("", "a", "1"), pod("", "b", "1")
	f := NewRealFIFO(MetaNamespaceKeyFunc, known(a, b), nil)
	mustNot(t, f.Update(a))
	mustNot(t, f.Resync())
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{{{Updated, a}}, {{Sync, b}}})
}

func TestAnAtomicRealFIFOMakesOneDeltaOfAList(t *testing.T) {
	f := atomicFIFO(func(obj any) (any, error) { return obj.(*corev1.Pod).Name, nil })
	mustNot(t, f.Replace([]any{pod("", "a", "1"), pod("", "b", "1")}, "5"))
	mustNot(t, f.Resync())
	mustNot(t, f.Bookmark("6"))
	wantEqual(t, "popped", popAll(t, f, f.length), []Deltas{
		{{ReplacedAll, ReplacedAllInfo{ResourceVersion: "5", Objects: []any{"a", "b"}}}},
		{{SyncAll, SyncAllInfo{}}},
		{{Bookmark, BookmarkInfo{ResourceVersion: "6"}}},
	})
}

func TestRealFIFORefusesOptionsThatContradictEachOther(t *testing.T) {
	for _, o := range []RealFIFOOptions{
		{AtomicEvents: true, KnownObjects: known()},
		{KnownObjects: known(), UnlockWhileProcessing: true},
		{},
		{KnownObjects: known(), EmitDeltaTypeBookmark: true},
	} {
		wantPanic(t, "coding error: ", func() { NewRealFIFOWithOptions(o) })
	}
}

func TestAnAtomicRealFIFOHasSyncedWhenTheListWasProcessed(t *testing.T) {
	f := atomicFIFO(nil)
	mustNot(t, f.Replace(nil, "1"))
	wantEqual(t, "synced by an empty list", f.HasSynced(), false)
	_, err := f.Pop(func(_ any, isInInitialList bool) error {
		wantEqual(t, "isInInitialList", isInInitialList, true)
		wantEqual(t, "synced while processing", f.HasSynced(), false) // the lock is not held
		return nil
	})
	mustNot(t, err)
	wantEqual(t, "synced", f.HasSynced(), true)
}

// batches pops until nothing is left and tells the sizes.
func batches(t *testing.T, f *RealFIFO) (sizes []int) {
	t.Helper()
	for f.length() > 0 {
		mustNot(t, f.PopBatch(
			func(deltas []Delta, _ bool) error { sizes = append(sizes, len(deltas)); return nil },
			func(obj any, _ bool) error { sizes = append(sizes, -len(obj.(Deltas))); return nil },
		))
	}
	return sizes
}

func TestABatchEndsWhereDeltasCannotBeTakenTogether(t *testing.T) {
	add := func(f *RealFIFO, names ...string) {
		for _, name := range names {
			mustNot(t, f.Add(pod("", name, "")))
		}
	}
	f := atomicFIFO(nil)
	add(f, "a", "b", "c", "a", "d") // the second a is one too many
	mustNot(t, f.Resync())          // about all objects
	add(f, "e")
	wantEqual(t, "sizes", batches(t, f), []int{3, 2, -1, -1})

	f = NewRealFIFO(MetaNamespaceKeyFunc, known(pod("", "x", "")), nil)
	mustNot(t, f.Replace([]any{pod("", "a", ""), pod("", "b", "")}, ""))
	add(f, "c", "d")
	wantEqual(t, "sizes", batches(t, f), []int{3, 2}) // the first list, with its deletion, by itself

	var names []string
	for i := range 2500 {
		names = append(names, fmt.Sprint("p", i))
	}
	add(f, names...)
	wantEqual(t, "sizes", batches(t, f), []int{1000, 1000, 500})
}

func TestADeltaWithoutAKeyEndsABatch(t *testing.T) {
	bad := true
	f := NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, KeyFunction: func(obj any) (string, error) {
		if p := obj.(*corev1.Pod); p.Name != "bad" || !bad {
			return p.Name, nil
		}
		return "", errBad
	}})
	bad = false
	for _, name := range []string{"a", "bad", "b"} {
		mustNot(t, f.Add(pod("", name, "")))
	}
	bad = true // a key function that changes its mind
	wantEqual(t, "sizes", batches(t, f), []int{2, -1})
}

func TestALongRealFIFOKeepsItsLockWhileProcessing(t *testing.T) {
	for _, n := range []int{2000, 2001} {
		f := atomicFIFO(nil)
		for i := range n {
			mustNot(t, f.Add(pod("", fmt.Sprint(i), "")))
		}
		_, err := f.Pop(func(any, bool) error {
			free := f.mu.TryLock()
			if free {
				f.mu.Unlock()
			}
			wantEqual(t, fmt.Sprintf("lock is free with %d behind", n-1), free, n-1 < 2000)
			return nil
		})
		mustNot(t, err)
	}
}

func TestRealFIFOWaitsAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := atomicFIFO(nil)
		errs := make(chan error)
		go func() { errs <- f.PopBatch(nil, nil) }()
		synctest.Wait()
		f.Close()
		wantEqual(t, "error", <-errs, ErrFIFOClosed)
		_, err := f.Pop(nil)
		wantEqual(t, "error", err, ErrFIFOClosed)
	})
}

func TestRealFIFOQueuesNothingOfAListThatFails(t *testing.T) {
	f := NewRealFIFO(MetaNamespaceKeyFunc, known(pod("", "x", "")), func(obj any) (any, error) { return nil, errBad })
	for _, err := range []error{f.Add(pod("", "a", "")), f.Replace([]any{pod("", "a", "")}, "")} {
		if !errors.Is(err, errBad) {
			t.Errorf("error %v", err)
		}
	}
	wantEqual(t, "queued", f.length(), 0)
}

func TestRealFIFOIsCounted(t *testing.T) {
	name, err := NewInformerName("test")
	mustNot(t, err)
	id := name.WithResource(schema.GroupVersionResource{Resource: "pods"})
	m := &metricsOf{}
	f := NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Identifier: id, MetricsProvider: m})
	wantEqual(t, "name", f.Name(), "test")
	mustNot(t, f.Add(pod("", "a", "1")))
	wantEqual(t, "queued", m.queued, 1)
	Pop(f)
	wantEqual(t, "queued", m.queued, 0)
	wantEqual(t, "processed", m.observed, 1)
	s := NewStore(MetaNamespaceKeyFunc, WithStoreMetrics(id, m))
	mustNot(t, s.Add(pod("", "a", "1234567890123456789")))
	wantEqual(t, "version", m.version, 567890123456789)
	s.Bookmark("opaque")
	wantEqual(t, "version that is no number", m.version, 567890123456789)
	s.Bookmark("")
	wantEqual(t, "no version", m.version, 0)
}

// metricsOf is an InformerMetricsProvider that remembers.
type metricsOf struct{ queued, version, observed float64 }

func (m *metricsOf) NewQueuedItemMetric(InformerNameAndResource) GaugeMetric { return gauge{&m.queued} }
func (m *metricsOf) NewStoreResourceVersionMetric(InformerNameAndResource) GaugeMetric {
	return gauge{&m.version}
}
func (m *metricsOf) NewProcessingLatencyMetric(InformerNameAndResource) HistogramMetric { return m }
func (m *metricsOf) Observe(float64)                                                    { m.observed++ }

type gauge struct{ value *float64 }

func (g gauge) Set(v float64) { *g.value = v }
