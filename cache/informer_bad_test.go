package cache

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func runtimeGoexit() { runtime.Goexit() }

// transformed runs an informer with a transform on pods a, which the transform is hard on, and b.
func transformed(t *testing.T, transform TransformFunc, test func(t *testing.T, s *stage, i *informer, d *diary)) {
	s := newStage(uid("a", "1", "ua"), uid("b", "1", "ub"))
	synctest.Test(t, func(t *testing.T) {
		i := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{}).(*informer)
		mustNot(t, i.SetTransform(func(obj any) (any, error) {
			if p, ok := obj.(*corev1.Pod); ok && p.Name == "a" {
				return transform(obj)
			}
			return obj, nil
		}))
		d := &diary{}
		_, err := i.AddEventHandler(d)
		mustNot(t, err)
		run(t, i)
		test(t, s, i, d)
	})
}

func TestATransformThatFailsConcernsOneObject(t *testing.T) {
	for name, transform := range map[string]TransformFunc{
		"error": func(any) (any, error) { return nil, errors.New("no") },
		"nil":   func(any) (any, error) { return nil, nil },
		"panic": func(any) (any, error) { panic("no") },
	} {
		t.Run(name, func(t *testing.T) {
			transformed(t, transform, func(t *testing.T, s *stage, i *informer, d *diary) {
				wantEqual(t, "synced", i.HasSynced(), true)
				wantEqual(t, "heard", d.read(), []string{"initially b@1"})
				s.current().Modify(uid("a", "2", "ua"))
				s.current().Modify(uid("b", "3", "ub"))
				synctest.Wait()
				wantEqual(t, "then", d.read(), []string{"update b@1 to b@3"})
			})
		})
	}
}

func TestATransformMayBlankWhatIdentifiesAnObject(t *testing.T) { // 37: by the machine's own record
	blank := func(obj any) (any, error) {
		p := obj.(*corev1.Pod).DeepCopy()
		p.ResourceVersion, p.UID = "", ""
		return p, nil
	}
	transformed(t, blank, func(t *testing.T, s *stage, i *informer, d *diary) {
		wantEqual(t, "heard", d.read(), []string{"initially a@", "initially b@1"})
		s.current().Modify(uid("a", "1", "ua")) // once more the same
		s.current().Modify(uid("a", "2", "ua"))
		synctest.Wait()
		wantEqual(t, "an update", d.read(), []string{"update a@ to a@"})
		s.set("9", uid("a", "2", "ua"), uid("b", "1", "ub"))
		s.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantEqual(t, "a list that brings nothing new", len(d.read()), 0)
		s.set("10", uid("a", "10", "other"), uid("b", "1", "ub"))
		s.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		wantEqual(t, "another object of the same name", d.read(), []string{"delete a@?", "add a@"})
		wantEqual(t, "version", i.GetStore().LastStoreSyncResourceVersion(), "10")
	})
}

func TestATransformMayReturnAnotherType(t *testing.T) {
	key := func(any) (any, error) { return ExplicitKey("ns/a"), nil }
	transformed(t, key, func(t *testing.T, s *stage, i *informer, d *diary) {
		wantEqual(t, "heard", d.read(), []string{"initially cache.ExplicitKey", "initially b@1"})
		s.current().Modify(uid("a", "2", "ua"))
		synctest.Wait()
		wantEqual(t, "then", d.read(), []string{"update cache.ExplicitKey to cache.ExplicitKey"})
		s.current().Delete(uid("a", "3", "ua"))
		synctest.Wait()
		wantEqual(t, "in the store", len(i.GetStore().ListKeys()), 1)
	})
}

func TestAnIndexFunctionThatFailsIsCountedAndStopsNobody(t *testing.T) {
	bad := labelled(pod("ns", "bad", "1"), "fail", "panic")
	s := newStage(bad, pod("ns", "good", "1"))
	inBubble(t, s, SharedIndexInformerOptions{Indexers: Indexers{"f": failing}}, func(t *testing.T, i *informer) {
		d := &diary{}
		listen(t, i, d, HandlerOptions{})
		wantEqual(t, "heard", d.read(), []string{"initially bad@1", "initially good@1"})
		state := StateOf(i)
		wantEqual(t, "index errors", state.IndexErrors, 1)
		wantError(t, state.LastIndexError, "ns/bad")
		found, err := i.GetIndexer().ByIndex("f", "fine")
		mustNot(t, err)
		wantEqual(t, "found", namesOf(found), []string{"good"})
	})
}

func TestAnInformerWithoutAHandlerIsAnError(t *testing.T) {
	i := newStoredInformer(newStage().lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
	_, err := i.AddEventHandler(nil)
	wantError(t, err, "handler is nil")
	wantPanic(t, "MaxPending", func() {
		newStoredInformer(newStage().lw(), &corev1.Pod{}, SharedIndexInformerOptions{MaxPending: -1})
	})
}
