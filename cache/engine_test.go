package cache

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A resync that was late does not make the informer skip the next one. It takes three seconds: in a bubble nothing is late.
func TestALateResyncDoesNotSkipTheNext(t *testing.T) {
	t.Parallel()
	s := newStage(pod("ns", "a", "1"))
	i := newPlainInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{ResyncPeriod: time.Second})
	var resyncs atomic.Int64
	_, err := i.AddEventHandler(ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { resyncs.Add(1) }})
	mustNot(t, err)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		i.Run(stop)
	}()
	time.Sleep(900 * time.Millisecond)
	i.applyMu.Lock()
	time.Sleep(300 * time.Millisecond)
	i.applyMu.Unlock()
	time.Sleep(1650 * time.Millisecond)
	if n := resyncs.Load(); n != 2 {
		t.Errorf("%d resyncs in 2.85 s, want 2", n)
	}
	close(stop)
	<-ended
}

// The version of the store does not go back: a list waits for bookmarks that came before it.
func TestABookmarkDoesNotOvertakeAList(t *testing.T) {
	s := newStage(uid("a", "1", "u"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		i.only.applying.Lock() // as a metric of the version that is slow
		s.current().Action(watch.Bookmark, uid("", "5", ""))
		synctest.Wait()
		s.current().Action(watch.Bookmark, uid("", "6", ""))
		s.set("10", uid("a", "9", "u"))
		s.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		i.only.applying.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantEqual(t, "version", i.indexer.LastStoreSyncResourceVersion(), "10")
	})
}

// addCounter is a MutationDetector that counts.
type addCounter struct{ n atomic.Int64 }

func (d *addCounter) AddObject(any)            { d.n.Add(1) }
func (d *addCounter) Run(stop <-chan struct{}) { <-stop }

// A list that brings nothing new calls neither index functions nor the mutation detector.
func TestAListThatBringsNothingNewIsNotIndexed(t *testing.T) {
	s := newStage(uid("a", "1", "u"), uid("b", "1", "v"))
	d := &addCounter{}
	var indexed atomic.Int64
	index := func(any) ([]string, error) {
		indexed.Add(1)
		return nil, nil
	}
	options := SharedIndexInformerOptions{MutationDetector: d, Indexers: Indexers{"x": index}}
	inBubble(t, s, options, func(t *testing.T, i *informer) {
		for range 3 {
			s.relist()
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		wantEqual(t, "lists", s.lists, 4)
		wantEqual(t, "objects shown to the detector", d.n.Load(), int64(2))
		wantEqual(t, "calls of the index function", indexed.Load(), int64(2))
	})
}

// An object without a version says nothing about how far the store is.
func TestAnObjectWithoutAVersionDoesNotHideThatOfOthers(t *testing.T) {
	q := newDeltaQueue()
	in := q.newInbox()
	in.keepAll = true
	for _, version := range []string{"5", ""} {
		q.put(&pendingEvent{key: "a" + version, rev: revision{version: version}, stream: &Stream{}}, in, 0, nil)
	}
	_, version, _ := q.take(in, 1)
	wantEqual(t, "version", version, "5")
}
