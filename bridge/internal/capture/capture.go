package capture

import (
	"context"
	"io"
	"mime"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Transport returns an http.RoundTripper that keeps answers of another for ListWatch.
func Transport(next http.RoundTripper) http.RoundTripper { return &capturer{next} }

// Client returns a copy of an HTTP client whose transport is that of Transport. It reports false, and returns the client itself, if it has
// such a transport already.
func Client(client *http.Client) (*http.Client, bool) {
	if _, ok := client.Transport.(*capturer); ok {
		return client, false
	}
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	out := *client
	out.Transport = Transport(next)
	return &out, true
}

// capturer is an http.RoundTripper that keeps answers for the slot in the context of their request.
type capturer struct{ next http.RoundTripper }

// CloseIdleConnections is called by the method of that name of an http.Client.
func (c *capturer) CloseIdleConnections() {
	if closer, ok := c.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// WrappedRoundTripper lets client-go find the transport inside.
func (c *capturer) WrappedRoundTripper() http.RoundTripper { return c.next }

func (c *capturer) RoundTrip(req *http.Request) (*http.Response, error) {
	s, _ := req.Context().Value(slotKey{}).(*slot)
	if s == nil || req.Method != http.MethodGet {
		return c.next.RoundTrip(req)
	}
	// The answer outlives the call that has asked for it, which cancels its context when it returns. A capturer inside of this one must not
	// find the slot.
	ctx, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(req.Context()), slotKey{}, (*slot)(nil)))
	a := &answer{cancel: cancel, detach: context.AfterFunc(req.Context(), cancel), read: make(chan struct{})}
	resp, err := c.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		a.detach()
		cancel()
		return resp, err
	}
	a.body = resp.Body
	out := *resp
	out.Request, out.Body = req, a
	if resp.StatusCode != http.StatusOK || !isStream(resp.Header) {
		a.state = passed
		return &out, nil
	}
	out.ContentLength = -1
	a.resp = resp
	s.put(a)
	return &out, nil
}

// isStream reports whether an answer can be read object by object.
func isStream(header http.Header) bool {
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return mediaType == "application/json" || mediaType == "application/vnd.kubernetes.protobuf"
}

type slotKey struct{}

// slot is where an informer finds the answer to the request that a ListerWatcher has sent.
type slot struct {
	mu sync.Mutex
	// last is the answer to the last request: client-go may have sent it again after an error.
	last *answer
}

// withSlot returns a context for a list or a watch.
func withSlot(ctx context.Context) (context.Context, *slot) {
	s := &slot{}
	return context.WithValue(ctx, slotKey{}, s), s
}

func (s *slot) put(a *answer) {
	s.mu.Lock()
	before := s.last
	s.last = a
	s.mu.Unlock()
	before.discard()
}

func (s *slot) get() *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// answer is the body that client-go is given in place of that of the server. Who reads it first decides what it is: for client-go it is
// empty, and the bytes are left to the informer; for anything else it has the bytes, and the informer uses what client-go decodes.
type answer struct {
	resp   *http.Response
	body   io.ReadCloser
	cancel context.CancelFunc
	detach func() bool   // from the context of the request
	read   chan struct{} // closed when it was first read, or closed

	mu    sync.Mutex
	state answerState
	taken bool
}

type answerState int

const (
	undecided answerState = iota
	kept                  // for the informer
	passed                // to the reader
)

// Read implements io.Reader.
func (a *answer) Read(p []byte) (int, error) {
	if a.decide() == kept {
		return 0, io.EOF
	}
	return a.body.Read(p)
}

func (a *answer) decide() answerState {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == undecided {
		a.state = passed
		if isClientGo() {
			a.keep()
		}
		close(a.read)
	}
	return a.state
}

// keep leaves the bytes to the informer. From now on they do not depend on the context of the request.
func (a *answer) keep() {
	a.state = kept
	a.detach()
}

// Close implements io.Closer. An answer that is kept belongs to the informer.
func (a *answer) Close() error {
	a.mu.Lock()
	state := a.state
	if state == undecided {
		a.state = passed
		close(a.read)
	}
	a.mu.Unlock()
	if state == kept {
		return nil
	}
	a.end()
	return a.body.Close()
}

// take reports whether the bytes are for the informer, which then has to end them. It returns true once.
func (a *answer) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == undecided {
		a.keep()
		close(a.read)
	}
	if a.state != kept || a.taken {
		return false
	}
	a.taken = true
	return true
}

// discard ends an answer, unless something else has it. a may be nil.
func (a *answer) discard() {
	if a != nil && a.take() {
		_ = a.body.Close()
		a.end()
	}
}

// end releases the connection.
func (a *answer) end() {
	a.detach()
	a.cancel()
}

// response returns the answer of the server, which ends with a context.
func (a *answer) response(ctx context.Context) *http.Response {
	out := *a.resp
	stop := context.AfterFunc(ctx, a.cancel)
	out.Body = &takenBody{a.body, func() { stop(); a.cancel() }}
	return &out
}

type takenBody struct {
	io.ReadCloser
	end func()
}

func (b *takenBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

// isClientGo reports whether the caller of Read is client-go, and not an http.RoundTripper, or a body that such a one has wrapped.
func isClientGo() bool {
	var pcs [48]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		name := packageOf(frame.Function)
		switch {
		case name == "k8s.io/client-go/rest" || name == "k8s.io/client-go/rest/watch":
			return true
		case strings.HasPrefix(frame.Function, "net/http.(*Client)"):
			return false // client-go does not have the answer yet
		case name != ownPackage && !strings.HasPrefix(name, "k8s.io/apimachinery/") && !slices.Contains(readers, name):
			return false
		}
		if !more {
			return false
		}
	}
}

// readers are the packages through which client-go reads.
var readers = []string{"io", "bufio", "bytes", "sync", "net/http", "encoding/json", "encoding/json/jsontext", "encoding/json/v2"}

var ownPackage = reflect.TypeFor[answer]().PkgPath()

// packageOf returns the package of a function that is named as in a stack trace.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}
