package controller

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/informers"
)

type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// An error that is a nil pointer cannot say what it is. That is a panic of the reconciler's, not of the process.
func TestAnErrorThatIsANilPointer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(_ context.Context, _ string, nth int) (Result, error) {
			var err *nilError
			if nth == 1 {
				return Result{}, err
			}
			return Result{}, nil
		}}
		r := start(t, s, nil)
		r.keys <- "a"
		time.Sleep(time.Minute)
		if state := r.State(); len(s.times("a")) != 2 || state.Panics != 1 {
			t.Errorf("%d tries, the state is %+v", len(s.times("a")), state)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

// A worker that is gone stops the controller, with an error.
func TestAWorkerThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(context.Context, string, int) (Result, error) {
			runtime.Goexit()
			return Result{}, nil
		}}
		r := start(t, s, nil)
		r.keys <- "a"
		if err := <-r.err; err == nil || !strings.Contains(err.Error(), "a worker ended unexpectedly") {
			t.Errorf("got %v", err)
		}
		if e := r.Explain("a"); e.Stage != StageNotRunning || !strings.Contains(e.Because, "a worker ended unexpectedly") {
			t.Errorf("got %v", e)
		}
		if err := r.State().Err(); err == nil || !strings.Contains(err.Error(), "a worker ended") {
			t.Errorf("got %v", err)
		}
		if item, _ := r.queue.(interface{ Len() int }), 0; item.Len() != 0 {
			t.Errorf("%d keys are left in the queue", item.Len())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(script), nil)
		r.queue.ShutDown()
		if err := <-r.err; err == nil || !strings.Contains(err.Error(), "the queue was shut down") {
			t.Errorf("got %v", err)
		}
	})
}

// A key whose last reconcile failed is not said to be done because others have failed since.
func TestErrorsOfOthersDoNotHideOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(_ context.Context, key string, nth int) (Result, error) {
			switch {
			case key == "a" && nth == 1:
				return Result{}, nil
			case key == "a":
				return Result{}, Terminal(errors.New("no such size"))
			}
			return Result{}, errors.New("broken")
		}}
		r := start(t, s, nil)
		for range 2 {
			r.keys <- "a"
			time.Sleep(time.Second)
		}
		for i := range 1000 {
			r.keys <- "other-" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		}
		time.Sleep(time.Second)
		if e := r.Explain("a"); e.Stage == StageDone {
			t.Errorf("got %v", e)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

// After a Terminal error and after a RequeueAfter, the back-off begins anew.
func TestTheBackOffBeginsAnew(t *testing.T) {
	for name, end := range map[string]func() (Result, error){
		"terminal": func() (Result, error) { return Result{}, Terminal(errors.New("no")) },
		"requeue":  func() (Result, error) { return Result{RequeueAfter: time.Hour}, nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{do: func(_ context.Context, _ string, nth int) (Result, error) {
				switch nth {
				case 4:
					return end()
				case 6:
					return Result{}, nil
				}
				return Result{}, errors.New("not yet")
			}}
			r := start(t, s, nil)
			r.keys <- "a"
			time.Sleep(time.Minute)
			if e := r.Explain("a"); e.Stage == StageBackingOff {
				t.Errorf("%s: %v", name, e)
			}
			r.keys <- "a"
			time.Sleep(2 * time.Hour)
			times := s.times("a")
			if len(times) < 6 || times[5]-times[4] != 5*time.Millisecond {
				t.Errorf("%s: reconciled at %v, want 5 ms between the fifth and the sixth", name, times)
			}
			if err := r.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnAbortBeforeRunReconcilesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("too late")
		s := new(script)
		c, err := New(Config[string]{Name: "x", Reconcile: s.reconcile, Sources: []Source[string]{
			Every("now", time.Hour, func() []string { return []string{"a", "b"} })}})
		if err != nil {
			t.Fatal(err)
		}
		c.Abort(cause)
		if err := c.Run(t.Context()); !errors.Is(err, cause) || len(s.all()) != 0 {
			t.Errorf("got %v, and %d calls", err, len(s.all()))
		}
	})
}

// deaf is a source that does not end, panics, or ends its goroutine.
type deaf struct {
	release        chan struct{}
	panics, goexit bool
}

func (d deaf) String() string { return "deaf" }
func (d deaf) Run(_ context.Context, _ Enqueuer[string], ready func()) error {
	ready()
	if d.panics {
		panic("oh dear")
	}
	if d.goexit {
		runtime.Goexit()
	}
	<-d.release
	return nil
}

func TestASourceThatDoesNotEndIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deaf{release: make(chan struct{})}
		r := start(t, new(script), func(c *Config[string]) { c.Sources = []Source[string]{d} })
		if err := r.end(); !errors.Is(err, ErrStopTimeout) || !strings.Contains(err.Error(), "deaf") {
			t.Errorf("got %v", err)
		}
		close(d.release)
	})
}

// A reconcile and sources that do not stop cost no more than StopTimeout and five seconds together, which fits into the 30 s that a pod
// has, and leaves time for the lease.
func TestHowLongAStopTakesAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &script{do: func(context.Context, string, int) (Result, error) {
			<-release
			return Result{}, nil
		}}
		r := start(t, s, func(c *Config[string]) {
			c.Sources = append(c.Sources, deaf{release: release}, deaf{release: release})
		})
		r.keys <- "a"
		synctest.Wait()
		began := time.Now()
		err := r.end()
		if took := time.Since(began); took != 25*time.Second {
			t.Errorf("it took %v", took)
		}
		for _, want := range []string{"controller: workers still running after stop timeout", "key a", "source deaf"} {
			if !errors.Is(err, ErrStopTimeout) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q in it", err, want)
			}
		}
		close(release)
	})
}

// A source that is gone brings no keys any more. That is an error, even if it was ready.
func TestASourceThatEndsItsGoroutineStopsTheController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(script), func(c *Config[string]) { c.Sources = []Source[string]{deaf{goexit: true}} })
		if err := <-r.err; err == nil || !strings.Contains(err.Error(), "source deaf called runtime.Goexit") {
			t.Errorf("got %v", err)
		}
		if err := r.State().Err(); err == nil || !strings.Contains(err.Error(), "runtime.Goexit") {
			t.Errorf("the state is %v", err)
		}
	})
}

func TestASourceThatPanicsStopsTheController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(script), func(c *Config[string]) { c.Sources = []Source[string]{deaf{panics: true}} })
		if err := <-r.err; err == nil || !strings.Contains(err.Error(), "source deaf panicked: oh dear") {
			t.Errorf("got %v", err)
		}
	})
}

// A predicate that panics for ever loses no event.
func TestAPredicateThatPanicsLosesNothing(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps(), func(Event[*corev1.ConfigMap]) bool { panic("oh dear") })}})
		time.Sleep(time.Second)
		c.create("one")
		c.expect("a creation", "default/one")
		if e := c.Explain(one); !strings.Contains(e.Because, "panicked 1 time, last panic") || !strings.Contains(e.Because, "oh dear") {
			t.Errorf("got %v", e)
		}
	})
}

// A key that comes again in an hour is not watched meanwhile, if the watch is dead; and what was left out is told.
func TestADelayHidesNothing(t *testing.T) {
	bubble(t, func(c *cluster) {
		m := c.create("one")
		c.run(Config[cache.ObjectName]{
			Sources:   names{For(c.maps(), GenerationChanged[*corev1.ConfigMap]())},
			Reconcile: answer(Result{RequeueAfter: time.Hour}, nil),
		})
		time.Sleep(time.Second)
		c.update(m, setData("new"))
		time.Sleep(time.Second)
		if e := c.Explain(one); e.Stage != StageDelayed || !strings.Contains(e.Because, "was filtered by a predicate") {
			t.Errorf("got %v", e)
		}
		// A cut that is mended at once is not an error.
		c.server.CutConnections()
		time.Sleep(10 * time.Second)
		if e := c.Explain(one); e.Stage != StageDelayed {
			t.Errorf("after a cut: %v", e)
		}
		c.inject("list,watch configmaps: 403")
		c.server.CutConnections()
		time.Sleep(10 * time.Minute)
		if e := c.Explain(one); e.Stage != StageNotWatched {
			t.Errorf("got %v", e)
		}
	})
}

// One namespace that is forbidden says nothing about the keys of another.
func TestErrorsOfAnotherNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		factory, err := informers.New(informers.Config{Client: c.client, Namespaces: []string{"default", "locked"}})
		if err != nil {
			t.Fatal(err)
		}
		c.factory = factory
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps())}})
		time.Sleep(time.Second)
		c.inject("list,watch configmaps namespace=locked: 403")
		c.server.CutConnections()
		time.Sleep(time.Minute)
		c.create("one")
		time.Sleep(time.Second)
		if e := c.Explain(one); e.Stage != StageDone {
			t.Errorf("got %v", e)
		}
		c.end()
	})
}

func TestAHandlerIsGoneAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		informer := c.maps()
		c.prepare(Config[cache.ObjectName]{Sources: names{For(informer)}})
		background, stop := context.WithCancel(t.Context())
		c.factory.StartWithContext(background)
		go func() { c.err <- c.Run(c.ctx) }()
		time.Sleep(time.Second)
		if n := len(cache.StateOf(informer).Handlers); n != 1 {
			t.Errorf("%d handlers", n)
		}
		c.cancel()
		if err := <-c.err; err != nil {
			t.Error(err)
		}
		if n := len(cache.StateOf(informer).Handlers); n != 0 {
			t.Errorf("%d handlers after the end", n)
		}
		stop()
		c.factory.Shutdown()
	})
}

// An informer that stops before the controller is an error.
func TestAnInformerThatStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.prepare(Config[cache.ObjectName]{Sources: names{For(c.maps())}})
		background, stop := context.WithCancel(t.Context())
		c.factory.StartWithContext(background)
		go func() { c.err <- c.Run(c.ctx) }()
		time.Sleep(time.Second)
		stop()
		c.factory.Shutdown()
		if err := <-c.err; err == nil || !strings.Contains(err.Error(), "receives no more events") {
			t.Errorf("got %v", err)
		}
		c.cancel()
	})
}

func TestAResyncIsToldAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.factory = informers.NewSharedInformerFactory(c.client, time.Minute)
		c.create("one")
		var reasons []Reason
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps(), func(e Event[*corev1.ConfigMap]) bool {
			if e.Reason == Resynced && e.Old != nil {
				t.Error("a resync has a state before")
			}
			reasons = append(reasons, e.Reason)
			return true
		}, VersionChanged[*corev1.ConfigMap]())}})
		time.Sleep(90 * time.Second)
		c.end()
		if !slices.Equal(reasons, []Reason{Initial, Resynced}) || len(c.seen) != 1 {
			t.Errorf("reasons %v, reconciled %v", reasons, c.seen)
		}
	})
}

// owning is OwnWrites that owns everything, or nothing.
type owning bool

func (o owning) OwnAdd(any) bool         { return bool(o) }
func (o owning) OwnUpdate(_, _ any) bool { return bool(o) }
func (o owning) OwnDelete(any) bool      { return bool(o) }

func TestByOthers(t *testing.T) {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}
	own, others := ByOthers[*corev1.ConfigMap](owning(true)), ByOthers[*corev1.ConfigMap](owning(false))
	for _, reason := range []Reason{Added, Updated, Deleted, Initial, Resynced} {
		e := Event[*corev1.ConfigMap]{Reason: reason, Object: m}
		if reason == Updated {
			e.Old = m
		}
		if always := reason == Initial || reason == Resynced; own(e) != always || !others(e) {
			t.Errorf("%v: own ones pass: %t, those of others: %t", reason, own(e), others(e))
		}
	}
	if !own(Event[*corev1.ConfigMap]{Reason: Deleted, Name: one}) {
		t.Error("a deletion of which nothing is known does not pass")
	}
}

// A deletion of which only the name is known passes what cannot be decided about it.
func TestADeletionWithoutAnObject(t *testing.T) {
	e := Event[*corev1.ConfigMap]{Reason: Deleted, Name: one}
	if !Labelled[*corev1.ConfigMap](nil)(e) || !GenerationChanged[*corev1.ConfigMap]()(e) || !VersionChanged[*corev1.ConfigMap]()(e) {
		t.Error("it is left out")
	}
	owner := Owner{Group: "example.com", Kind: "Widget"}
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}
	yes := true
	for _, version := range []string{"other.com/v1", "v1", "/", "", "example.com.evil/v1"} {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: "Widget", Name: "w", Controller: &yes}}
		if keys := owner.of(m, nil); len(keys) != 0 {
			t.Errorf("an owner of %q is taken for one of example.com: %v", version, keys)
		}
	}
}
