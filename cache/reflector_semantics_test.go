package cache

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Point 48.
func TestReflectorIsNamedAfterItsPlace(t *testing.T) {
	r := NewReflector(newPuppet("1"), &corev1.Pod{}, newPodStore(), 0)
	if !strings.HasPrefix(r.Name(), "vedette.dev/cache/reflector_semantics_test.go:") {
		t.Errorf("the name is %q", r.Name())
	}
	wantEqual(t, "name", NewNamedReflector("mine", newPuppet("1"), &corev1.Pod{}, newPodStore(), 0).Name(), "mine")
	wantEqual(t, "type", r.TypeDescription(), "*v1.Pod")
	wantEqual(t, "no type", NewReflector(newPuppet("1"), nil, newPodStore(), 0).TypeDescription(), "<unspecified>")
}

// Point 52.
func TestWatchesLastFiveToTenMinutes(t *testing.T) {
	for _, c := range []struct {
		least    time.Duration
		random   float64
		min, max int64
	}{
		{0, 0, 300, 300}, {0, 0.999, 599, 600}, {time.Minute, 0, 300, 300}, {time.Hour, 0, 3600, 3600}, {time.Hour, 0.999, 7190, 7200},
	} {
		p := newPuppet("1")
		synctest.Test(t, func(t *testing.T) {
			r := NewReflectorWithOptions(p, &corev1.Pod{}, newPodStore(), ReflectorOptions{MinWatchTimeout: c.least})
			r.core.Random = func() float64 { return c.random }
			while(t, r, func() {})
		})
		if got := *p.watches[0].TimeoutSeconds; got < c.min || got > c.max {
			t.Errorf("%v with %v: %d seconds", c.least, c.random, got)
		}
		if !p.watches[0].AllowWatchBookmarks {
			t.Error("no bookmarks are asked for")
		}
	}
}

// Point 55: a watch that begins without a version sends what there is in no order.
func TestVersionWaitsForTheFirstChange(t *testing.T) {
	p := newPuppet("")
	reflecting(t, p, newPodStore(), ReflectorOptions{}, func(r *Reflector) {
		wantEqual(t, "begins at", p.watches[0].ResourceVersion, "")
		p.current().Add(pod("", "a", "7"))
		p.current().Add(pod("", "b", "3"))
		synctest.Wait()
		wantEqual(t, "version after additions", r.LastSyncResourceVersion(), "")
		p.current().Modify(pod("", "b", "9"))
		p.current().Add(pod("", "c", "10"))
		synctest.Wait()
		wantEqual(t, "version after a change", r.LastSyncResourceVersion(), "10")
	})
}

// Points 54 and 57: the handler hears of lists and of watches that cannot begin, and not of what ends a watch later.
func TestHandlerHearsOfWhatCannotBegin(t *testing.T) {
	p := newPuppet("1")
	good := p.watch
	forbidden := apierrors.NewForbidden(corev1.Resource("pods"), "", errBad)
	p.watch = func(metav1.ListOptions) (watch.Interface, error) { return nil, forbidden }
	var heard []error
	synctest.Test(t, func(t *testing.T) {
		var r *Reflector
		r = newReflector(p, &corev1.Pod{}, newPodStore(), ReflectorOptions{}, func(_ context.Context, got *Reflector, err error) {
			wantEqual(t, "reflector", got == r, true)
			heard = append(heard, err)
		})
		r.core.Random = func() float64 { return 0 }
		while(t, r, func() {
			wantEqual(t, "heard", heard, []error{forbidden})
			wantEqual(t, "phase", r.State().Phase, PhaseBackingOff)
			p.change(func() { p.watch = good })
			time.Sleep(time.Second)
			synctest.Wait()
			p.current().Error(&apierrors.NewInternalError(errBad).ErrStatus)
			synctest.Wait()
			wantEqual(t, "heard", len(heard), 1)
			wantEqual(t, "cause", apierrors.IsInternalError(r.State().Cause), true)
		})
	})
	if lists, _ := p.asked(); lists != 2 {
		t.Errorf("%d lists", lists)
	}
}

// Point 54: MaxInternalErrorRetryDuration.
func TestInternalErrorsAreWorthAnotherWatchForAWhile(t *testing.T) {
	p := newPuppet("1")
	synctest.Test(t, func(t *testing.T) {
		r := NewReflector(p, &corev1.Pod{}, newPodStore(), 0)
		r.core.Random = func() float64 { return 0 }
		r.MaxInternalErrorRetryDuration = 3 * time.Second
		while(t, r, func() {
			for _, wantLists := range []int{1, 2, 2} {
				p.current().Error(&apierrors.NewInternalError(errBad).ErrStatus)
				time.Sleep(4 * time.Second)
				synctest.Wait()
				lists, _ := p.asked()
				wantEqual(t, "lists", lists, wantLists)
			}
		})
	})
}

// Point 60.
func TestResyncAsksFirstAndEndsTheWatchIfItFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := newPuppet("1"), newScript(t)
		r := NewReflector(p, &corev1.Pod{}, s.store, 10*time.Second)
		r.core.Random = func() float64 { return 0 }
		var should atomic.Bool
		r.ShouldResync = should.Load
		while(t, r, func() {
			s.said()
			time.Sleep(15 * time.Second)
			synctest.Wait()
			wantEqual(t, "heard", s.said(), "")
			should.Store(true)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			wantEqual(t, "heard", s.said(), "20s    resync\n")
			s.store.fails.Store(true)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			wantEqual(t, "cause", errors.Is(r.State().Cause, errBad), false) // a list was made since
			wantEqual(t, "heard", s.said(), "30s    resync\n30.8s  replace 1:\n")
		})
	})
}

// Point 61.
func TestPanicOfTheListFunctionIsRaisedInRun(t *testing.T) {
	p := newPuppet("1")
	p.list = func(metav1.ListOptions) (runtime.Object, error) { panic("boom") }
	wantPanic(t, "boom", func() {
		NewReflector(p, &corev1.Pod{}, newPodStore(), 0).RunWithContext(t.Context())
	})
}

// A function that pays no heed to the context does not hold up a stop.
func TestStopDoesNotWaitForDeafFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := make(chan struct{})
		p := newPuppet("1")
		p.list = func(metav1.ListOptions) (runtime.Object, error) {
			<-deaf
			return podList("1"), nil
		}
		while(t, NewReflector(p, &corev1.Pod{}, newPodStore(), 0), func() {})
		close(deaf)
		stopped := watch.NewFake()
		deaf = make(chan struct{})
		p = newPuppet("1")
		p.watch = func(metav1.ListOptions) (watch.Interface, error) {
			<-deaf
			return stopped, nil
		}
		while(t, NewReflector(p, &corev1.Pod{}, newPodStore(), 0), func() {})
		close(deaf)
		synctest.Wait()
		wantEqual(t, "stopped", stopped.IsStopped(), true)
	})
}

func TestListAndWatchIsOneRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet("1")
		p.list = func(metav1.ListOptions) (runtime.Object, error) { return nil, errBad }
		r := NewReflector(p, &corev1.Pod{}, newPodStore(), 0)
		wantError(t, r.ListAndWatch(t.Context().Done()), "failed to list *v1.Pod: bad object")
		p = newPuppet("1")
		r = NewReflector(p, &corev1.Pod{}, newPodStore(), 0)
		go func() {
			synctest.Wait()
			p.current().Error(&apierrors.NewResourceExpired("too old").ErrStatus)
		}()
		mustNot(t, r.ListAndWatch(nil))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		mustNot(t, r.ListAndWatchWithContext(ctx))
	})
}
