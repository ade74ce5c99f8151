package remotecommand

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vedette.dev/exec"
	"vedette.dev/internal/streamtest"
	"vedette.dev/internal/testsize"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// transports are the ways to run a command. Each test runs on all.
var transports = []string{"websocket", "spdy"}

// each runs a test on each transport.
func each(t *testing.T, test func(t *testing.T, transport string)) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) { test(t, transport) })
	}
}

// serve starts a server that runs commands.
func serve(t testing.TB, run func(c *streamtest.Command) error) *streamtest.Server {
	t.Helper()
	s := streamtest.New(t)
	s.Exec = run
	s.Start()
	return s
}

func newExecutor(t testing.TB, transport string, config *rest.Config, target string) Executor {
	t.Helper()
	if transport == "websocket" {
		e, err := NewWebSocketExecutor(config, http.MethodGet, target)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewSPDYExecutor(config, http.MethodPost, u)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// deadline ends a test that hangs.
func deadline(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// stream runs a command with the streams that options have.
func stream(t testing.TB, ctx context.Context, transport string, s *streamtest.Server, options StreamOptions) error {
	t.Helper()
	var names []string
	if options.Stdin != nil {
		names = append(names, "stdin")
	}
	if options.Stdout != nil {
		names = append(names, "stdout")
	}
	if options.Stderr != nil {
		names = append(names, "stderr")
	}
	if options.Tty {
		names = append(names, "tty")
	}
	return newExecutor(t, transport, &rest.Config{Host: s.URL}, s.ExecURL(strings.Join(names, ","))).StreamWithContext(ctx, options)
}

func wantError(t testing.TB, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

func TestStreams(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			_, _ = io.WriteString(c.Stderr, "to stderr")
			_, err := io.Copy(c.Stdout, c.Stdin)
			return err
		})
		var stdout, stderr bytes.Buffer
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdin: strings.NewReader("hello"), Stdout: &stdout, Stderr: &stderr})
		if err != nil {
			t.Fatal(err)
		}
		if stdout.String() != "hello" || stderr.String() != "to stderr" {
			t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
		}
	})
}

// The end of stdin reaches a command whose output goes on.
func TestHalfClosed(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			in, _ := io.ReadAll(c.Stdin) // ends only if the end of stdin is sent
			for range 3 {
				time.Sleep(5 * time.Millisecond)
				_, _ = c.Stdout.Write(in)
			}
			return nil
		})
		var stdout bytes.Buffer
		if err := stream(t, deadline(t), transport, s, StreamOptions{Stdin: strings.NewReader("x"), Stdout: &stdout}); err != nil {
			t.Fatal(err)
		}
		if stdout.String() != "xxx" {
			t.Errorf("stdout %q", &stdout)
		}
	})
}

func TestExitCode(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			_, _ = io.WriteString(c.Stdout, "before")
			return exec.CodeExitError{Code: 42}
		})
		var stdout bytes.Buffer
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdout: &stdout})
		exit, ok := err.(exec.CodeExitError)
		if !ok || exit.Code != 42 || stdout.String() != "before" {
			t.Errorf("%T %v, stdout %q", err, err, &stdout)
		}
	})
}

func TestServerFails(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(*streamtest.Command) error { return errors.New("container not found") })
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdout: io.Discard})
		wantError(t, err, "container not found")
	})
}

type sizes chan TerminalSize

func (s sizes) Next() *TerminalSize {
	size, ok := <-s
	if !ok {
		return nil
	}
	return &size
}

func TestTerminal(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			if c.Stderr != nil {
				return errors.New("a terminal has no stderr")
			}
			got := make([]byte, len(`{"Width":80,"Height":24}`+"\n"+`{"Width":100,"Height":40}`+"\n"))
			if _, err := io.ReadFull(c.Resize, got); err != nil {
				return err
			}
			_, err := c.Stdout.Write(got)
			return err
		})
		queue := make(sizes, 2)
		defer close(queue)
		queue <- TerminalSize{80, 24}
		queue <- TerminalSize{100, 40}
		var stdout bytes.Buffer
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdout: &stdout, Stderr: io.Discard, Tty: true, TerminalSizeQueue: queue})
		if err != nil || stdout.String() != "{\"Width\":80,\"Height\":24}\n{\"Width\":100,\"Height\":40}\n" {
			t.Errorf("%v, stdout %q", err, &stdout)
		}
	})
}

// Megabytes go both ways at once.
func TestMegabytes(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			_, err := io.Copy(c.Stdout, c.Stdin)
			return err
		})
		in := bytes.Repeat([]byte("0123456789abcdef"), testsize.Of(8<<20, 2<<20)/16)
		var stdout bytes.Buffer
		if err := stream(t, deadline(t), transport, s, StreamOptions{Stdin: bytes.NewReader(in), Stdout: &stdout}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(stdout.Bytes(), in) {
			t.Errorf("%d bytes came back of %d", stdout.Len(), len(in))
		}
	})
}

// A connection that breaks in the middle is an error.
func TestKilled(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		begun, over := make(chan struct{}), make(chan struct{})
		s := serve(t, func(c *streamtest.Command) error {
			_, _ = io.WriteString(c.Stdout, "part")
			close(begun)
			<-over
			return nil
		})
		defer close(over)
		go func() { <-begun; s.Kill() }()
		stdin, end := io.Pipe()
		defer end.Close()
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdin: stdin, Stdout: io.Discard})
		wantError(t, err, "connection lost")
	})
}

// A server that ends properly but without a result has not said that the command succeeded.
func TestNoResult(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(*streamtest.Command) error { return nil })
		s.NoStatus = true
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdout: io.Discard})
		if !errors.Is(err, errNoStatus) {
			t.Errorf("error %v, want %v", err, errNoStatus)
		}
	})
}

func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		begun, gone := make(chan struct{}), make(chan struct{})
		s := serve(t, func(c *streamtest.Command) error {
			close(begun)
			_, _ = io.Copy(io.Discard, c.Stdin)
			close(gone)
			return nil
		})
		ctx, cancel := context.WithCancel(deadline(t))
		go func() { <-begun; cancel() }()
		stdin, end := io.Pipe()
		defer end.Close()
		err := stream(t, ctx, transport, s, StreamOptions{Stdin: stdin, Stdout: io.Discard})
		if err != context.Canceled {
			t.Errorf("error %v", err)
		}
		<-gone // the server knows
	})
}

// A context that ends while the server does not answer the request.
func TestCancelHandshake(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		ctx, cancel := context.WithCancel(deadline(t))
		s := streamtest.New(t)
		over := make(chan struct{})
		s.Refuse = func(http.ResponseWriter, *http.Request) bool { cancel(); <-over; return true }
		s.Start()
		defer close(over)
		if err := stream(t, ctx, transport, s, StreamOptions{Stdout: io.Discard}); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	})
}

// blocked is a writer that does not return until it is released.
type blocked struct{ entered, release chan struct{} }

func newBlocked() blocked { return blocked{make(chan struct{}, 100), make(chan struct{})} }

func (b blocked) Write(p []byte) (int, error) {
	b.entered <- struct{}{}
	<-b.release
	return len(p), nil
}

// A context also ends a command whose output is not read.
func TestCancelBlockedWrite(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			_, _ = io.WriteString(c.Stdout, "x")
			_, _ = io.Copy(io.Discard, c.Stdin)
			return nil
		})
		ctx, cancel := context.WithCancel(deadline(t))
		stdin, end := io.Pipe()
		defer end.Close()
		stdout := newBlocked()
		defer close(stdout.release)
		go func() { <-stdout.entered; cancel() }()
		if err := stream(t, ctx, transport, s, StreamOptions{Stdin: stdin, Stdout: stdout}); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	})
}

// A command that does not read its stdin does not keep a context from ending everything.
func TestCancelBlockedStdin(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		over := make(chan struct{})
		s := serve(t, func(c *streamtest.Command) error { <-over; return nil })
		defer close(over)
		ctx, cancel := context.WithCancel(deadline(t))
		time.AfterFunc(300*time.Millisecond, cancel)
		began := time.Now()
		if err := stream(t, ctx, transport, s, StreamOptions{Stdin: zeros{}, Stdout: io.Discard}); err != context.Canceled {
			t.Errorf("error %v", err)
		}
		if d := time.Since(began); d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
	})
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// Stderr is written while Stdout is not.
func TestSlowReader(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			_, _ = c.Stdout.Write(make([]byte, 512<<10))
			_, _ = io.WriteString(c.Stderr, "urgent")
			return nil
		})
		stdout := newBlocked()
		stderr := writerFunc(func(p []byte) (int, error) {
			close(stdout.release) // only now is stdout read
			return len(p), nil
		})
		if err := stream(t, deadline(t), transport, s, StreamOptions{Stdout: stdout, Stderr: stderr}); err != nil {
			t.Error(err)
		}
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Errors of the caller's readers and writers are not lost, and do not hide an exit code.
func TestOwnErrors(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		broken := errors.New("disk full")
		var code int
		s := serve(t, func(c *streamtest.Command) error {
			_, _ = io.Copy(io.Discard, c.Stdin)
			_, _ = c.Stdout.Write(make([]byte, 1<<20)) // more than is dropped by chance
			if code != 0 {
				return exec.CodeExitError{Code: code}
			}
			return nil
		})
		stdout := writerFunc(func([]byte) (int, error) { return 0, broken })
		stdin := func() io.Reader { return io.MultiReader(strings.NewReader("x"), brokenReader{}) }
		err := stream(t, deadline(t), transport, s, StreamOptions{Stdin: stdin(), Stdout: stdout})
		if !errors.Is(err, broken) || !errors.Is(err, errBrokenReader) {
			t.Errorf("error %v", err)
		}
		code = 3
		err = stream(t, deadline(t), transport, s, StreamOptions{Stdin: stdin(), Stdout: stdout})
		if exit, ok := err.(exec.CodeExitError); !ok || exit.Code != 3 {
			t.Errorf("error %v", err)
		}
	})
}

var errBrokenReader = errors.New("cannot read")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBrokenReader }

// One executor runs several commands at once.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := serve(t, func(c *streamtest.Command) error {
			_, err := io.Copy(c.Stdout, c.Stdin)
			return err
		})
		e := newExecutor(t, transport, &rest.Config{Host: s.URL}, s.ExecURL("stdin,stdout"))
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				in := strings.Repeat(string(rune('a'+i)), 100_000)
				var stdout bytes.Buffer
				err := e.StreamWithContext(deadline(t), StreamOptions{Stdin: strings.NewReader(in), Stdout: &stdout})
				if err != nil || stdout.String() != in {
					t.Errorf("%v, %d bytes", err, stdout.Len())
				}
			})
		}
		all.Wait()
	})
}
