package websocket

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	gwebsocket "github.com/gorilla/websocket"
	"go.uber.org/goleak"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamtest"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newRequest(t *testing.T, target string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestNegotiate(t *testing.T) {
	s := streamtest.New(t)
	s.Exec = func(c *streamtest.Command) error { _, err := io.WriteString(c.Stdout, "hi"); return err }
	s.Start()
	rt, holder, err := RoundTripperFor(&rest.Config{Username: "user", Password: "password"})
	if err != nil {
		t.Fatal(err)
	}
	req := newRequest(t, s.ExecURL("stdout"))
	conn, err := Negotiate(rt, holder, req, "v6.channel.k8s.io", "v5.channel.k8s.io")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if conn != holder.Connection() || conn.Subprotocol() != "v5.channel.k8s.io" || holder.DataBufferSize() != 32<<10 {
		t.Errorf("protocol %q", conn.Subprotocol())
	}
	if _, message, err := conn.ReadMessage(); err != nil || string(message) != "\x01hi" {
		t.Errorf("%q, %v", message, err)
	}
	if user, _, _ := s.Requests()[0].BasicAuth(); user != "user" {
		t.Errorf("user %q", user)
	}
	if len(req.Header) > 0 || req.URL.Scheme != "http" {
		t.Errorf("the request was changed: %v %v", req.URL, req.Header)
	}
}

// The zero value works, and so does a user in the URL.
func TestRoundTripper(t *testing.T) {
	s := streamtest.New(t)
	s.Exec = func(*streamtest.Command) error { return nil }
	s.Start()
	u, _ := url.Parse(s.ExecURL("stdout"))
	u.User = url.UserPassword("user", "password")
	rt := &RoundTripper{}
	conn, err := Negotiate(rt, rt, newRequest(t, u.String()), "v5.channel.k8s.io")
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if user, _, _ := s.Requests()[0].BasicAuth(); user != "user" {
		t.Errorf("user %q", user)
	}
}

func TestRefused(t *testing.T) {
	s := streamtest.New(t)
	upgrader := gwebsocket.Upgrader{}
	s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/other": // without a protocol
			if conn, err := upgrader.Upgrade(w, r, nil); err == nil {
				_ = conn.Close()
			}
		case "/ok":
			w.WriteHeader(http.StatusOK)
		default:
			http.Redirect(w, r, "/ok", http.StatusFound)
		}
		return true
	}
	s.Start()
	for path, want := range map[string]string{
		"/other": `invalid protocol, expected one of ["v5.channel.k8s.io"], got ""`,
		"/ok":    "(200 OK)",
		"/":      "(302 Found)",
	} {
		rt := &RoundTripper{}
		_, err := Negotiate(rt, rt, newRequest(t, s.URL+path), "v5.channel.k8s.io")
		if err == nil || !strings.Contains(err.Error(), want) || !httpstream.IsUpgradeFailure(err) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	rt := &RoundTripper{}
	if _, err := Negotiate(rt, rt, newRequest(t, "ftp://host/"), "x"); err == nil || !strings.Contains(err.Error(), "unknown url scheme") {
		t.Errorf("error %v", err)
	}
	if _, _, err := RoundTripperFor(nil); err == nil {
		t.Error("no configuration")
	}
}
