package transport

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/internal/testcert"
)

func TestProtocols(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}},
		func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	dial := &DialHolder{Dial: (&net.Dialer{}).DialContext}
	for name, test := range map[string]struct {
		config *Config
		want   string
	}{
		"default":          {&Config{TLS: TLSConfig{CAData: ca.PEM}}, "HTTP/2.0"},
		"custom dialer":    {&Config{TLS: TLSConfig{CAData: ca.PEM}, DialHolder: dial}, "HTTP/2.0"},
		"http/1.1 only":    {&Config{TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"http/1.1"}}}, "HTTP/1.1"},
		"h2 only":          {&Config{TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"h2"}}}, "HTTP/2.0"},
		"h2 and http/1.1":  {&Config{TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"h2", "http/1.1"}}}, "HTTP/2.0"},
		"unknown protocol": {&Config{TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"http/1.1", "spdy"}}}, "HTTP/1.1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := get(t, newClient(t, test.config), server.URL)
			if err != nil || got != test.want {
				t.Errorf("spoke %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

func TestProxyAndCompression(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String()+" "+r.Header.Get("Accept-Encoding"))
	}))
	defer proxy.Close()
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		client := newClient(t, &Config{Proxy: http.ProxyURL(address), DisableCompression: plain})
		if _, err := get(t, client, "http://api.example/pods"); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"http://api.example/pods gzip", "http://api.example/pods "}; !slices.Equal(asked, want) {
		t.Errorf("the proxy was asked for %q, want %q", asked, want)
	}
}

func TestLongRunningRequestsHaveTheirOwnConnections(t *testing.T) {
	for _, protocols := range [][]string{nil, {"http/1.1"}} {
		ca := testcert.NewCA(t, "ca")
		server := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}},
			func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RemoteAddr) })
		client := newClient(t, &Config{TLS: TLSConfig{CAData: ca.PEM, NextProtos: protocols}})
		ask := func(ctx context.Context) string {
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			address, err := do(client, req)
			if err != nil {
				t.Fatal(err)
			}
			return address
		}
		short, long := ask(t.Context()), ask(WithLongRunning(t.Context()))
		if short == long {
			t.Error("a long-running request shared the connection of a short one")
		}
		if ask(t.Context()) != short || ask(WithLongRunning(t.Context())) != long {
			t.Error("connections were not used again")
		}
		if n := server.opened.Load(); n != 2 {
			t.Errorf("%d connections were opened", n)
		}
	}
}

// A connection goes silent while a watch is open on it: no packet comes or goes, and neither side is notified.
func TestDeadHTTP2ConnectionIsNoticed(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	pair := ca.Server(t, "api.example").TLS(t)
	synctest.Test(t, func(t *testing.T) {
		network := &pipeNetwork{accept: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
			ErrorLog:  discard,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, r.Proto)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}),
		}
		go server.ServeTLS(network, "", "") //nolint:errcheck // ends with ErrServerClosed
		defer server.Close()
		client := newClient(t, &Config{TLS: TLSConfig{CAData: ca.PEM}, DialHolder: &DialHolder{Dial: network.dial}})
		defer client.CloseIdleConnections()

		req, _ := http.NewRequestWithContext(WithLongRunning(t.Context()), http.MethodGet, "https://api.example/", nil)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		proto := make([]byte, len("HTTP/2.0"))
		if _, err := io.ReadFull(resp.Body, proto); err != nil || string(proto) != "HTTP/2.0" {
			t.Fatalf("got %q, %v", proto, err)
		}
		// While all is well, silence does not matter.
		alive := make(chan error, 1)
		go func() {
			_, err := io.ReadAll(resp.Body)
			alive <- err
		}()
		select {
		case err := <-alive:
			t.Fatalf("a healthy connection ended with %v", err)
		case <-time.After(10*time.Minute + time.Millisecond): // just after a ping, which is the worst time
		}
		start := time.Now()
		network.goDark()
		if err := <-alive; err == nil {
			t.Error("the watch ended as if all were well")
		}
		if d := time.Since(start); d > 45*time.Second {
			t.Errorf("it took %v to notice that the connection is dead", d)
		}
	})
}

// pipeNetwork is a network in memory that can go dark.
type pipeNetwork struct {
	accept chan net.Conn
	close  sync.Once
	closed chan struct{}
	mu     sync.Mutex
	conns  []*darkConn
}

func (n *pipeNetwork) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	conn := &darkConn{Conn: ours, dark: make(chan struct{}), closed: make(chan struct{})}
	n.mu.Lock()
	n.conns = append(n.conns, conn)
	n.mu.Unlock()
	select {
	case n.accept <- theirs:
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *pipeNetwork) goDark() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		close(c.dark)
	}
}

func (n *pipeNetwork) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *pipeNetwork) Close() error   { n.close.Do(func() { close(n.closed) }); return nil }
func (n *pipeNetwork) Addr() net.Addr { return &net.TCPAddr{} }

// darkConn swallows what is written, and reads nothing, from when it is dark.
type darkConn struct {
	net.Conn
	dark   chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (c *darkConn) isDark() bool {
	select {
	case <-c.dark:
		return true
	default:
		return false
	}
}

func (c *darkConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.isDark() {
		<-c.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *darkConn) Write(b []byte) (int, error) {
	if c.isDark() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *darkConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
