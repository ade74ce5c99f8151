package cache

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A watch function that returns nothing is a failure, and no reason to list again and again at once.
func TestWatchFunctionThatReturnsNothing(t *testing.T) {
	p := newPuppet("5")
	p.watch = func(metav1.ListOptions) (watch.Interface, error) { return nil, nil }
	reflecting(t, p, newPodStore(), ReflectorOptions{}, func(r *Reflector) {
		wantError(t, r.State().Cause, "neither a watch nor an error")
		time.Sleep(time.Minute)
		synctest.Wait()
		if lists, _ := p.asked(); lists < 10 || lists > 20 {
			t.Errorf("%d lists in a minute", lists)
		}
	})
}

// A store that refuses a list is asked again, one that refuses an event is not.
func TestStoreThatRefuses(t *testing.T) {
	var accept atomic.Bool
	store := NewStore(func(obj any) (string, error) {
		if !accept.Load() {
			return "", errBad
		}
		return MetaNamespaceKeyFunc(obj)
	})
	p := newPuppet("5", pod("", "a", "1"))
	reflecting(t, p, store, ReflectorOptions{}, func(r *Reflector) {
		wantError(t, r.State().Cause, "cannot store the list")
		wantEqual(t, "synced", r.State().Synced, false)
		accept.Store(true)
		time.Sleep(time.Second)
		synctest.Wait()
		wantEqual(t, "synced", r.State().Synced, true)
		accept.Store(false)
		p.current().Add(pod("", "b", "6"))
		synctest.Wait()
		wantEqual(t, "version", r.LastSyncResourceVersion(), "6")
		wantError(t, r.State().LastSkipped, "bad object")
	})
}

// A reflector that a full queue holds up ends when the queue is closed.
func TestStopWhileTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet("5", pod("", "a", "1"))
		queue := NewDeltaFIFOWithOptions(DeltaFIFOOptions{MaxPending: 1})
		r := NewReflector(p, &corev1.Pod{}, queue, 0)
		while(t, r, func() {
			p.current().Add(pod("", "b", "6"))
			p.current().Add(pod("", "c", "7"))
			synctest.Wait()
			wantEqual(t, "version", r.LastSyncResourceVersion(), "5")
			queue.Close()
		})
		wantEqual(t, "phase", r.State().Phase, PhaseStopped)
	})
}

// slowStore takes two minutes for a new state.
type slowStore struct{ Store }

func (s slowStore) Replace(list []any, version string) error {
	time.Sleep(2 * time.Minute)
	return s.Store.Replace(list, version)
}

// A store that takes its time is not held against the server.
func TestSlowStoreKeepsTheStream(t *testing.T) {
	p, store := newPuppet("1"), newPodStore()
	p.streams = true
	reflecting(t, p, slowStore{store}, ReflectorOptions{}, func(r *Reflector) {
		w := p.current()
		w.Add(podAt("a@1"))
		end := podAt("@6")
		end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		w.Action(watch.Bookmark, end)
		w.Add(podAt("b@7"))
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		wantEqual(t, "names", namesOf(store.List()), []string{"a", "b"})
		lists, watches := p.asked()
		wantEqual(t, "lists", lists, 0)
		wantEqual(t, "watches", watches, 1)
		mustNot(t, r.State().Cause)
	})
}
