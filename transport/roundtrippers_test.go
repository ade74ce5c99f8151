package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// layers makes each kind of layer around a round tripper.
func layers(t testing.TB, rt http.RoundTripper) map[string]http.RoundTripper {
	token := t.TempDir() + "/token"
	writeFile(t, token, []byte("from-file\n"))
	refresh, err := NewBearerAuthWithRefreshRoundTripper("", token, rt)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]http.RoundTripper{
		"bearer":      NewBearerAuthRoundTripper("t", rt),
		"bearer file": refresh,
		"basic":       NewBasicAuthRoundTripper("u", "p", rt),
		"user agent":  NewUserAgentRoundTripper("me", rt),
		"impersonate": NewImpersonatingRoundTripper(ImpersonationConfig{UserName: "u", UID: "1", Groups: []string{"a", "b"}, Extra: map[string][]string{"k/1%": {"x", "y"}}}, rt),
		"auth proxy":  NewAuthProxyRoundTripper("u", "1", []string{"a", "b"}, map[string][]string{"k": {"x"}}, rt),
		"canceller":   ContextCanceller(context.Background(), errors.New("over"))(rt),
	}
}

func TestLayersAddHeaders(t *testing.T) {
	want := map[string]http.Header{
		"bearer":      {"Authorization": {"Bearer t"}},
		"bearer file": {"Authorization": {"Bearer from-file"}},
		"basic":       {"Authorization": {"Basic dTpw"}},
		"user agent":  {"User-Agent": {"me"}},
		"impersonate": {"Impersonate-User": {"u"}, "Impersonate-Uid": {"1"}, "Impersonate-Group": {"a", "b"}, "Impersonate-Extra-K%2f1%25": {"x", "y"}},
		"auth proxy":  {"X-Remote-User": {"u"}, "X-Remote-Uid": {"1"}, "X-Remote-Group": {"a", "b"}, "X-Remote-Extra-K": {"x"}},
		"canceller":   {},
	}
	var got http.Header
	for name, layer := range layers(t, answering(200, func(r *http.Request) { got = r.Header })) {
		for _, header := range []http.Header{{}, nil} {
			req, _ := http.NewRequest(http.MethodGet, "http://a", nil)
			req.Header = header
			if _, err := layer.RoundTrip(req); err != nil {
				t.Fatal(err)
			}
			if !(len(got) == 0 && len(want[name]) == 0) && !reflect.DeepEqual(got, want[name]) {
				t.Errorf("%s: headers are %v, want %v", name, got, want[name])
			}
			if len(req.Header) != 0 {
				t.Errorf("%s: the caller's request was changed to %v", name, req.Header)
			}
		}
	}
}

func TestLayersLeaveTheCallersHeadersAlone(t *testing.T) {
	var got http.Header
	for name, layer := range layers(t, answering(200, func(r *http.Request) { got = r.Header })) {
		req, _ := http.NewRequest(http.MethodGet, "http://a", nil)
		mine := http.Header{"Authorization": {"Mine"}, "User-Agent": {"mine"}, "Impersonate-User": {"mine"}}
		req.Header = mine.Clone()
		if name == "auth proxy" {
			continue // it replaces: those headers are not for callers to set
		}
		if _, err := layer.RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, mine) {
			t.Errorf("%s: headers are %v, want %v", name, got, mine)
		}
	}
}

func TestAuthProxyHeadersReplaceForgedOnes(t *testing.T) {
	req, _ := http.NewRequest(http.MethodGet, "http://a", nil)
	req.Header = http.Header{"X-Remote-User": {"root"}, "x-remote-group": {"system:masters"}, "X-Remote-Uid": {"0"}, "x-REMOTE-extra-foo": {"bar"}, "X-Other": {"y"}}
	SetAuthProxyHeaders(req, "u", "", nil, nil)
	if want := (http.Header{"X-Remote-User": {"u"}, "X-Other": {"y"}}); !reflect.DeepEqual(req.Header, want) {
		t.Errorf("headers are %v, want %v", req.Header, want)
	}
}

func TestEscapeHeaderKey(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc-1.2_3~": "abc-1.2_3~", "a b": "a%20b", "100%": "100%25", "é": "%C3%A9", "a/b:c": "a%2Fb%3Ac", "\x00\x7f": "%00%7F"} {
		if got := escapeHeaderKey(in); got != want {
			t.Errorf("escapeHeaderKey(%q) = %q, want %q", in, got, want)
		}
	}
}

type closer struct {
	roundTripperFunc
	closed int
}

func (c *closer) CloseIdleConnections() { c.closed++ }

// wrapper hides what is inside, as a round tripper of the user's may.
type wrapper struct{ http.RoundTripper }

func (w wrapper) WrappedRoundTripper() http.RoundTripper { return w.RoundTripper }

func TestLayersPassOnWhatIsNotForThem(t *testing.T) {
	inner := &closer{roundTripperFunc: answering(200, nil)}
	for name, layer := range layers(t, wrapper{inner}) {
		inner.closed = 0
		(&http.Client{Transport: layer}).CloseIdleConnections()
		if inner.closed != 1 {
			t.Errorf("%s: CloseIdleConnections came through %d times", name, inner.closed)
		}
		if got := layer.(interface{ WrappedRoundTripper() http.RoundTripper }).WrappedRoundTripper(); got != (wrapper{inner}) {
			t.Errorf("%s: WrappedRoundTripper returned %v", name, got)
		}
	}
}

type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

func TestContextCanceller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	over := errors.New("over")
	rt := ContextCanceller(ctx, over)(answering(200, nil))
	req, _ := http.NewRequest(http.MethodPost, "http://a", nil)
	if _, err := rt.RoundTrip(req); err != nil {
		t.Error(err)
	}
	cancel()
	sent := &body{Reader: strings.NewReader("x")}
	req.Body = sent
	if _, err := rt.RoundTrip(req); err != over {
		t.Errorf("after the end: %v", err)
	}
	if !sent.closed {
		t.Error("the body of a refused request was not closed")
	}
}

func TestWrappers(t *testing.T) {
	var calls string
	named := func(name string) WrapperFunc {
		return func(rt http.RoundTripper) http.RoundTripper { calls += name; return rt }
	}
	for want, fns := range map[string][]WrapperFunc{
		"": {}, "a": {named("a")}, "ab": {named("a"), nil, named("b")}, "b": {nil, named("b")},
	} {
		calls = ""
		if w := Wrappers(fns...); w != nil {
			w(nil)
		} else if want != "" {
			t.Errorf("no wrapper for %q", want)
		}
		if calls != want {
			t.Errorf("called %q, want %q", calls, want)
		}
	}
	if Wrappers(nil, nil) != nil {
		t.Error("nothing but nil should make nil")
	}
	var c Config
	c.Wrap(named("x"))
	c.Wrap(named("y"))
	calls = ""
	if c.WrapTransport(nil); calls != "xy" {
		t.Errorf("Wrap called %q", calls)
	}
}
