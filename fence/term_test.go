package fence_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/fence"
)

var errLate = errors.New("not renewed in time")

// lease is a term that a test can let expire, without any timer.
type lease struct {
	*fence.Term
	expired atomic.Bool
}

func newLease() *lease {
	l := new(lease)
	l.Term = fence.NewTerm("lease default/work", func() error {
		if l.expired.Load() {
			return errLate
		}
		return nil
	})
	return l
}

func TestATermEndsByTheClockAndStaysSo(t *testing.T) {
	l := newLease()
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	l.AfterEnd(func() { close(ended) })
	l.expired.Store(true)
	err := l.Err()
	if !errors.Is(err, fence.ErrTermOver) || !errors.Is(err, errLate) || !strings.Contains(err.Error(), "lease default/work") {
		t.Errorf("got %v", err)
	}
	<-ended
	<-l.Done()
	l.expired.Store(false) // a renewal that comes too late
	l.End(errors.New("another reason"))
	if again := l.Err(); again != err {
		t.Errorf("first %v, then %v", err, again)
	}
}

// The first question after a stop of the process gets the right answer, whichever of the contexts is asked.
func TestAContextAsksTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		for name, derive := range map[string]func(context.Context) (context.Context, context.CancelCauseFunc){
			"context": func(parent context.Context) (context.Context, context.CancelCauseFunc) {
				return fence.WithCancelCause(parent)
			},
			"of one that does not end": func(parent context.Context) (context.Context, context.CancelCauseFunc) {
				return fence.WithCancelCause(context.WithoutCancel(parent))
			},
			"of one with a timeout": func(parent context.Context) (context.Context, context.CancelCauseFunc) {
				parent, cancel := context.WithTimeout(parent, time.Hour)
				t.Cleanup(cancel)
				return fence.WithCancelCause(parent)
			},
		} {
			l := newLease()
			ctx, cancel := derive(fence.With(context.WithValue(t.Context(), key{}, "value"), l.Term))
			child, cancelChild := context.WithCancel(ctx)
			if ctx.Err() != nil || ctx.Value(key{}) != "value" || fence.From(child) != l.Term {
				t.Errorf("%s: %v, value %v, term %v", name, ctx.Err(), ctx.Value(key{}), fence.From(child))
			}
			l.expired.Store(true)
			if err := ctx.Err(); !errors.Is(err, context.Canceled) || !errors.Is(context.Cause(ctx), fence.ErrTermOver) {
				t.Errorf("%s: %v because of %v", name, err, context.Cause(ctx))
			}
			select {
			case <-child.Done():
			default:
				t.Errorf("%s: the question did not end a derived context", name)
			}
			cancelChild()
			cancel(nil)
		}
		if fence.From(t.Context()) != nil {
			t.Error("a context without a term has one")
		}
	})
}

// A context whose owner asks nothing ends when the end of the term is noticed elsewhere.
func TestAContextEndsWhenTheEndIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLease()
		ctx, cancel := fence.WithCancelCause(context.WithoutCancel(fence.With(t.Context(), l.Term)))
		defer cancel(nil)
		child, cancelChild := context.WithCancel(ctx)
		defer cancelChild()
		done := child.Done()
		l.End(errLate)
		<-done
		if cause := context.Cause(child); !errors.Is(cause, errLate) {
			t.Errorf("ended because of %v", cause)
		}
	})
}
