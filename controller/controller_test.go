package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/cache"
	"vedette.dev/workqueue"
)

func TestAKeyIsReconciledOnceForManyEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(_ context.Context, key string, _ int) (Result, error) {
			if key == "slow" {
				time.Sleep(time.Second)
			}
			return Result{}, nil
		}}
		r := start(t, s, nil)
		r.keys <- "slow"
		synctest.Wait()
		for range 10 {
			r.keys <- "a"
		}
		time.Sleep(time.Minute)
		if got := s.times("a"); len(got) != 1 {
			t.Errorf("reconciled at %v, want once", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestAnEventDuringAReconcileRunsTheKeyAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		s := &script{do: func(context.Context, string, int) (Result, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(time.Second)
			return Result{}, nil
		}}
		r := start(t, s, func(c *Config[string]) { c.Workers = 4 })
		r.keys <- "a"
		synctest.Wait()
		r.keys <- "a"
		r.keys <- "a"
		time.Sleep(time.Minute)
		if got := s.times("a"); !slices.Equal(got, []time.Duration{0, time.Second}) {
			t.Errorf("reconciled at %v, want at 0s and 1s", got)
		}
		if most.Load() != 1 {
			t.Errorf("%d workers had the key at the same time", most.Load())
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestWorkersWorkAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(context.Context, string, int) (Result, error) {
			time.Sleep(time.Second)
			return Result{}, nil
		}}
		r := start(t, s, func(c *Config[string]) { c.Workers = 3 })
		for i := range 9 {
			r.keys <- fmt.Sprint(i)
		}
		time.Sleep(2500 * time.Millisecond)
		if got := len(s.all()); got != 9 {
			t.Errorf("%d reconciles had begun after 2.5 s, want 9", got)
		}
		if state := r.State(); len(state.Busy) != 3 || state.Workers != 3 || state.Phase != PhaseRunning || state.Reconciles != 6 {
			t.Errorf("the state is %+v", state)
		}
		// Each has a number of its own, by which it is known for as long as it is at the key.
		keys := make(map[int]string)
		for _, b := range r.State().Busy {
			keys[b.Worker] = b.Key
		}
		time.Sleep(100 * time.Millisecond)
		for _, b := range r.State().Busy {
			if keys[b.Worker] != b.Key || b.Worker < 1 || b.Worker > 3 || len(keys) != 3 {
				t.Errorf("worker %d is at %s, and was at %v", b.Worker, b.Key, keys)
			}
			if e, _ := r.ExplainString(b.Key); e.Because != fmt.Sprintf("being reconciled by worker %d of 3", b.Worker) {
				t.Errorf("%s: %s", b.Key, e.Because)
			}
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestAnErrorIsTriedAgainAfterABackOffThatGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(_ context.Context, _ string, nth int) (Result, error) {
			if nth <= 4 {
				return Result{}, errors.New("not yet")
			}
			return Result{}, nil
		}}
		m := new(heard)
		r := start(t, s, func(c *Config[string]) { c.Metrics = m })
		r.keys <- "a"
		time.Sleep(time.Hour)
		ms := time.Millisecond
		if got := s.times("a"); !slices.Equal(got, []time.Duration{0, 5 * ms, 15 * ms, 35 * ms, 75 * ms}) {
			t.Errorf("reconciled at %v", got)
		}
		if n := r.queue.NumRequeues("a"); n != 0 {
			t.Errorf("%d failures are remembered after success", n)
		}
		if state := r.State(); state.Reconciles != 5 || state.Failures != 4 {
			t.Errorf("the state is %+v", state)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		e := OutcomeError
		if want := []Outcome{e, e, e, e, OutcomeSuccess}; !slices.Equal(m.outcomes, want) || m.began != 5 || !m.closed {
			t.Errorf("metrics heard of %v (%d began, closed: %t), want %v", m.outcomes, m.began, m.closed, want)
		}
	})
}

func TestAnErrorForEverIsTriedEverLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(context.Context, string, int) (Result, error) { return Result{}, errors.New("never") }}
		r := start(t, s, nil)
		r.keys <- "a"
		r.keys <- "b"
		time.Sleep(24 * time.Hour)
		if got := len(s.times("a")); got < 90 || got > 120 {
			t.Errorf("%d tries in a day, want one each 1000 s in the end", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestATerminalErrorWaitsForAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(context.Context, string, int) (Result, error) {
			return Result{}, fmt.Errorf("wrapped: %w", Terminal(errors.New("the spec makes no sense")))
		}}
		m := new(heard)
		r := start(t, s, func(c *Config[string]) { c.Metrics = m })
		r.keys <- "a"
		time.Sleep(time.Hour)
		r.keys <- "a"
		time.Sleep(time.Hour)
		if got := s.times("a"); !slices.Equal(got, []time.Duration{0, time.Hour}) {
			t.Errorf("reconciled at %v", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if want := []Outcome{OutcomeTerminal, OutcomeTerminal}; !slices.Equal(m.outcomes, want) {
			t.Errorf("metrics heard of %v, want %v", m.outcomes, want)
		}
	})
	if Terminal(nil) != nil || IsTerminal(errors.New("other")) {
		t.Error("nil and other errors are not terminal")
	}
}

func TestRequeueAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(_ context.Context, key string, nth int) (Result, error) {
			switch {
			case key == "once" && nth == 1:
				return Result{RequeueAfter: time.Minute}, nil
			case key == "past" && nth <= 3:
				return Result{RequeueAfter: -time.Minute}, nil
			}
			return Result{}, nil
		}}
		r := start(t, s, nil)
		r.keys <- "once"
		r.keys <- "past"
		time.Sleep(time.Hour)
		if got := s.times("once"); !slices.Equal(got, []time.Duration{0, time.Minute}) {
			t.Errorf("reconciled at %v, want at 0s and 1m", got)
		}
		ms := time.Millisecond
		if got := s.times("past"); !slices.Equal(got, []time.Duration{0, 5 * ms, 15 * ms, 35 * ms}) {
			t.Errorf("one that asks for the past was reconciled at %v, want with a back-off", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestATimeLimitEndsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(ctx context.Context, _ string, nth int) (Result, error) {
			if nth > 1 {
				return Result{}, nil
			}
			<-ctx.Done()
			return Result{}, ctx.Err()
		}}
		m := new(heard)
		r := start(t, s, func(c *Config[string]) { c.Timeout, c.Metrics = time.Second, m })
		r.keys <- "a"
		time.Sleep(time.Minute)
		if got := s.times("a"); !slices.Equal(got, []time.Duration{0, 1005 * time.Millisecond}) {
			t.Errorf("reconciled at %v", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if want := []Outcome{OutcomeTimeout, OutcomeSuccess}; !slices.Equal(m.outcomes, want) {
			t.Errorf("metrics heard of %v, want %v", m.outcomes, want)
		}
	})
}

func TestAPanicIsAnErrorWithAStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(_ context.Context, _ string, nth int) (Result, error) {
			if nth == 1 {
				panic("oh dear")
			}
			return Result{}, nil
		}}
		r := start(t, s, nil)
		r.keys <- "a"
		r.keys <- "b"
		time.Sleep(time.Minute)
		if got := len(s.all()); got != 4 {
			t.Errorf("%d calls, want 4: each of two keys panics and is tried again", got)
		}
		if state := r.State(); state.Panics != 2 {
			t.Errorf("%d panics counted, want 2", state.Panics)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		for _, want := range []string{"oh dear", "key=a", "controller_test.go"} {
			if !strings.Contains(r.log.String(), want) {
				t.Errorf("the log does not say %q: %s", want, r.log)
			}
		}
	})
}

func TestAStopLetsReconcilesEndAndDropsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		s := &script{do: func(ctx context.Context, _ string, _ int) (Result, error) {
			time.Sleep(10 * time.Second)
			ended = ctx.Err() == nil
			return Result{RequeueAfter: time.Second}, nil
		}}
		r := start(t, s, nil)
		r.keys <- "a"
		r.keys <- "b"
		synctest.Wait()
		began := time.Now()
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if !ended || time.Since(began) != 10*time.Second || len(s.all()) != 1 {
			t.Errorf("stopped after %v with %d calls, context alive to the end: %t; want 10s, 1 and true", time.Since(began), len(s.all()), ended)
		}
		if state := r.State(); state.Phase != PhaseStopped || state.Err() == nil {
			t.Errorf("the state is %+v", state)
		}
	})
}

func TestAReconcileThatTakesTooLongToStopIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{do: func(ctx context.Context, _ string, _ int) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}}
		for _, limit := range []time.Duration{0, time.Second, -1} {
			r := start(t, s, func(c *Config[string]) { c.StopTimeout = limit })
			r.keys <- "a"
			synctest.Wait()
			began := time.Now()
			if err := r.end(); err != nil {
				t.Error(err)
			}
			if want := map[time.Duration]time.Duration{0: 20 * time.Second, time.Second: time.Second, -1: 0}[limit]; time.Since(began) != want {
				t.Errorf("with StopTimeout %v it took %v, want %v", limit, time.Since(began), want)
			}
		}
	})
}

func TestAbortGivesReconcilesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the lease is lost")
		var seen error
		s := &script{do: func(ctx context.Context, _ string, _ int) (Result, error) {
			<-ctx.Done()
			seen = context.Cause(ctx)
			return Result{}, ctx.Err()
		}}
		for _, draining := range []bool{false, true} {
			r := start(t, s, nil)
			r.keys <- "a"
			synctest.Wait()
			if draining {
				r.stop()
				time.Sleep(5 * time.Second)
			}
			began := time.Now()
			r.Abort(cause)
			err := <-r.err
			if !errors.Is(seen, cause) || time.Since(began) != 0 || !draining && !errors.Is(err, cause) {
				t.Errorf("while draining: %t: the reconcile saw %v, Run returned %v after %v", draining, seen, err, time.Since(began))
			}
			r.stop()
		}
	})
}

func TestAReconcileThatNeverEndsIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &script{do: func(context.Context, string, int) (Result, error) { <-release; return Result{}, nil }}
		r := start(t, s, nil)
		r.keys <- "stuck-one"
		synctest.Wait()
		err := r.end()
		if err == nil || !strings.Contains(err.Error(), "stuck-one") {
			t.Errorf("got %v, want an error that names the key", err)
		}
		close(release)
	})
}

// unready is a source that never is.
type unready struct{ err error }

func (u unready) String() string { return "unready" }
func (u unready) Run(ctx context.Context, _ Enqueuer[string], _ func()) error {
	if u.err != nil {
		return u.err
	}
	<-ctx.Done()
	return nil
}

func TestNothingIsReconciledBeforeAllSourcesAreReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(script)
		keys := make(chan string, 1)
		r := start(t, s, func(c *Config[string]) {
			c.Sources = []Source[string]{Channel("keys", keys), unready{}}
		})
		keys <- "a"
		time.Sleep(time.Minute)
		if state := r.State(); len(s.all()) != 0 || state.Phase != PhaseSyncing || !slices.Equal(state.NotReady, []string{"unready"}) {
			t.Errorf("%d calls, the state is %+v", len(s.all()), state)
		}
		err := <-r.err
		if err == nil || !strings.Contains(err.Error(), "unready was not ready within 2m0s") {
			t.Errorf("got %v", err)
		}
	})
}

func TestASourceThatFailsStopsTheController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(script), func(c *Config[string]) {
			c.Sources = append(c.Sources, unready{errors.New("no such kind")})
		})
		if err := <-r.err; err == nil || !strings.Contains(err.Error(), "no such kind") || !strings.Contains(err.Error(), "test") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAControllerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(script), nil)
		if err := r.Run(t.Context()); err == nil {
			t.Error("it ran twice")
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if err := r.Run(t.Context()); err == nil {
			t.Error("it ran again after its end")
		}
	})
}

func TestEveryBringsKeysAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(script)
		r := start(t, s, func(c *Config[string]) {
			c.Sources = []Source[string]{Every("minutely", time.Minute, func() []string { return []string{"a", "b"} })}
		})
		time.Sleep(150 * time.Second)
		if got := len(s.times("a")); got != 3 {
			t.Errorf("%d calls, want 3", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestAClosedChannelBringsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(script)
		r := start(t, s, nil)
		close(r.keys)
		r.Add("by hand")
		time.Sleep(time.Minute)
		if got := s.all(); len(got) != 1 {
			t.Errorf("calls %v, want one", got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsWrongWithAConfigIsNamed(t *testing.T) {
	good := func() Config[string] { return Config[string]{Name: "x", Reconcile: new(script).reconcile} }
	for field, corrupt := range map[string]func(*Config[string]){
		"Name":       func(c *Config[string]) { c.Name = "" },
		"Reconcile":  func(c *Config[string]) { c.Reconcile = nil },
		"Workers":    func(c *Config[string]) { c.Workers = -1 },
		"Timeout":    func(c *Config[string]) { c.Timeout = -1 },
		"OnPanic":    func(c *Config[string]) { c.OnPanic = 7 },
		"Sources":    func(c *Config[string]) { c.Sources = make([]Source[string], 256) },
		"Sources[1]": func(c *Config[string]) { c.Sources = []Source[string]{unready{}, nil} },
		"Queue": func(c *Config[string]) {
			c.Queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
			c.Tenant = func(string) string { return "" }
		},
	} {
		config := good()
		corrupt(&config)
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), "Config."+field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if _, err := New(good()); err != nil {
		t.Error(err)
	}
	if _, err := New(Config[int]{Name: "ints", Reconcile: func(context.Context, int) (Result, error) { return Result{}, nil }}); err != nil {
		t.Error(err)
	}
}

func TestKeysAreRead(t *testing.T) {
	reconcile := func(context.Context, cache.ObjectName) (Result, error) { return Result{}, nil }
	c, err := New(Config[cache.ObjectName]{Name: "names", Reconcile: reconcile})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := c.ExplainString("ns/name"); err != nil || e.Key != "ns/name" || e.Stage != StageNotRunning {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err := c.ExplainString("a/b/c"); err == nil || !strings.Contains(err.Error(), "a/b/c") {
		t.Errorf("got %v", err)
	}
	ints, err := New(Config[int]{Name: "ints", Reconcile: func(context.Context, int) (Result, error) { return Result{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ints.ExplainString("1"); err == nil || !strings.Contains(err.Error(), "ParseKey") {
		t.Errorf("got %v", err)
	}
}

func TestAQueueOfTheUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(script)
		r := start(t, s, func(c *Config[string]) {
			c.Queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
		})
		r.keys <- "a"
		time.Sleep(time.Second)
		if len(s.all()) != 1 {
			t.Errorf("calls %v", s.all())
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
}
