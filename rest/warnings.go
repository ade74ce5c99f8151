package rest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// WarningHandler receives the warnings in the server's responses. It is called before the response is returned,
// possibly concurrently.
type WarningHandler interface {
	HandleWarningHeader(code int, agent string, text string)
}

// WarningHandlerWithContext is a WarningHandler that also gets the context of the request.
type WarningHandlerWithContext interface {
	HandleWarningHeaderWithContext(ctx context.Context, code int, agent string, text string)
}

// miscPersistentWarning is the only warning code that API servers use.
const miscPersistentWarning = 299

// NoWarnings drops all warnings.
type NoWarnings struct{}

// HandleWarningHeader does nothing.
func (NoWarnings) HandleWarningHeader(int, string, string) {}

// HandleWarningHeaderWithContext does nothing.
func (NoWarnings) HandleWarningHeaderWithContext(context.Context, int, string, string) {}

// WarningLogger logs warnings to the default logger of log/slog.
type WarningLogger struct{}

// HandleWarningHeader logs the text, as the value of the key "text".
func (w WarningLogger) HandleWarningHeader(code int, agent string, message string) {
	w.HandleWarningHeaderWithContext(context.Background(), code, agent, message)
}

// HandleWarningHeaderWithContext logs the text, as the value of the key "text".
func (WarningLogger) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, message string) {
	if code == miscPersistentWarning && message != "" {
		slog.WarnContext(ctx, "API server sent a warning", "text", message)
	}
}

// WarningWriterOptions are for [NewWarningWriter].
type WarningWriterOptions struct {
	// Deduplicate writes each text once. All texts are remembered: it is for short-lived programs.
	Deduplicate bool
	// Color writes the first word in yellow.
	Color bool
}

type warningWriter struct {
	opts WarningWriterOptions

	mu    sync.Mutex
	out   io.Writer
	count int
	seen  map[string]bool
}

// NewWarningWriter returns a handler that writes warnings as lines, as kubectl does.
func NewWarningWriter(out io.Writer, opts WarningWriterOptions) *warningWriter {
	return &warningWriter{out: out, opts: opts, seen: map[string]bool{}}
}

// HandleWarningHeader writes the text.
func (w *warningWriter) HandleWarningHeader(code int, _ string, message string) {
	if code != miscPersistentWarning || message == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opts.Deduplicate {
		if w.seen[message] {
			return
		}
		w.seen[message] = true
	}
	w.count++
	prefix := "Warning:"
	if w.opts.Color {
		prefix = "\x1b[33;1mWarning:\x1b[0m"
	}
	fmt.Fprintf(w.out, "%s %s\n", prefix, message)
}

// WarningCount returns the number of lines written.
func (w *warningWriter) WarningCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// defaultWarnings is for requests without a handler. It is global for compatibility with client-go's
// SetDefaultWarningHandler; prefer a handler in the Config.
var defaultWarnings atomic.Pointer[WarningHandlerWithContext]

// SetDefaultWarningHandler sets the handler of all clients that have none of their own.
func SetDefaultWarningHandler(l WarningHandler) {
	if l == nil {
		SetDefaultWarningHandlerWithContext(nil)
		return
	}
	SetDefaultWarningHandlerWithContext(contextlessWarnings{l})
}

// SetDefaultWarningHandlerWithContext sets the handler of all clients that have none of their own.
func SetDefaultWarningHandlerWithContext(l WarningHandlerWithContext) {
	if l == nil {
		l = NoWarnings{}
	}
	defaultWarnings.Store(&l)
}

type contextlessWarnings struct{ WarningHandler }

func (w contextlessWarnings) HandleWarningHeaderWithContext(_ context.Context, code int, agent string, text string) {
	w.HandleWarningHeader(code, agent, text)
}

// warningHandler returns the handler of the Config, or nil.
func (c *Config) warningHandler() WarningHandlerWithContext {
	switch {
	case c.WarningHandlerWithContext != nil:
		return c.WarningHandlerWithContext
	case c.WarningHandler != nil:
		return contextlessWarnings{c.WarningHandler}
	}
	return nil
}

// WarningHandler sets the handler of this request; nil means the default one.
func (r *Request) WarningHandler(handler WarningHandler) *Request {
	r.warningHandler = nil
	if handler != nil {
		r.warningHandler = contextlessWarnings{handler}
	}
	return r
}

// WarningHandlerWithContext sets the handler of this request; nil means the default one.
func (r *Request) WarningHandlerWithContext(handler WarningHandlerWithContext) *Request {
	r.warningHandler = handler
	return r
}

// warn passes the warnings of the server to the handler.
func (r *Request) warn(ctx context.Context, resp *http.Response) []utilnet.WarningHeader {
	headers := resp.Header["Warning"]
	if len(headers) == 0 {
		return nil
	}
	handler := r.warningHandler
	if handler == nil {
		handler = WarningLogger{}
		if set := defaultWarnings.Load(); set != nil {
			handler = *set
		}
	}
	// Invalid headers are skipped; the rest may still be useful.
	warnings, _ := utilnet.ParseWarningHeaders(headers)
	for _, w := range warnings {
		handler.HandleWarningHeaderWithContext(ctx, w.Code, w.Agent, w.Text)
	}
	return warnings
}
