//go:build unix

package execauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// pids waits until the plugin has told its process ids.
func (f *fixture) pids() (ids []int) {
	f.t.Helper()
	for range 10_000 {
		data, _ := os.ReadFile(f.path("pids"))
		fields := strings.Fields(string(data))
		if len(fields) == 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		for _, field := range fields {
			var id int
			if _, err := fmt.Sscan(field, &id); err != nil {
				f.t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
	f.t.Fatal("the plugin did not tell its process ids")
	return nil
}

// gone waits until a process has ended. One that has ended and was not waited for counts: its parent is init, or a
// container without one.
func gone(t testing.TB, pid int) {
	t.Helper()
	for range 500 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
}

func TestHungPluginDoesNotOutliveTheRequest(t *testing.T) {
	f := newFixture(t, "hang").start()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api", http.NoBody)
	done := make(chan error, 1)
	go func() {
		_, err := f.rt.RoundTrip(req)
		done <- err
	}()
	ids := f.pids()
	enough := errors.New("enough")
	cancel(enough)
	if err := <-done; !errors.Is(err, enough) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "had not answered yet") {
		t.Errorf("the request ended with %v", err)
	}
	if len(ids) != 2 {
		t.Fatalf("processes %v", ids)
	}
	for _, id := range ids {
		gone(t, id)
	}
}

func TestHungPluginIsKilledAfterTheLimit(t *testing.T) {
	f := newFixture(t, "hang")
	f.surroundings.limit = func(attended bool) time.Duration {
		if attended {
			t.Error("it counts as attended")
		}
		return 300 * time.Millisecond
	}
	text := f.start().fails()
	if !strings.Contains(text, "did not end within 300ms and was killed") {
		t.Errorf("the error is %q", text)
	}
	// On a busy machine it was killed before it could tell its ids; the test before this one looks at them.
	if _, err := os.Stat(f.path("pids")); err == nil {
		for _, id := range f.pids() {
			gone(t, id)
		}
	}
}

// One request gives up; the plugin goes on for the other.
func TestRequestsWaitEachForItself(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one"))
	f.setenv("GATE", f.path("gate"))
	f.start()
	patient := make(chan struct{})
	go func() { f.expect("one"); close(patient) }()
	for f.waiting() < 1 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := f.auth.credentials(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the hasty request ended with %v", err)
	}
	f.openGate()
	<-patient
	f.runs(1)
}

// All callers give up; the next caller does not have to wait for what was given up.
func TestNextRequestStartsAnew(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one"))
	f.setenv("GATE", f.path("gate"))
	f.start()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.auth.credentials(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the first request ended with %v", err)
	}
	f.openGate()
	f.expect("one")
}

func TestFailingPlugin(t *testing.T) {
	const words = "access denied for arg-secret, env-secret, flag-secret and eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl0123456789"
	f := newFixture(t, "fail")
	f.config.Args = []string{"arg-secret", "--flag=flag-secret"}
	f.setenv("SECRET", "env-secret")
	f.surroundings.environ = func() []string { return append(os.Environ(), "WORDS="+words) }
	text := f.start().fails()
	for _, want := range []string{"getting credentials", f.config.Command, "exit status 7", "access denied for [redacted], [redacted], [redacted] and [redacted]"} {
		if !strings.Contains(text, want) {
			t.Errorf("the error %q lacks %q", text, want)
		}
	}
	for _, secret := range []string{"-secret", "eyJ", "c2lnbmF0"} {
		if strings.Contains(text, secret) {
			t.Errorf("the error %q shows %q", text, secret)
		}
	}
	if f.stderr.String() != words {
		t.Errorf("standard error was not passed on: %q", f.stderr.String())
	}
	f.fails()
	f.runs(2) // a failure is not kept
}

// At a terminal the plugin gets our standard error itself, and the error does not repeat what was seen there.
func TestFailingPluginAtATerminal(t *testing.T) {
	f := newFixture(t, "fail")
	f.surroundings.attended = func() bool { return true }
	f.surroundings.environ = func() []string { return append(os.Environ(), "WORDS=please log in") }
	if text := f.start().fails(); strings.Contains(text, "log in") {
		t.Errorf("the error %q repeats what was seen", text)
	}
	if f.stderr.String() != "please log in" {
		t.Errorf("standard error was not passed on: %q", f.stderr.String())
	}
}

func TestOutputIsBounded(t *testing.T) {
	if text := newFixture(t, "flood").start().fails(); !strings.Contains(text, "printed more than 1048576 bytes") {
		t.Errorf("the error is %q", text)
	}
}

// A plugin starts an agent that keeps its output open: what it printed counts.
func TestPluginThatLeavesAnAgent(t *testing.T) {
	f := newFixture(t, "agent").start()
	f.expect("agent")
	for _, id := range f.pids() {
		_ = syscall.Kill(id, syscall.SIGKILL)
		gone(t, id)
	}
}

func TestMissingPlugin(t *testing.T) {
	for _, command := range []string{"no-such-plugin", "/no/such/plugin"} {
		f := newFixture(t, "print")
		f.config.Command, f.config.InstallHint = command, "Get it at https://example.com"
		_, _, err := f.start().ask()
		if err == nil || !strings.Contains(err.Error(), "not installed") || !strings.Contains(err.Error(), f.config.InstallHint) ||
			!strings.Contains(err.Error(), command) {
			t.Errorf("the error is %v", err)
		}
		if command == "no-such-plugin" && !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%v is not exec.ErrNotFound", err)
		}
	}
}

func TestPluginMayAsk(t *testing.T) {
	input, typing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	defer typing.Close()
	if _, err := typing.WriteString("typed\n"); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, "ask")
	f.config.InteractiveMode = clientcmdapi.IfAvailableExecInteractiveMode
	f.surroundings.input = input
	f.surroundings.terminal = func() bool { return true }
	f.surroundings.attended = func() bool { return true }
	f.start().expect("typed")
	if told := f.told()[0]; !strings.Contains(told, `"interactive":true`) {
		t.Errorf("the plugin was told %s", told)
	}
}

func TestFailedRequestClosesItsBody(t *testing.T) {
	f := newFixture(t, "fail").start()
	body := &body{}
	req, _ := http.NewRequest(http.MethodPost, "https://api", body)
	if _, err := f.rt.RoundTrip(req); err == nil || !body.closed {
		t.Errorf("error %v, body closed: %t", err, body.closed)
	}
}

type body struct{ closed bool }

func (b *body) Read([]byte) (int, error) { return 0, nil }
func (b *body) Close() error             { b.closed = true; return nil }
