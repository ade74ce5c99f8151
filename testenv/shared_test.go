//go:build unix

package testenv

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeT is a test that fails without failing ours. Fatal ends its goroutine, as in a real test.
type fakeT struct {
	testing.TB
	failures []string
}

func (f *fakeT) Helper() {}

func (f *fakeT) Fatal(args ...any) {
	f.failures = append(f.failures, fmt.Sprint(args...))
	runtime.Goexit()
}

func (f *fakeT) run(test func()) {
	var end sync.WaitGroup
	end.Go(test)
	end.Wait()
}

func TestSharedSaysOnceWhyItDidNotStart(t *testing.T) {
	bad := Shared{Config: Config{APIServerArgs: []string{"nonsense"}}}
	ft := &fakeT{TB: t}
	for range 2 {
		ft.run(func() { bad.Env(ft) })
	}
	if len(ft.failures) != 2 || !strings.Contains(ft.failures[0], `"nonsense"`) || strings.Contains(ft.failures[1], "nonsense") {
		t.Errorf("failures: %q", ft.failures)
	}
}

func TestSharedIsOne(t *testing.T) {
	if first, second := shared.Env(t), shared.Env(t); first != second {
		t.Error("two environments")
	}
}

func TestSharedStop(t *testing.T) {
	var unused Shared
	if code := unused.Wrap(runFunc(func() int { return 3 })).Run(); code != 3 {
		t.Errorf("code %d, want that of the tests", code)
	}
	ft := &fakeT{TB: t}
	ft.run(func() { unused.Env(ft) })
	if len(ft.failures) != 1 || !strings.Contains(ft.failures[0], "has been stopped") {
		t.Errorf("failures: %q", ft.failures)
	}
}

// The message of a test that go test would otherwise end without a reason.
func TestDeadline(t *testing.T) {
	ctx, cancel := untilDeadline(deadlineT{TB: t, at: time.Now()})
	defer cancel()
	<-ctx.Done()
	_, err := Start(ctx, Config{})
	wantError(t, err, context.DeadlineExceeded)
}

type deadlineT struct {
	testing.TB
	at time.Time
}

func (d deadlineT) Deadline() (time.Time, bool) { return d.at, true }
