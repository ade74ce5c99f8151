package transport

import (
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vedette.dev/internal/testcert"
)

func TestCAFileRotation(t *testing.T) {
	first, second := testcert.NewCA(t, "first"), testcert.NewCA(t, "second")
	var current atomic.Pointer[tls.Config]
	present := func(ca *testcert.CA) {
		current.Store(&tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}, NextProtos: []string{"h2"}})
	}
	present(first)
	server := serve(t, &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return current.Load(), nil
	}}, whoami)
	path := t.TempDir() + "/ca.crt"
	writeFile(t, path, first.PEM)
	client := newClient(t, &Config{TLS: TLSConfig{CAFile: path}})
	works := func(when string) {
		t.Helper()
		if _, err := get(t, client, server.URL); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
	}
	works("at first")

	present(second)
	server.hangUp(client)
	later(t, client, fileCheckPeriod)
	if _, err := get(t, client, server.URL); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Fatalf("the server has a certificate of a CA that is not in the file: %v", err)
	}

	writeFile(t, path, append(first.PEM, second.PEM...))
	if _, err := get(t, client, server.URL); err == nil {
		t.Fatal("the file was read again too soon")
	}
	later(t, client, fileCheckPeriod)
	works("after the file changed")

	for _, garbage := range []string{"", "garbage", string(pemBlock("CERTIFICATE"))} {
		writeFile(t, path, []byte(garbage))
		server.hangUp(client)
		later(t, client, fileCheckPeriod)
		works("with garbage in the file")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	present(testcert.NewCA(t, "third"))
	server.hangUp(client)
	later(t, client, fileCheckPeriod)
	_, err := get(t, client, server.URL)
	if err == nil || !strings.Contains(err.Error(), "using old certificates") || !strings.Contains(err.Error(), path) {
		t.Errorf("a handshake fails while the CA file cannot be read: %v", err)
	}
}

// An old CA that was taken out of the file is not believed any more, not even on connections that are open.
func TestCAFileRotationDropsTrust(t *testing.T) {
	old, next := testcert.NewCA(t, "old"), testcert.NewCA(t, "next")
	server := serve(t, &tls.Config{Certificates: []tls.Certificate{old.Server(t, "127.0.0.1").TLS(t)}}, whoami)
	path := t.TempDir() + "/ca.crt"
	writeFile(t, path, old.PEM)
	client := newClient(t, &Config{TLS: TLSConfig{CAFile: path}})
	if _, err := get(t, client, server.URL); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, next.PEM)
	later(t, client, fileCheckPeriod)
	if _, err := get(t, client, server.URL); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("after the CA was replaced: %v", err)
	}
}

// rotation is a server with a stream and a slow request under way.
type rotation struct {
	*testServer
	client  *http.Client
	release chan struct{}
	started chan struct{}
}

func newRotation(t *testing.T, ca *testcert.CA, config *Config) *rotation {
	r := &rotation{release: make(chan struct{}), started: make(chan struct{})}
	r.testServer = serve(t, mutual(t, ca), func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/slow":
			r.started <- struct{}{}
			<-r.release
		case "/stream":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-req.Context().Done()
			return
		}
		whoami(w, req)
	})
	r.client = newClient(t, config)
	return r
}

// checkRotation changes the certificate from alice's to bob's, and looks at what happens to requests.
func checkRotation(t *testing.T, r *rotation, rotate func()) {
	expect := func(want string) {
		t.Helper()
		if got, err := get(t, r.client, r.URL); err != nil || got != want {
			t.Fatalf("the server saw %q (%v), want %q", got, err, want)
		}
	}
	expect("alice")

	slow := make(chan string, 1)
	go func() {
		got, err := get(t, r.client, r.URL+"/slow")
		if err != nil {
			got = err.Error()
		}
		slow <- got
	}()
	<-r.started
	req, err := http.NewRequestWithContext(WithLongRunning(t.Context()), http.MethodGet, r.URL+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()

	rotate()
	expect("bob")
	if _, err := io.ReadAll(stream.Body); err == nil {
		t.Error("the stream ended as if all were well")
	}
	close(r.release)
	if got := <-slow; got != "alice" {
		t.Errorf("the request that was under way ended with %q", got)
	}
	opened := r.opened.Load()
	expect("bob")
	if r.opened.Load() != opened {
		t.Error("another connection was made though nothing changed")
	}
}

func TestClientCertificateFileRotation(t *testing.T) {
	for _, protocols := range [][]string{nil, {"http/1.1"}} {
		ca := testcert.NewCA(t, "ca")
		config := files(t, ca, ca.Client(t, "alice"))
		config.TLS.NextProtos = protocols
		r := newRotation(t, ca, config)
		checkRotation(t, r, func() {
			writePair(t, config, ca.Client(t, "bob"))
			later(t, r.client, fileCheckPeriod)
		})
	}
}

func TestCertificateCallbackRotation(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	var current atomic.Pointer[tls.Certificate]
	present := func(name string) {
		cert := ca.Client(t, name).TLS(t)
		current.Store(&cert)
	}
	present("alice")
	holder := &GetCertHolder{GetCert: func() (*tls.Certificate, error) { return current.Load(), nil }}
	r := newRotation(t, ca, &Config{TLS: TLSConfig{CAData: ca.PEM, GetCertHolder: holder}})
	checkRotation(t, r, func() {
		present("bob")
		holder.Rotated()
	})
}

// A new certificate is used even while the CA file, which is read at the same time, is broken.
func TestCertificateCallbackRotationWithBrokenFile(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, mutual(t, ca), whoami)
	path := t.TempDir() + "/ca.crt"
	writeFile(t, path, ca.PEM)
	cert := ca.Client(t, "alice").TLS(t)
	holder := &GetCertHolder{GetCert: func() (*tls.Certificate, error) { return &cert, nil }}
	client := newClient(t, &Config{TLS: TLSConfig{CAFile: path, GetCertHolder: holder}})
	for _, name := range []string{"alice", "bob"} {
		cert = ca.Client(t, name).TLS(t)
		holder.Rotated()
		if got, err := get(t, client, server.URL); err != nil || got != name {
			t.Errorf("the server saw %q (%v), want %q", got, err, name)
		}
		writeFile(t, path, []byte("garbage"))
	}
}

// A certificate is written before its key: until both are there, the old pair is used.
func TestHalfWrittenCertificateIsNotUsed(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, mutual(t, ca), whoami)
	config := files(t, ca, ca.Client(t, "alice"))
	client := newClient(t, config)
	bob := ca.Client(t, "bob")
	for _, step := range []struct {
		write func()
		want  string
	}{
		{func() {}, "alice"},
		{func() { writeFile(t, config.TLS.CertFile, bob.Cert) }, "alice"},
		{func() { writeFile(t, config.TLS.KeyFile, bob.Key) }, "bob"},
	} {
		step.write()
		server.hangUp(client)
		later(t, client, fileCheckPeriod)
		if got, err := get(t, client, server.URL); err != nil || got != step.want {
			t.Errorf("the server saw %q (%v), want %q", got, err, step.want)
		}
	}
}

func TestFilesAreCheckedByOneRequestAtATime(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	config := files(t, ca, ca.Client(t, "alice"))
	b := baseOf(t, newClient(t, config))
	if b.due() {
		t.Error("the files are due just after they were read")
	}
	b.start = b.start.Add(-fileCheckPeriod)
	if !b.due() || b.due() {
		t.Error("the files should be due for one request exactly")
	}
	data := baseOf(t, newClient(t, &Config{TLS: TLSConfig{CAData: ca.PEM}}))
	data.start = data.start.Add(-time.Hour)
	if data.due() {
		t.Error("a config without files has files to look at")
	}
}
