package fence_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/fence"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
)

// wire is the end of a stack of round trippers: what gets here is sent.
type wire struct {
	mu   sync.Mutex
	sent []string
	// before is called when a request has arrived, before its body is read.
	before func(*http.Request)
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.before != nil {
		w.before(req)
	}
	if req.Body != nil {
		defer req.Body.Close()
		if _, err := io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, req.Method)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("answer")), Request: req}, nil
}

func (w *wire) methods() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := strings.Join(w.sent, " ")
	w.sent = nil
	return s
}

// sendAll sends a request of each method and returns the errors of those that failed.
func sendAll(t *testing.T, ctx context.Context, rt http.RoundTripper) map[string]error {
	t.Helper()
	refused := make(map[string]error)
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		var body io.Reader
		if method != "GET" && method != "DELETE" {
			body = strings.NewReader("{}")
		}
		req, err := http.NewRequestWithContext(ctx, method, "http://server/api/v1/namespaces/default/configmaps/a", body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rt.RoundTrip(req)
		if err != nil {
			refused[method] = err
			continue
		}
		if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "answer" {
			t.Errorf("%s: answer %q, %v", method, text, err)
		}
		_ = resp.Body.Close()
	}
	return refused
}

func TestAGateRefusesWritesWithoutATerm(t *testing.T) {
	w, gate := new(wire), new(fence.Gate)
	rt := gate.Wrap(w)
	wantWritesRefused := func(when string, want error) {
		t.Helper()
		refused := sendAll(t, t.Context(), rt)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if err := refused[method]; !errors.Is(err, want) || !strings.Contains(err.Error(), method+" /api/v1/namespaces/default/configmaps/a not sent") {
				t.Errorf("%s: %s: got %v, want %v", when, method, err, want)
			}
		}
		if sent := w.methods(); sent != "GET" {
			t.Errorf("%s: sent %q, want lists and watches alone", when, sent)
		}
		if err := gate.Err(); !errors.Is(err, want) {
			t.Errorf("%s: the gate says %v", when, err)
		}
	}
	wantWritesRefused("before the first term", fence.ErrNoTerm)
	for range 2 {
		l := newLease()
		gate.Open(l.Term)
		if refused := sendAll(t, t.Context(), rt); len(refused) > 0 || gate.Err() != nil {
			t.Errorf("in a term: %v, %v", refused, gate.Err())
		}
		if sent := w.methods(); sent != "GET POST PUT PATCH DELETE" {
			t.Errorf("in a term, sent %q", sent)
		}
		l.expired.Store(true)
		wantWritesRefused("after a term", fence.ErrTermOver)
	}
	if refused := sendAll(t, fence.Exempt(t.Context()), rt); len(refused) > 0 {
		t.Errorf("a renewal is refused: %v", refused)
	}
}

// The term in the context of a request counts, with and without a gate, and for reads as well.
func TestTheTermOfTheContextCounts(t *testing.T) {
	for name, wrap := range map[string]func(http.RoundTripper) http.RoundTripper{
		"no gate": fence.Transport, "closed gate": new(fence.Gate).Wrap,
	} {
		w, l := new(wire), newLease()
		ctx := context.WithoutCancel(fence.With(t.Context(), l.Term))
		if refused := sendAll(t, ctx, wrap(w)); len(refused) > 0 {
			t.Errorf("%s: in the term: %v", name, refused)
		}
		w.methods()
		l.expired.Store(true)
		if refused := sendAll(t, ctx, wrap(w)); len(refused) != 5 || !errors.Is(refused["GET"], fence.ErrTermOver) || w.methods() != "" {
			t.Errorf("%s: after the term: %v", name, refused)
		}
	}
	if refused := sendAll(t, t.Context(), fence.Transport(new(wire))); len(refused) > 0 {
		t.Errorf("without a term: %v", refused)
	}
}

// The process is stopped after the first question, while the request waits for a connection.
func TestATermThatEndsBeforeTheRequestIsWritten(t *testing.T) {
	l, body := newLease(), strings.Repeat("x", 10)
	arrived := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if text, err := io.ReadAll(req.Body); err == nil {
			arrived <- string(text)
		}
	}))
	defer server.Close()
	base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		l.expired.Store(true)
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	defer base.CloseIdleConnections()
	req, err := http.NewRequestWithContext(fence.With(t.Context(), l.Term), http.MethodPut, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fence.Transport(base).RoundTrip(req); !errors.Is(err, fence.ErrTermOver) {
		t.Errorf("got %v", err)
	}
	server.Close() // waits for requests
	select {
	case text := <-arrived:
		t.Errorf("%q arrived", text)
	default:
	}
}

// A request without a body cannot be asked for again; it is cancelled as soon as the end is noticed.
func TestARequestThatWaitsIsCancelledAtTheEndOfTheTerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLease()
		w := &wire{before: func(req *http.Request) {
			time.AfterFunc(time.Second, func() { l.End(errLate) })
			<-req.Context().Done()
		}}
		next := roundTripperFunc(func(req *http.Request) (*http.Response, error) {
			w.before(req)
			return nil, req.Context().Err()
		})
		gate := new(fence.Gate)
		gate.Open(l.Term)
		req, err := http.NewRequest(http.MethodDelete, "http://server/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = gate.Wrap(next).RoundTrip(req)
		if took := time.Since(began); !errors.Is(err, fence.ErrTermOver) || !errors.Is(err, context.Canceled) || took != time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// net/http begins anew with GetBody if an idle connection turns out to be closed.
func TestABodyThatIsReadAgainAsksAgain(t *testing.T) {
	l := newLease()
	next := roundTripperFunc(func(req *http.Request) (*http.Response, error) {
		if text, err := io.ReadAll(req.Body); err != nil || string(text) != "body" {
			t.Errorf("%q, %v", text, err)
		}
		l.expired.Store(true)
		again, err := req.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(again)
		return nil, err
	})
	req, err := http.NewRequestWithContext(fence.With(t.Context(), l.Term), http.MethodPost, "http://server/a", bytes.NewReader([]byte("body")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fence.Transport(next).RoundTrip(req); !errors.Is(err, fence.ErrTermOver) {
		t.Errorf("got %v", err)
	}
}

// A client of package rest asks before each attempt, after its waits: here for Retry-After.
func TestARetryOfAClientAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sent := newLease(), 0
		config := &rest.Config{Host: "http://server", ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs}, QPS: -1}
		config.Transport = roundTripperFunc(func(req *http.Request) (*http.Response, error) {
			sent++
			time.AfterFunc(time.Second, func() { l.expired.Store(true) })
			return &http.Response{
				StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"2"}},
				Body: io.NopCloser(strings.NewReader("")), Request: req,
			}, nil
		})
		client, err := rest.UnversionedRESTClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.WithoutCancel(fence.With(t.Context(), l.Term))
		err = client.Put().AbsPath("/a").Body([]byte("{}")).Do(ctx).Error()
		if !errors.Is(err, fence.ErrTermOver) || sent != 1 {
			t.Errorf("sent %d times: %v", sent, err)
		}
	})
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
