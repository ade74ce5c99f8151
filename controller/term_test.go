package controller

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/fence"
)

// term is one that a test lets expire without a timer, as when the process was stopped.
func term(t *testing.T) (ctx context.Context, expire func()) {
	t.Helper()
	var expired atomic.Bool
	f := fence.NewTerm("lease default/test", func() error {
		if expired.Load() {
			return errors.New("not renewed in time")
		}
		return nil
	})
	return fence.With(t.Context(), f), func() { expired.Store(true) }
}

// The context of a reconcile ends with the term at the first question, with and without a timeout, while the controller runs and
// while it winds down after the end of the context of Run.
func TestTheContextOfAReconcileEndsWithTheTermByTheClock(t *testing.T) {
	for name, test := range map[string]struct {
		timeout time.Duration
		stop    bool
	}{
		"running": {}, "running, with a timeout": {timeout: time.Hour},
		"stopping": {stop: true}, "stopping, with a timeout": {timeout: time.Hour, stop: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				parent, expire := term(t)
				parent, cancel := context.WithCancel(parent)
				defer cancel()
				var before, after, cause error
				var known bool
				config := Config[string]{Name: "test", Timeout: test.timeout, Sources: []Source[string]{Every("once", time.Hour, func() []string { return []string{"a"} })}}
				config.Reconcile = func(ctx context.Context, _ string) (Result, error) {
					known = fence.From(ctx) != nil
					if test.stop {
						cancel()
						time.Sleep(time.Second)
					}
					before = ctx.Err()
					expire()
					after, cause = ctx.Err(), context.Cause(ctx)
					cancel()
					return Result{}, nil
				}
				c, err := New(config)
				if err != nil {
					t.Fatal(err)
				}
				_ = c.Run(parent)
				if !known || before != nil || after == nil || !errors.Is(cause, fence.ErrTermOver) {
					t.Errorf("term known: %v; before its end %v, after it %v because of %v", known, before, after, cause)
				}
			})
		})
	}
}

// A worker that goes on after its process was stopped takes no further key.
func TestNoReconcileBeginsAfterTheTerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, expire := term(t)
		parent, cancel := context.WithCancel(parent)
		defer cancel()
		calls := 0
		c, err := New(Config[string]{
			Name:    "test",
			Sources: []Source[string]{Every("once", time.Hour, func() []string { return []string{"a", "b", "c"} })},
			Reconcile: func(context.Context, string) (Result, error) {
				calls++
				expire() // and nothing notices
				return Result{}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, cancel)
		_ = c.Run(parent)
		if calls != 1 {
			t.Errorf("%d reconciles began", calls)
		}
	})
}
