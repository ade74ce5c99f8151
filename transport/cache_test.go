package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"vedette.dev/internal/testcert"
)

// eventually runs the garbage collector until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 200 {
		runtime.GC()
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("never happened: %s", what)
}

// emptyCache waits until what earlier tests left is gone.
func emptyCache(t testing.TB) {
	t.Helper()
	eventually(t, "the cache is empty at the beginning", func() bool { return bases.Len() == 0 })
}

func goroutinesOf(function string) int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), function)
}

func TestThousandClientsShareOneConnection(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}}, whoami)
	emptyCache(t)
	clients := make([]*http.Client, 1000)
	for i := range clients {
		rt, err := New(&Config{TLS: TLSConfig{CAData: append([]byte(nil), ca.PEM...)}, BearerToken: "t"})
		if err != nil {
			t.Fatal(err)
		}
		clients[i] = &http.Client{Transport: rt}
		if _, err := get(t, clients[i], server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if n := server.opened.Load(); n != 1 {
		t.Errorf("%d connections were opened", n)
	}
	if n := bases.Len(); n != 1 {
		t.Errorf("the cache has %d entries", n)
	}
	clear(clients)
	eventually(t, "the cache is empty", func() bool { return bases.Len() == 0 })
	eventually(t, "the connection is closed", func() bool { return goroutinesOf("clientConnReadLoop") == 0 })
}

func TestIdleHTTP1ConnectionsGoWithTheirClient(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}}, whoami)
	config := &Config{
		TLS:   TLSConfig{CAData: ca.PEM, NextProtos: []string{"http/1.1"}},
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }, // so that it is not in the cache
	}
	for range 3 {
		rt, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, &http.Client{Transport: rt}, server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if n := server.opened.Load(); n != 3 {
		t.Errorf("%d connections were opened, want one for each Proxy function", n)
	}
	eventually(t, "the connections are closed", func() bool { return goroutinesOf("(*persistConn).readLoop") == 0 })
}

// A dial function may know the client it dials for. That must not keep both alive forever.
func TestDialFunctionMayHoldItsClient(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}}, whoami)
	emptyCache(t)
	func() {
		client := &http.Client{}
		// Not HTTP/2, where the timer of the next ping holds the connection for a while after it was closed.
		rt, err := New(&Config{TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"http/1.1"}}, DialHolder: &DialHolder{
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				_ = client.Timeout
				return (&net.Dialer{}).DialContext(ctx, network, address)
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		client.Transport = rt
		if _, err := get(t, client, server.URL); err != nil {
			t.Fatal(err)
		}
	}()
	// An open connection holds the function that made it, and with it the client.
	server.CloseClientConnections()
	eventually(t, "the client is gone", func() bool { return bases.Len() == 0 })
}

func TestOnlyEqualConfigsShare(t *testing.T) {
	ca, other := testcert.NewCA(t, "ca"), testcert.NewCA(t, "other")
	alice, bob := ca.Client(t, "alice"), ca.Client(t, "bob")
	dial := &DialHolder{Dial: (&net.Dialer{}).DialContext}
	getCert := func() (*tls.Certificate, error) { return nil, nil }
	proxy := func(*http.Request) (*url.URL, error) { return nil, nil }
	path := files(t, ca, alice).TLS
	all := []*Config{
		{},
		{DisableCompression: true},
		{DialHolder: dial},
		{DialHolder: &DialHolder{Dial: dial.Dial}},
		{Proxy: proxy},
		{Proxy: proxy},
		{TLS: TLSConfig{Insecure: true}},
		{TLS: TLSConfig{CAData: ca.PEM}},
		{TLS: TLSConfig{CAData: other.PEM}},
		{TLS: TLSConfig{CAFile: path.CAFile}},
		{TLS: TLSConfig{CAData: ca.PEM, ServerName: "a"}},
		{TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"http/1.1"}}},
		{TLS: TLSConfig{CAData: ca.PEM, CertData: alice.Cert, KeyData: alice.Key}},
		{TLS: TLSConfig{CAData: ca.PEM, CertData: bob.Cert, KeyData: bob.Key}},
		{TLS: TLSConfig{CAData: ca.PEM, CertFile: path.CertFile, KeyFile: path.KeyFile}},
		{TLS: TLSConfig{GetCertHolder: &GetCertHolder{GetCert: getCert}}},
		{TLS: TLSConfig{GetCertHolder: &GetCertHolder{GetCert: getCert}}},
	}
	seen := map[*base]int{}
	for i, config := range all {
		b := baseOf(t, newClient(t, config))
		if first, ok := seen[b]; ok {
			t.Errorf("configs %d and %d share a transport", first, i)
		}
		seen[b] = i
		again := *config
		again.UserAgent, again.BearerToken = "another", "token" // above the connection
		if shared := baseOf(t, newClient(t, &again)) == b; shared != (config.Proxy == nil) {
			t.Errorf("config %d: shared is %t", i, shared)
		}
	}
}

// That the certificate is known does not mean that the key is right.
func TestKeyIsPartOfTheConfig(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	alice, bob := ca.Client(t, "alice"), ca.Client(t, "bob")
	config := &Config{TLS: TLSConfig{CertData: alice.Cert, KeyData: alice.Key}}
	newClient(t, config)
	config.TLS.KeyData = bob.Key
	if _, err := New(config); err == nil {
		t.Error("a certificate with the wrong key was taken for one that is known")
	}
}

func TestConfigMayBeChangedAfterNew(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	config := &Config{TLS: TLSConfig{CAData: append([]byte(nil), ca.PEM...)}}
	b := baseOf(t, newClient(t, config))
	clear(config.TLS.CAData)
	if _, err := b.source.tls.load(); err != nil {
		t.Errorf("the transport shares memory with the config: %v", err)
	}
}
