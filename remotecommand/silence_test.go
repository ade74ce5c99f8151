package remotecommand

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/internal/streamtest"
	"vedette.dev/rest"
)

// inMemory starts a server in a bubble, and returns the configuration for it.
func inMemory(t *testing.T, run func(c *streamtest.Command) error) (*streamtest.Server, *rest.Config) {
	s := streamtest.New(t)
	s.Exec = run
	dial := s.Pipe()
	s.Start()
	return s, &rest.Config{Host: s.URL, Dial: dial}
}

// eachInMemory runs a test in a bubble, on each transport.
func eachInMemory(t *testing.T, test func(t *testing.T, transport string)) {
	each(t, func(t *testing.T, transport string) {
		synctest.Test(t, func(t *testing.T) { test(t, transport) })
	})
}

// A server that is gone without a word is noticed in about a minute.
func TestSilence(t *testing.T) {
	eachInMemory(t, func(t *testing.T, transport string) {
		over := make(chan struct{})
		s, config := inMemory(t, func(c *streamtest.Command) error { <-over; return nil })
		defer close(over)
		time.AfterFunc(time.Minute, s.Freeze)
		began := time.Now()
		err := newExecutor(t, transport, config, s.ExecURL("stdout")).StreamWithContext(t.Context(), StreamOptions{Stdout: io.Discard})
		wantError(t, err, "connection lost: no answer to pings for 1m1s")
		if d := time.Since(began); d < 100*time.Second || d > 3*time.Minute {
			t.Errorf("it took %v", d)
		}
	})
}

// A command that is quiet for an hour is not lost.
func TestQuiet(t *testing.T) {
	eachInMemory(t, func(t *testing.T, transport string) {
		s, config := inMemory(t, func(c *streamtest.Command) error { time.Sleep(time.Hour); return nil })
		err := newExecutor(t, transport, config, s.ExecURL("stdout")).StreamWithContext(t.Context(), StreamOptions{Stdout: io.Discard})
		if err != nil {
			t.Error(err)
		}
	})
}

// A command that does not read its stdin keeps the server from answering pings. That is not silence. (For SPDY, this test and the next are in
// internal/streamconn: in a bubble, time stands still while a goroutine waits for a mutex.)
func TestUnreadStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := strings.Repeat("x", 4<<20)
		s, config := inMemory(t, func(c *streamtest.Command) error {
			time.Sleep(10 * time.Minute)
			n, err := io.Copy(io.Discard, c.Stdin)
			if n != int64(len(in)) {
				t.Errorf("%d bytes came", n)
			}
			return err
		})
		err := newExecutor(t, "websocket", config, s.ExecURL("stdin")).StreamWithContext(t.Context(), StreamOptions{Stdin: strings.NewReader(in)})
		if err != nil {
			t.Error(err)
		}
	})
}

// A Stdout that is not read keeps us from reading the answers to pings. That is not silence either.
func unread(t *testing.T, e Executor, pause time.Duration) {
	t.Helper()
	stdin, end := io.Pipe() // ends when all is read: until then the server has to read pings
	n := 0
	stdout := writerFunc(func(p []byte) (int, error) {
		if n == 0 {
			time.Sleep(pause)
		}
		if n += len(p); n == megabytes {
			_ = end.Close()
		}
		return len(p), nil
	})
	if err := e.StreamWithContext(t.Context(), StreamOptions{Stdin: stdin, Stdout: stdout}); err != nil {
		t.Errorf("%v, %d bytes", err, n)
	}
}

const megabytes = 8 << 20

func writeMegabytes(c *streamtest.Command) error {
	part := make([]byte, 32<<10)
	for range megabytes / len(part) {
		if _, err := c.Stdout.Write(part); err != nil {
			return err
		}
	}
	_, err := io.Copy(io.Discard, c.Stdin)
	return err
}

func TestUnreadStdoutWebSocket(t *testing.T) {
	s := serve(t, writeMegabytes)
	e, err := newWebSocketExecutor(&rest.Config{Host: s.URL}, s.ExecURL("stdin,stdout"), []string{"v5.channel.k8s.io"})
	if err != nil {
		t.Fatal(err)
	}
	e.period, e.timeout = 50*time.Millisecond, 300*time.Millisecond
	unread(t, e, time.Second)
}
