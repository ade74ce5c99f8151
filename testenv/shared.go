package testenv

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// Shared is one environment for all the tests of a package, started when the first of them asks for it. Keep it in a
// variable of the test package, which is what it takes: tests have no common owner. The zero value is ready for use.
type Shared struct {
	// Config says how to start.
	Config Config

	once sync.Once
	env  *Env
	err  error
}

// Env returns the environment, and starts it if no test has yet. A test that cannot have it fails.
func (s *Shared) Env(t testing.TB) *Env {
	t.Helper()
	s.once.Do(func() {
		ctx, cancel := untilDeadline(t)
		defer cancel()
		s.env, s.err = Start(ctx, s.Config)
		if s.err != nil {
			t.Fatal(s.err) // with the log, which need not be repeated in each test
		}
	})
	if s.err != nil {
		t.Fatal("the shared environment did not start; the first test that asked for it says why")
	}
	if s.env == nil {
		t.Fatal("the shared environment has been stopped: Shared.Env was called after Shared.Stop")
	}
	return s.env
}

// Stop ends the environment, if it was started. No test gets one from then on.
func (s *Shared) Stop() error {
	s.once.Do(func() {})
	if s.env == nil {
		return nil
	}
	env := s.env
	s.env = nil
	return env.Stop()
}

// Main runs the tests, stops the environment, and exits. A TestMain only has to call it:
//
//	func TestMain(m *testing.M) { shared.Main(m) }
//
// Without it the environment ends too, but a moment after the tests and without a word about a server that crashed.
func (s *Shared) Main(m Runner) { os.Exit(s.Wrap(m).Run()) }

// Runner is *testing.M, as goleak.VerifyTestMain wants it.
type Runner interface{ Run() int }

// Wrap is for a TestMain that does more. The result runs the tests and stops the environment:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(shared.Wrap(m)) }
func (s *Shared) Wrap(m Runner) Runner {
	return runFunc(func() int {
		code := m.Run()
		if err := s.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "FAIL: testenv: %v\n", err)
			code = max(code, 1)
		}
		return code
	})
}

type runFunc func() int

func (f runFunc) Run() int { return f() }

// New starts an environment for one test, and stops it when the test is done.
func New(t testing.TB, cfg Config) *Env {
	t.Helper()
	ctx, cancel := untilDeadline(t)
	defer cancel()
	e, err := Start(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Errorf("testenv: %v", err)
		}
	})
	return e
}

// beforeDeadline is when to give up starting: go test kills at the deadline without a word about the reason, and the
// likely one is that the servers have to be built first.
const beforeDeadline = 5 * time.Second

func untilDeadline(t testing.TB) (context.Context, context.CancelFunc) {
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := t.Deadline(); ok {
			return context.WithDeadline(context.Background(), deadline.Add(-beforeDeadline))
		}
	}
	return context.WithCancel(context.Background())
}
