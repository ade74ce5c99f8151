package remotecommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamconn"
)

// connection is what a session needs of a SPDY connection or a WebSocket.
type connection interface {
	CreateStream(headers http.Header) (httpstream.Stream, error)
	// Close ends all reads and writes of streams, and returns when no goroutine of the connection runs.
	Close() error
}

// session is the run of one command.
//
// Goroutines of the session copy: one reads the result, one each writes to Stdout and Stderr, and one each writes stdin and the sizes
// of the terminal to the connection. What calls Stdin.Read and TerminalSizeQueue.Next are goroutines of their own, which have nothing
// else, because these calls cannot be interrupted.
type session struct {
	options StreamOptions
	version protocol
	conn    connection

	result, stdin, stdout, stderr, resize httpstream.Stream

	message   []byte // of the stream result
	resultErr error  // with which that stream ended

	quit chan struct{} // closed when the session ends

	mu     sync.Mutex
	failed []error // of the caller's readers and writers
}

// run runs a command on conn, which it closes. ready is called when all streams exist.
func run(ctx context.Context, conn connection, version protocol, options StreamOptions, ready func()) error {
	s := &session{options: options, version: version, conn: conn, quit: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if err := s.createStreams(); err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	ready()

	var in, out sync.WaitGroup
	out.Go(s.readResult)
	if s.stdout != nil {
		out.Go(func() { s.copyOut("stdout", options.Stdout, s.stdout) })
	}
	if s.stderr != nil {
		out.Go(func() { s.copyOut("stderr", options.Stderr, s.stderr) })
	}
	if s.stdin != nil {
		in.Go(s.copyStdin)
		in.Go(func() { drop(s.stdin) })
	}
	if s.resize != nil {
		in.Go(func() { drop(s.resize) })
		if options.TerminalSizeQueue != nil {
			in.Go(s.copySizes)
		}
	}

	done := make(chan struct{})
	go func() { defer close(done); out.Wait() }()
	ended := s.wait(ctx, done)
	lost := streamconn.Err(conn)
	close(s.quit)
	_ = conn.Close()
	in.Wait()
	if !ended {
		return ctx.Err()
	}
	return s.outcome(ctx, lost)
}

// stuckTimeout is how long a Write to Stdout or Stderr may take after the context has ended.
const stuckTimeout = time.Second

// wait waits until all output has been written, and the result was read. It returns false if the context has ended, and a Write of
// the caller's does not return.
func (s *session) wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	timer := time.NewTimer(stuckTimeout)
	defer timer.Stop()
	_ = s.conn.Close()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// outcome returns what StreamWithContext returns.
func (s *session) outcome(ctx context.Context, lost error) error {
	if ctx.Err() != nil { // a result that has come since is that of a command whose stdin was closed
		return ctx.Err()
	}
	if err := s.version.result(s.message, s.resultErr, lost); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failed...)
}

// createStreams creates all streams, before anything is sent: the server reads nothing until it has them all.
func (s *session) createStreams() error {
	o := &s.options
	for _, stream := range []struct {
		kind string
		want bool
		to   *httpstream.Stream
	}{
		{corev1.StreamTypeError, true, &s.result},
		{corev1.StreamTypeStdin, o.Stdin != nil, &s.stdin},
		{corev1.StreamTypeStdout, o.Stdout != nil, &s.stdout},
		{corev1.StreamTypeStderr, o.Stderr != nil && !o.Tty, &s.stderr},
		{corev1.StreamTypeResize, o.Tty && s.version.resizes, &s.resize},
	} {
		if !stream.want {
			continue
		}
		headers := http.Header{}
		headers.Set(corev1.StreamType, stream.kind)
		created, err := s.conn.CreateStream(headers)
		if err != nil {
			return fmt.Errorf("error creating stream %q: %w", stream.kind, err)
		}
		*stream.to = created
	}
	return nil
}

func (s *session) readResult() {
	s.message, s.resultErr = io.ReadAll(io.LimitReader(s.result, maxStatus))
	drop(s.result)
}

// drop reads what remains of a stream: data that is not read would block others.
func drop(r io.Reader) { _, _ = io.Copy(io.Discard, plainReader{r}) }

func (s *session) fail(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = append(s.failed, fmt.Errorf("%s: %w", name, err))
}

// copyOut writes the command's output to w. An error of the stream is not noted: either the result has come, and with it all output,
// or it is missing.
func (s *session) copyOut(name string, w io.Writer, from io.Reader) {
	source := &tracked{r: from}
	if _, err := io.Copy(plainWriter{w}, source); err != nil && err != source.err {
		s.fail(name, err)
	}
	drop(from)
}

// copyStdin sends stdin and its end.
func (s *session) copyStdin() {
	chunks := make(chan []byte)
	go readInto(chunks, s.options.Stdin, s.quit, func(err error) { s.fail("stdin", err) })
	for {
		select {
		case <-s.quit:
			return
		case chunk, more := <-chunks:
			if !more {
				_ = s.stdin.Close()
				return
			}
			if _, err := s.stdin.Write(chunk); err != nil {
				return // the connection is lost, or the command does not want more
			}
			select {
			case chunks <- chunk: // give the buffer back
			case <-s.quit:
				return
			}
		}
	}
}

// bufferSize is the size of the largest piece of stdin that is sent at once.
const bufferSize = 32 << 10

// readInto sends what it reads to chunks, whose receiver sends the buffer back. It closes chunks at the end of r.
func readInto(chunks chan []byte, r io.Reader, quit <-chan struct{}, failed func(error)) {
	buffer := make([]byte, bufferSize)
	for {
		n, err := r.Read(buffer)
		if n > 0 {
			select {
			case chunks <- buffer[:n]:
			case <-quit:
				return
			}
			select {
			case <-chunks:
			case <-quit:
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				failed(err)
			}
			close(chunks)
			return
		}
	}
}

// copySizes sends the sizes of the terminal.
func (s *session) copySizes() {
	sizes := make(chan TerminalSize)
	go func() {
		defer close(sizes)
		for {
			size := s.options.TerminalSizeQueue.Next()
			if size == nil {
				return
			}
			select {
			case sizes <- *size:
			case <-s.quit:
				return
			}
		}
	}()
	encoder := json.NewEncoder(s.resize)
	for {
		select {
		case <-s.quit:
			return
		case size, more := <-sizes:
			if !more || encoder.Encode(size) != nil {
				return
			}
		}
	}
}

// plainReader and plainWriter hide WriteTo and ReadFrom, with which io.Copy would copy in pieces of any size.
type plainReader struct{ io.Reader }

type plainWriter struct{ io.Writer }

// tracked keeps the error of a reader, to tell it from that of a writer.
type tracked struct {
	r   io.Reader
	err error
}

func (t *tracked) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.err = err
	return n, err
}
