package transport

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vedette.dev/internal/testcert"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient makes a client whose connections are closed at the end of the test.
func newClient(t testing.TB, config *Config) *http.Client {
	t.Helper()
	rt, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: rt}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// baseOf finds the base below the layers.
func baseOf(t testing.TB, client *http.Client) *base {
	t.Helper()
	for rt := client.Transport; ; {
		switch inner := rt.(type) {
		case *base:
			return inner
		case interface{ WrappedRoundTripper() http.RoundTripper }:
			rt = inner.WrappedRoundTripper()
		default:
			t.Fatalf("there is no base below %T", client.Transport)
		}
	}
}

// later lets a base believe that so much time has passed.
func later(t testing.TB, client *http.Client, d time.Duration) {
	b := baseOf(t, client)
	b.start = b.start.Add(-d)
}

// testServer is a TLS server that counts its connections.
type testServer struct {
	*httptest.Server
	opened, open atomic.Int64
}

// serve starts a TLS server that speaks HTTP/2. Its certificate can be replaced through config.GetCertificate.
func serve(t testing.TB, config *tls.Config, handler http.HandlerFunc) *testServer {
	t.Helper()
	s := &testServer{Server: httptest.NewUnstartedServer(handler)}
	s.EnableHTTP2 = true
	s.TLS = config
	s.Config.ErrorLog = discard
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.opened.Add(1)
			s.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.open.Add(-1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// hangUp closes the client's connections. It takes more than one try, because an HTTP/2 connection is idle only some time
// after the body of the last answer was read.
func (s *testServer) hangUp(client *http.Client) {
	for s.open.Load() > 0 {
		client.CloseIdleConnections()
		time.Sleep(time.Millisecond)
	}
}

// get makes a request and returns the body, or the error.
func get(t testing.TB, client *http.Client, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(client, req)
}

// writeFile replaces a file as a whole, as the kubelet does.
func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	temp := path + ".new"
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		t.Fatal(err)
	}
}

// files writes a CA, a certificate and a key into a folder, and returns a config that names them.
func files(t testing.TB, ca *testcert.CA, pair testcert.Pair) *Config {
	t.Helper()
	dir := t.TempDir()
	config := &Config{TLS: TLSConfig{
		CAFile:   filepath.Join(dir, "ca.crt"),
		CertFile: filepath.Join(dir, "tls.crt"),
		KeyFile:  filepath.Join(dir, "tls.key"),
	}}
	writeFile(t, config.TLS.CAFile, ca.PEM)
	writePair(t, config, pair)
	return config
}

func writePair(t testing.TB, config *Config, pair testcert.Pair) {
	t.Helper()
	writeFile(t, config.TLS.CertFile, pair.Cert)
	writeFile(t, config.TLS.KeyFile, pair.Key)
}
