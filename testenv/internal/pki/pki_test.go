package pki

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"slices"
	"testing"
)

func TestCertificatesAreGoodForWhatTheyAreMade(t *testing.T) {
	authority, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority.Cert()) {
		t.Fatal("the authority's certificate cannot be read")
	}
	server, err := authority.Server([]string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Client("alice", "admins", "staff")
	if err != nil {
		t.Fatal(err)
	}

	cert := parse(t, server)
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("as the certificate of %s: %v", name, err)
		}
	}
	asClient := x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := cert.Verify(asClient); err == nil {
		t.Error("the server's certificate is good for a client")
	}
	cert = parse(t, client)
	if _, err := cert.Verify(asClient); err != nil {
		t.Error(err)
	}
	if cert.Subject.CommonName != "alice" || !slices.Equal(slices.Sorted(slices.Values(cert.Subject.Organization)), []string{"admins", "staff"}) {
		t.Errorf("it is for %v", cert.Subject)
	}
}

// parse also checks that the key is the certificate's.
func parse(t *testing.T, p Pair) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

func TestSigningKey(t *testing.T) {
	key, err := NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(key)
	if block == nil {
		t.Fatal("not PEM")
	}
	if _, err := x509.ParseECPrivateKey(block.Bytes); err != nil {
		t.Error(err)
	}
}
