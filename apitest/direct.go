package apitest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"sync"
	"syscall"
)

// directTransport calls the server instead of sending requests to it. A request is handled in the goroutine of the
// caller, unless it is a watch: that has a goroutine of its own, which has ended when Close of the body returns.
type directTransport struct {
	handler http.Handler
	closed  <-chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (t *directTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-t.closed: // as with a socket without a listener
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	case <-req.Context().Done():
		return nil, req.Context().Err()
	default:
	}
	ctx, cancel := context.WithCancel(req.Context())
	received := receivedAs(req, ctx)
	if received.URL.Query().Get("watch") == "" {
		defer cancel()
		return t.answer(received, req)
	}
	return t.stream(received, req, cancel)
}

// receivedAs returns a request as a server receives it.
func receivedAs(req *http.Request, ctx context.Context) *http.Request {
	received := req.Clone(ctx)
	received.RequestURI, received.RemoteAddr = req.URL.RequestURI(), pipeAddr{}.String()
	if received.Body == nil {
		received.Body = http.NoBody
	}
	if received.Host == "" {
		received.Host = req.URL.Host
	}
	return received
}

// answer collects the whole response.
func (t *directTransport) answer(received, req *http.Request) (*http.Response, error) {
	defer received.Body.Close()
	w := &directWriter{header: http.Header{}}
	w.to = &w.collected
	t.handler.ServeHTTP(w, received)
	w.WriteHeader(http.StatusOK)
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return w.response(req, io.NopCloser(&w.collected), int64(w.collected.Len())), nil
}

// stream returns as soon as the header is written. The body blocks until it is read.
func (t *directTransport) stream(received, req *http.Request, cancel context.CancelFunc) (*http.Response, error) {
	reader, writer := io.Pipe()
	w := &directWriter{header: http.Header{}, to: writer, begun: make(chan struct{})}
	body := &directBody{PipeReader: reader, cancel: cancel, done: make(chan struct{})}
	// A cancelled request fails its reader, too.
	uncancel := context.AfterFunc(req.Context(), func() { _ = writer.CloseWithError(req.Context().Err()) })
	go func() {
		defer close(body.done)
		defer received.Body.Close()
		t.handler.ServeHTTP(w, received)
		w.WriteHeader(http.StatusOK)
		uncancel()
		_ = writer.Close()
	}()
	<-w.begun
	return w.response(req, body, -1), nil
}

// directBody is the body of a watch.
type directBody struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{} // closed when the handler has returned
}

// Read returns io.EOF after Close, as for a watch that was stopped.
func (b *directBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if err == io.ErrClosedPipe {
		err = io.EOF
	}
	return n, err
}

// Close ends the watch and waits for it.
func (b *directBody) Close() error {
	b.cancel()
	err := b.PipeReader.Close()
	<-b.done
	return err
}

// directWriter implements http.ResponseWriter.
type directWriter struct {
	header    http.Header
	to        io.Writer
	collected bytes.Buffer
	// begun, if not nil, is closed when sent and code are set. They do not change afterwards.
	begun chan struct{}
	once  sync.Once
	sent  http.Header
	code  int
}

// Header implements http.ResponseWriter.
func (w *directWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *directWriter) WriteHeader(code int) {
	w.once.Do(func() {
		w.sent, w.code = w.header.Clone(), code
		if w.begun != nil {
			close(w.begun)
		}
	})
}

// Write implements http.ResponseWriter.
func (w *directWriter) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.to.Write(data)
}

// Flush implements http.Flusher. Nothing is buffered.
func (w *directWriter) Flush() { w.WriteHeader(http.StatusOK) }

func (w *directWriter) response(req *http.Request, body io.ReadCloser, length int64) *http.Response {
	return &http.Response{
		Status: http.StatusText(w.code), StatusCode: w.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: length, Request: req,
	}
}
