//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"vedette.dev/cmd/vedette/internal/show"
)

// The first signal ends the context, the second the process, and the terminal is as it was.
func TestSignals(t *testing.T) {
	exited := make(chan int, 1)
	exit = func(code int) { exited <- code }
	defer func() { exit = os.Exit }()
	out := newOutput()
	s := &streams{out: out, err: out, size: func() (int, int) { return 80, 24 }}
	ctx, stop := untilSignal(context.Background(), s)
	defer stop()
	if err := s.screen().Draw(show.Frame{Title: "view"}); err != nil {
		t.Fatal(err)
	}
	self := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	self()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), errInterrupted) {
		t.Errorf("the context ended with %v", context.Cause(ctx))
	}
	if strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the first signal has closed the screen")
	}
	self()
	select {
	case code := <-exited:
		if code != exitInterrupted || !strings.Contains(out.String(), "\x1b[?1049l") {
			t.Errorf("exit status %d, terminal %q", code, out)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the second signal does not end it")
	}
}
