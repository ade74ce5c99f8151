package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/exec"
	"vedette.dev/internal/streamtest"
	"vedette.dev/portforward"
	"vedette.dev/remotecommand"
	"vedette.dev/rest"
)

// gate is a proxy in front of the API server that refuses WebSockets.
type gate struct {
	*httptest.Server
	refused, passed atomic.Int64 // WebSockets, and requests for SPDY
}

// newGate starts a gate that answers requests for a WebSocket with a code.
func newGate(t *testing.T, code int) *gate {
	t.Helper()
	config := adminConfig(t)
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	secure, err := rest.TLSConfigFor(config)
	if err != nil {
		t.Fatal(err)
	}
	secure.NextProtos = []string{"http/1.1"} // an upgrade is of HTTP/1.1
	transport := &http.Transport{TLSClientConfig: secure, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	g := &gate{}
	g.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			g.refused.Add(1)
			http.Error(w, "no WebSockets here", code)
			return
		}
		g.passed.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		g.Close()
		transport.CloseIdleConnections()
	})
	return g
}

// config returns the configuration for a client of the gate.
func (g *gate) config(t *testing.T) *rest.Config {
	t.Helper()
	config := adminConfig(t)
	config.Host = g.URL
	config.TLSClientConfig = rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.Certificate().Raw})}
	return config
}

// through returns the URL with the address of the gate.
func (g *gate) through(t *testing.T, u *url.URL) *url.URL {
	t.Helper()
	own, err := url.Parse(g.URL)
	if err != nil {
		t.Fatal(err)
	}
	changed := *u
	changed.Scheme, changed.Host = own.Scheme, own.Host
	return &changed
}

// check checks that a WebSocket was tried first, and SPDY then.
func (g *gate) check(t *testing.T) {
	t.Helper()
	if refused, passed := g.refused.Swap(0), g.passed.Swap(0); refused != 1 || passed != 1 {
		t.Errorf("%d WebSockets were refused and %d SPDY connections opened, want one of each", refused, passed)
	}
}

// eachRefusal runs a test with each answer that proxies give to a WebSocket.
func eachRefusal(t *testing.T, test func(t *testing.T, g *gate)) {
	for _, code := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusBadGateway} {
		t.Run(http.StatusText(code), func(t *testing.T) { test(t, newGate(t, code)) })
	}
}

func newFallback(t *testing.T, g *gate, u *url.URL) remotecommand.Executor {
	t.Helper()
	u = g.through(t, u)
	config := g.config(t)
	executor, err := remotecommand.NewFallbackExecutor(newExecutor(t, "websocket", config, u), newExecutor(t, "spdy", config, u), httpstream.IsUpgradeFailure)
	if err != nil {
		t.Fatal(err)
	}
	return executor
}

// Where WebSockets are refused, a command runs over SPDY, with all of its input. What the API server says about SPDY is the error.
func TestExecFallback(t *testing.T) {
	kubelet, pod := newKubelet(t)
	kubelet.Exec = func(c *streamtest.Command) error {
		if _, err := io.Copy(c.Stdout, c.Stdin); err != nil {
			return err
		}
		return exec.CodeExitError{Code: 7}
	}
	options := &corev1.PodExecOptions{Command: []string{"cat", "-"}, Stdin: true, Stdout: true}
	there := subresource(t, pod, "exec", options)
	other := pod.DeepCopy()
	other.Name = "missing"
	missing := subresource(t, other, "exec", options)
	eachRefusal(t, func(t *testing.T, g *gate) {
		in := strings.Repeat("0123456789abcdef", 1<<20/16)
		var stdout bytes.Buffer
		err := newFallback(t, g, there).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{
			Stdin: strings.NewReader(in), Stdout: &stdout,
		})
		if exit, ok := err.(exec.CodeExitError); !ok || exit.Code != 7 {
			t.Errorf("error %v", err)
		}
		if stdout.String() != in {
			t.Errorf("%d bytes of stdout, want %d", stdout.Len(), len(in))
		}
		g.check(t)

		err = newFallback(t, g, missing).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{
			Stdin: strings.NewReader(in), Stdout: &stdout,
		})
		wantError(t, err, `pods "missing" not found`)
		if !apierrors.IsNotFound(err) {
			t.Errorf("%v is not a NotFound", err)
		}
		g.check(t)
	})
}

// Where WebSockets are refused, ports are forwarded over SPDY.
func TestPortForwardFallback(t *testing.T) {
	kubelet, pod := newKubelet(t)
	kubelet.Forward = func(_ int, data io.ReadWriteCloser) error {
		_, err := io.Copy(data, struct{ io.Reader }{data})
		return err
	}
	u := subresource(t, pod, "portforward", nil)
	eachRefusal(t, func(t *testing.T, g *gate) {
		u, config := g.through(t, u), g.config(t)
		dialer := portforward.NewFallbackDialerForStreaming(
			newPortDialer(t, "websocket", config, u), newPortDialer(t, "spdy", config, u), httpstream.IsUpgradeFailure)
		f := startForwarding(t, dialer, ":80")
		conn := f.connect(t, 0)
		defer conn.Close()
		in := bytes.Repeat([]byte("x"), 1<<20)
		go func() { _, _ = conn.Write(in); _ = conn.CloseWrite() }()
		if out, err := io.ReadAll(conn); err != nil || len(out) != len(in) {
			t.Errorf("%v, %d bytes", err, len(out))
		}
		g.check(t)
		f.stop()
		if err := f.wait(t); err != nil {
			t.Errorf("error %v", err)
		}
	})
}
