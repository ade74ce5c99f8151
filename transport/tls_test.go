package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vedette.dev/internal/testcert"
)

// whoami answers with the name in the client's certificate.
func whoami(w http.ResponseWriter, r *http.Request) {
	if certs := r.TLS.PeerCertificates; len(certs) > 0 {
		_, _ = io.WriteString(w, certs[0].Subject.CommonName)
	}
}

func TestServerIsVerified(t *testing.T) {
	ca, other := testcert.NewCA(t, "ca"), testcert.NewCA(t, "other")
	server := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1", "api.example").TLS(t)}}, whoami)
	old := serve(t, &tls.Config{
		Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)},
		MaxVersion:   tls.VersionTLS11, MinVersion: tls.VersionTLS10,
	}, whoami)
	named := serve(t, &tls.Config{Certificates: []tls.Certificate{ca.Server(t, "api.example").TLS(t)}}, whoami)
	both := append(append([]byte("# a comment\n"), other.PEM...), ca.PEM...)
	for name, test := range map[string]struct {
		config TLSConfig
		url    string
		want   string // "" means that it works
	}{
		"the right CA":               {TLSConfig{CAData: ca.PEM}, server.URL, ""},
		"a bundle":                   {TLSConfig{CAData: both}, server.URL, ""},
		"a bundle with a broken one": {TLSConfig{CAData: append(pemBlock("CERTIFICATE"), ca.PEM...)}, server.URL, ""},
		"the wrong CA":               {TLSConfig{CAData: other.PEM}, server.URL, "unknown authority"},
		"the system's CAs":           {TLSConfig{}, server.URL, "unknown authority"},
		"insecure":                   {TLSConfig{Insecure: true}, server.URL, ""},
		"another name":               {TLSConfig{CAData: ca.PEM, ServerName: "api.example"}, named.URL, ""},
		"no such name":               {TLSConfig{CAData: ca.PEM}, named.URL, "doesn't contain any IP SANs"},
		"the wrong name":             {TLSConfig{CAData: ca.PEM, ServerName: "evil.example"}, server.URL, "not evil.example"},
		"TLS 1.1":                    {TLSConfig{CAData: ca.PEM}, old.URL, "protocol version"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := get(t, newClient(t, &Config{TLS: test.config}), test.url)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestClientCertificate(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := serve(t, mutual(t, ca), whoami)
	alice := ca.Client(t, "alice")
	pair := alice.TLS(t)
	fromFiles := files(t, ca, alice)
	mixed := files(t, ca, alice)
	mixed.TLS.CertFile, mixed.TLS.CertData = "/no/such/file", alice.Cert // the data wins
	for name, test := range map[string]struct {
		config *Config
		want   string
	}{
		"data":  {&Config{TLS: TLSConfig{CAData: ca.PEM, CertData: alice.Cert, KeyData: alice.Key}}, "alice"},
		"files": {fromFiles, "alice"},
		"mixed": {mixed, "alice"},
		"callback": {&Config{TLS: TLSConfig{CAData: ca.PEM, GetCertHolder: &GetCertHolder{
			GetCert: func() (*tls.Certificate, error) { return &pair, nil }}}}, "alice"},
		"callback with none": {&Config{TLS: TLSConfig{CAData: ca.PEM, GetCertHolder: &GetCertHolder{
			GetCert: func() (*tls.Certificate, error) { return nil, nil }}}}, ""},
		"none": {&Config{TLS: TLSConfig{CAData: ca.PEM}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := get(t, newClient(t, test.config), server.URL)
			if err != nil || got != test.want {
				t.Errorf("the server saw %q (%v), want %q", got, err, test.want)
			}
		})
	}
	failing := errors.New("no certificate today")
	client := newClient(t, &Config{TLS: TLSConfig{CAData: ca.PEM, GetCertHolder: &GetCertHolder{
		GetCert: func() (*tls.Certificate, error) { return nil, failing }}}})
	if _, err := get(t, client, server.URL); !errors.Is(err, failing) {
		t.Errorf("a callback that fails: %v", err)
	}
}

// mutual is the configuration of a server that knows users by certificates of ca.
func mutual(t testing.TB, ca *testcert.CA) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)},
		ClientAuth:   tls.VerifyClientCertIfGiven,
		ClientCAs:    ca.Pool,
	}
}

func TestTLSConfigFor(t *testing.T) {
	if config, err := TLSConfigFor(&Config{BearerToken: "t"}); config != nil || err != nil {
		t.Errorf("for nothing: %v, %v", config, err)
	}
	if _, err := TLSConfigFor(&Config{TLS: TLSConfig{Insecure: true, CAFile: "x"}}); err == nil {
		t.Error("no error for a CA with the insecure flag")
	}
	if _, err := TLSConfigFor(&Config{TLS: TLSConfig{CAFile: "/no/such/file"}}); err == nil {
		t.Error("no error for a CA file that is not there")
	}
	config, err := TLSConfigFor(&Config{TLS: TLSConfig{ServerName: "a", NextProtos: []string{"x"}, Insecure: true}})
	if err != nil || config.ServerName != "a" || config.NextProtos[0] != "x" || !config.InsecureSkipVerify || config.MinVersion != tls.VersionTLS12 {
		t.Errorf("got %+v, %v", config, err)
	}
}

func TestTLSConfigForFollowsCertificateFiles(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	config := files(t, ca, ca.Client(t, "alice"))
	tlsConfig, err := TLSConfigFor(config)
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		cert, err := tlsConfig.GetClientCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.Subject.CommonName
	}
	fresh := &freshCert{source: newTLSSource(&config.TLS), cert: &tls.Certificate{}}
	if got := name(); got != "alice" {
		t.Errorf("the certificate is that of %q", got)
	}
	writePair(t, config, ca.Client(t, "bob"))
	if got := fresh.get(); got.Leaf.Subject.CommonName != "bob" {
		t.Errorf("after the files changed: %v", got.Leaf.Subject)
	}
	writeFile(t, config.TLS.KeyFile, []byte("garbage"))
	fresh.checked = time.Time{}
	if got := fresh.get(); got.Leaf.Subject.CommonName != "bob" {
		t.Errorf("after the files became garbage: %v", got.Leaf.Subject)
	}
}
