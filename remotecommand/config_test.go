package remotecommand

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	//lint:ignore SA1019 a test of both packages
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/exec"
	"vedette.dev/internal/streamtest"
	"vedette.dev/internal/testcert"
	"vedette.dev/rest"
)

const secret = "s3cr3t"

// greet writes a word.
func greet(c *streamtest.Command) error {
	_, err := io.WriteString(c.Stdout, "hi")
	return err
}

// run runs a command that greets.
func runGreeting(t *testing.T, transport string, config *rest.Config, target string) error {
	t.Helper()
	var stdout bytes.Buffer
	err := newExecutor(t, transport, config, target).StreamWithContext(deadline(t), StreamOptions{Stdout: &stdout})
	if err == nil && stdout.String() != "hi" {
		t.Errorf("stdout %q", &stdout)
	}
	return err
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// All that a rest.Config says about connections and credentials holds for streams.
func TestConfig(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := streamtest.New(t)
		s.Exec = greet
		ca := testcert.NewCA(t, "clients")
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(ca.PEM)
		s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
		s.StartTLS()
		pair := ca.Client(t, "client")
		var dialed atomic.Int32
		config := &rest.Config{
			Host: s.URL, BearerToken: secret, UserAgent: "me",
			Impersonate: rest.ImpersonationConfig{UserName: "jane", Groups: []string{"a", "b"}},
			TLSClientConfig: rest.TLSClientConfig{
				CAData:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
				CertData: pair.Cert, KeyData: pair.Key, ServerName: "example.com", NextProtos: []string{"h2", "http/1.1"},
			},
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				dialed.Add(1)
				return new(net.Dialer).DialContext(ctx, network, address)
			},
			WrapTransport: func(next http.RoundTripper) http.RoundTripper {
				return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
					r = r.Clone(r.Context())
					r.Header.Set("X-Wrapped", "yes")
					resp, err := next.RoundTrip(r)
					if err == nil {
						resp.Body = struct{ io.ReadCloser }{resp.Body} // hides what it is
					}
					return resp, err
				})
			},
		}
		if err := runGreeting(t, transport, config, s.ExecURL("stdout")); err != nil {
			t.Fatal(err)
		}
		h := s.Requests()[0].Header
		for name, want := range map[string]string{
			"Authorization": "Bearer " + secret, "User-Agent": "me", "Impersonate-User": "jane", "X-Wrapped": "yes",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if got := h.Values("Impersonate-Group"); len(got) != 2 {
			t.Errorf("groups %q", got)
		}
		if dialed.Load() != 1 {
			t.Errorf("Dial was called %d times", dialed.Load())
		}

		config.CAData = nil // the server's certificate is not trusted
		if err := runGreeting(t, transport, config, s.ExecURL("stdout")); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("error %v", err)
		}
	})
}

// newProxy starts a proxy that wants a password.
func newProxy(t *testing.T) (*url.URL, *atomic.Int32) {
	t.Helper()
	var used atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// net/http sends requests for http:// URLs to the proxy, and tunnels others.
		if user, _, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); user != "user" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		used.Add(1)
		server, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer server.Close()
		w.WriteHeader(http.StatusOK)
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		_, _ = io.Copy(client, server)
	}))
	t.Cleanup(proxy.Close)
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u, &used
}

func TestProxy(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := streamtest.New(t)
		s.Exec = greet
		s.StartTLS()
		proxy, used := newProxy(t)
		config := &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
		with := func(user *url.Userinfo) func(*http.Request) (*url.URL, error) {
			u := *proxy
			u.User = user
			return func(*http.Request) (*url.URL, error) { return &u, nil }
		}
		config.Proxy = with(url.UserPassword("user", secret))
		if err := runGreeting(t, transport, config, s.ExecURL("stdout")); err != nil || used.Load() != 1 {
			t.Errorf("%v; the proxy was used %d times", err, used.Load())
		}
		config.Proxy = with(url.UserPassword("other", secret))
		err := runGreeting(t, transport, config, s.ExecURL("stdout"))
		if err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v", err)
		}
	})
}

// A custom transport is used. A WebSocket needs an *http.Transport, and is refused otherwise.
func TestCustomTransport(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := streamtest.New(t)
		s.Exec = greet
		s.StartTLS()
		own := s.Client().Transport.(*http.Transport).Clone()
		defer own.CloseIdleConnections()
		own.ForceAttemptHTTP2 = true
		if err := runGreeting(t, transport, &rest.Config{Host: s.URL, Transport: own}, s.ExecURL("stdout")); err != nil {
			t.Error(err)
		}
		own.DisableKeepAlives = true
		other := roundTripperFunc(func(r *http.Request) (*http.Response, error) { return own.RoundTrip(r) })
		err := runGreeting(t, transport, &rest.Config{Host: s.URL, Transport: other}, s.ExecURL("stdout"))
		if (transport == "websocket") != httpstream.IsUpgradeFailure(err) || transport == "spdy" && err != nil {
			t.Errorf("error %v", err)
		}
	})
}

// What a server says is in the error, and neither the command nor a secret is.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := streamtest.New(t)
		status := true
		s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusForbidden)
			if status {
				fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"exec is forbidden","reason":"Forbidden","code":403,"details":{"name":%q}}`, strings.Repeat("x", 2000))
			} else {
				_, _ = io.WriteString(w, "a text")
			}
			return true
		}
		s.Start()
		config := &rest.Config{Host: s.URL, BearerToken: secret}
		err := runGreeting(t, transport, config, s.ExecURL("stdout"))
		wantError(t, err, "exec is forbidden")
		if !apierrors.IsForbidden(err) {
			t.Errorf("%v is no Forbidden", err)
		}
		status = false
		err = runGreeting(t, transport, config, s.ExecURL("stdout"))
		wantError(t, err, "a text")

		dead := httptest.NewServer(nil)
		dead.Close()
		err = runGreeting(t, transport, &rest.Config{BearerToken: secret}, dead.URL+"/path?command=secret-command")
		wantError(t, err, "connection refused")
		for _, word := range []string{secret, "secret-command"} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("error %v has %q", err, word)
			}
		}
	})
}

// A server that refuses WebSockets gets SPDY, and any other error is final.
func TestFallback(t *testing.T) {
	for name, is := range map[string]func(error) bool{"apimachinery": apistream.IsUpgradeFailure, "streaming": httpstream.IsUpgradeFailure} {
		t.Run(name, func(t *testing.T) {
			s := streamtest.New(t)
			code := 0
			s.Exec = func(c *streamtest.Command) error {
				if code != 0 {
					return exec.CodeExitError{Code: code}
				}
				_, err := io.Copy(c.Stdout, c.Stdin)
				return err
			}
			refuse := true
			s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
				if refuse && r.Header.Get("Upgrade") == "websocket" {
					http.Error(w, "no", http.StatusBadRequest)
					return true
				}
				return false
			}
			s.Start()
			target, config := s.ExecURL("stdin,stdout"), &rest.Config{Host: s.URL}
			e, err := NewFallbackExecutor(newExecutor(t, "websocket", config, target), newExecutor(t, "spdy", config, target), is)
			if err != nil {
				t.Fatal(err)
			}
			var stdout bytes.Buffer
			err = e.StreamWithContext(deadline(t), StreamOptions{Stdin: strings.NewReader("in"), Stdout: &stdout})
			if err != nil || stdout.String() != "in" || len(s.Requests()) != 2 {
				t.Errorf("%v, %q, %d requests", err, &stdout, len(s.Requests()))
			}
			refuse, code = false, 1
			err = e.StreamWithContext(deadline(t), StreamOptions{Stdin: strings.NewReader("in"), Stdout: &stdout})
			if exit := (exec.CodeExitError{}); !errors.As(err, &exit) || len(s.Requests()) != 3 {
				t.Errorf("%v, %d requests", err, len(s.Requests()))
			}
		})
	}
}

// Older protocols have no Status: nothing means success.
func TestOldProtocols(t *testing.T) {
	for _, protocol := range []string{"channel.k8s.io", "v2.channel.k8s.io", "v3.channel.k8s.io", "v4.channel.k8s.io"} {
		t.Run(protocol, func(t *testing.T) {
			var fail error
			s := serve(t, func(c *streamtest.Command) error {
				if c.Protocol != protocol {
					t.Errorf("protocol %q", c.Protocol)
				}
				_, _ = io.WriteString(c.Stdout, "hi")
				return fail
			})
			u, _ := url.Parse(s.ExecURL("stdout"))
			e, err := NewSPDYExecutor(&rest.Config{}, http.MethodPost, u)
			if err != nil {
				t.Fatal(err)
			}
			e.(*spdyExecutor).protocols = []string{protocol}
			if err := e.StreamWithContext(deadline(t), StreamOptions{Stdout: io.Discard}); err != nil {
				t.Error(err)
			}
			fail = errors.New("it failed")
			wantError(t, e.StreamWithContext(deadline(t), StreamOptions{Stdout: io.Discard}), "it failed")
		})
	}
}

func TestRedirect(t *testing.T) {
	other := serve(t, greet)
	s := streamtest.New(t)
	s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.ExecURL("stdout"), http.StatusTemporaryRedirect)
		return true
	}
	s.Start()
	u, _ := url.Parse(s.ExecURL("stdout"))
	config := &rest.Config{BearerToken: secret}
	e, err := NewSPDYExecutor(config, http.MethodPost, u)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.StreamWithContext(deadline(t), StreamOptions{Stdout: io.Discard}); err != nil {
		t.Error(err)
	}
	if h := other.Requests()[0].Header.Get("Authorization"); h != "" {
		t.Errorf("another host got the credentials %q", h)
	}
	own := e.(*spdyExecutor)
	rejecting, err := NewSPDYExecutorRejectRedirects(own.client.Transport, own.upgrader, http.MethodPost, u)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, rejecting.StreamWithContext(deadline(t), StreamOptions{Stdout: io.Discard}), "redirect not allowed")
}

func TestBadInput(t *testing.T) {
	if _, err := NewWebSocketExecutor(nil, http.MethodGet, "http://host"); err == nil {
		t.Error("no configuration")
	}
	if _, err := NewWebSocketExecutor(&rest.Config{}, http.MethodGet, "http://user:"+secret+"@ho st"); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v", err)
	}
	if _, err := NewSPDYExecutor(nil, http.MethodPost, &url.URL{}); err == nil {
		t.Error("no configuration")
	}
	if _, err := NewSPDYExecutor(&rest.Config{}, http.MethodPost, nil); err == nil {
		t.Error("no URL")
	}
	if _, err := NewSPDYExecutor(&rest.Config{BearerToken: "a", Username: "b"}, http.MethodPost, &url.URL{}); err == nil {
		t.Error("two kinds of credentials")
	}
	if _, err := NewFallbackExecutor(nil, nil, nil); err == nil {
		t.Error("no executors")
	}
	for _, target := range []string{"ftp://host/", "host", "http://127.0.0.1:0/"} {
		each(t, func(t *testing.T, transport string) {
			if err := runGreeting(t, transport, &rest.Config{}, target); err == nil {
				t.Error("no error")
			}
		})
	}
}

func FuzzResult(f *testing.F) {
	f.Add(streamtest.Status(nil))
	f.Add(streamtest.Status(errors.New("x")))
	f.Add(streamtest.Status(exec.CodeExitError{Code: 1}))
	for _, s := range []string{
		"", "text", "{}", "null", `{"status":"Failure"}`, `{"status":"Failure","reason":"NonZeroExitCode"}`,
		`{"status":"Failure","reason":"NonZeroExitCode","details":{}}`,
		`{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"x"}]}}`,
		`{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"0"}]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		err := protocol{statuses: true}.result(message, io.EOF, nil)
		if err == nil && !bytes.Contains(message, []byte("Success")) {
			t.Errorf("%q is a success", message)
		}
		if exit := (exec.CodeExitError{}); errors.As(err, &exit) && exit.Code == 0 {
			t.Errorf("%q is %v", message, err)
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
