package cache

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/engine"
)

// in is a pod of some namespace.
func in(namespace, name, version string) *corev1.Pod { return pod(namespace, name, version) }

func TestTheSetOfNamespacesMayChangeWhileAnInformerRuns(t *testing.T) {
	stages := map[string]*stage{
		"one":   newStage(in("one", "a", "1")),
		"two":   newStage(in("two", "b", "1")),
		"three": newStage(in("three", "c", "1"), in("three", "d", "1")),
	}
	synctest.Test(t, func(t *testing.T) {
		i := NewNamespacedInformer(func(namespace string) ListerWatcher { return stages[namespace].lw() },
			&corev1.Pod{}, []string{"one", "two"}, SharedIndexInformerOptions{})
		d := &diary{}
		r, err := i.AddEventHandler(d)
		mustNot(t, err)
		run(t, i)
		wantEqual(t, "synced", []bool{i.HasSynced(), r.HasSynced()}, []bool{true, true})
		wantEqual(t, "at first", sorted(d.read()), []string{"initially a@1", "initially b@1"})

		mustNot(t, i.SetNamespaces("one", "two", "three"))
		synctest.Wait()
		wantEqual(t, "one more", d.read(), []string{"add c@1", "add d@1"})
		wantEqual(t, "lists", []int{stages["one"].lists, stages["two"].lists, stages["three"].lists}, []int{1, 1, 1})
		stages["three"].current().Modify(in("three", "c", "2"))
		synctest.Wait()
		wantEqual(t, "and its changes", d.read(), []string{"update c@1 to c@2"})

		mustNot(t, i.SetNamespaces("three", "two"))
		synctest.Wait()
		wantEqual(t, "one less", d.read(), []string{"delete a@1?"})
		wantEqual(t, "namespaces", i.Namespaces(), []string{"three", "two"})
		wantEqual(t, "in the store", namesOf(i.GetStore().List()), []string{"b", "c", "d"})
		wantEqual(t, "lists", []int{stages["one"].lists, stages["two"].lists, stages["three"].lists}, []int{1, 1, 1})

		mustNot(t, i.SetNamespaces())
		synctest.Wait()
		wantEqual(t, "none", sorted(d.read()), []string{"delete b@1?", "delete c@2?", "delete d@1?"})
		wantError(t, i.SetNamespaces("a/b"), "invalid namespace")
		wantError(t, i.SetNamespaces(""), "invalid namespace")
	})
}

func TestAnInformerOfNoNamespaceIsSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewNamespacedInformer(nil, &corev1.Pod{}, nil, SharedIndexInformerOptions{})
		run(t, i)
		wantEqual(t, "synced", i.HasSynced(), true)
	})
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// slowToEnd returns a source of one pod for each namespace, whose watches end some time after they were told to.
func slowToEnd(wait time.Duration) func(namespace string) ListerWatcher {
	return func(namespace string) ListerWatcher {
		s := newStage(in(namespace, namespace+"-1", "1"))
		return &ListWatch{
			ListWithContextFunc: func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) { return s.listNow(o) },
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				if o.SendInitialEvents != nil {
					return s.watchNow(o)
				}
				<-ctx.Done()
				time.Sleep(wait)
				return nil, ctx.Err()
			},
		}
	}
}

func TestANamespaceThatComesBackWhileItGoesIsListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewNamespacedInformer(slowToEnd(300*time.Millisecond), &corev1.Pod{}, []string{"a", "b"}, SharedIndexInformerOptions{})
		d := &diary{}
		_, err := i.AddEventHandler(d)
		mustNot(t, err)
		run(t, i)
		d.read()
		mustNot(t, i.SetNamespaces("b"))
		mustNot(t, i.SetNamespaces("a", "b"))
		mustNot(t, i.SetNamespaces("b"))
		var both sync.WaitGroup
		both.Go(func() { mustNot(t, i.SetNamespaces("a", "b")) })
		both.Go(func() { mustNot(t, i.SetNamespaces("b", "a")) })
		both.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		wantEqual(t, "namespaces", i.Namespaces(), []string{"a", "b"})
		wantEqual(t, "in the store", namesOf(i.GetStore().List()), []string{"a-1", "b-1"})
		wantEqual(t, "heard", d.read(), []string{"delete a-1@1?", "add a-1@1"})
	})
}

func TestTheEndDoesNotWaitForNamespacesForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewNamespacedInformer(slowToEnd(time.Second), &corev1.Pod{}, []string{"a"}, SharedIndexInformerOptions{MaxPending: 1})
		stop, ended := startInformer(t, i)
		mustNot(t, i.SetNamespaces("b"))
		mustNot(t, i.SetNamespaces("a", "b"))
		stop()
		for range 5 { // all the while that it ends
			if err := i.SetNamespaces("a", "c"); err != nil {
				wantEqual(t, "error", err, engine.ErrStopped)
			}
			time.Sleep(100 * time.Millisecond)
		}
		<-ended
		wantEqual(t, "error", i.SetNamespaces("a"), engine.ErrStopped)
	})
}

// A watch error handler runs in the goroutine of its feed: one that leaves its own namespace out must not wait for itself.
func TestAnyCodeMaySetTheNamespaces(t *testing.T) {
	for _, by := range []string{"handler", "transform", "error handler", "source", "index function"} {
		t.Run(by, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var i NamespacedInformer
				var ready atomic.Bool // until it was called once
				set := func(caller string) {
					if caller == by && ready.Swap(false) {
						mustNot(t, i.SetNamespaces("b"))
					}
				}
				stages := map[string]*stage{"a": newStage(in("a", "a-1", "1")), "b": newStage(in("b", "b-1", "1")), "c": newStage(in("c", "c-1", "1"))}
				if by == "error handler" {
					stages["a"].listErr = errors.New("forbidden")
				}
				lw := func(namespace string) ListerWatcher {
					set("source")
					return stages[namespace].lw()
				}
				index := func(any) ([]string, error) {
					set("index function")
					return nil, nil
				}
				i = NewNamespacedInformer(lw, &corev1.Pod{}, []string{"a"}, SharedIndexInformerOptions{Indexers: Indexers{"f": index}})
				mustNot(t, i.SetTransform(func(obj any) (any, error) {
					set("transform")
					return obj, nil
				}))
				mustNot(t, i.SetWatchErrorHandlerWithContext(func(context.Context, *Reflector, error) { set("error handler") }))
				_, err := i.AddEventHandler(&diary{during: func(string) { set("handler") }})
				mustNot(t, err)
				ready.Store(true)
				run(t, i)
				if by == "source" {
					mustNot(t, i.SetNamespaces("a", "c")) // which is set after what is set meanwhile
					synctest.Wait()
					mustNot(t, i.SetNamespaces("b"))
				}
				synctest.Wait()
				wantEqual(t, "namespaces", i.Namespaces(), []string{"b"})
				wantEqual(t, "in the store", namesOf(i.GetStore().List()), []string{"b-1"})
			})
		})
	}
}
