// Package testcert makes certificates for tests. They are valid from 1999 on, so that they are good in a synctest bubble,
// where it is the year 2000.
package testcert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// CA signs certificates.
type CA struct {
	// PEM is the certificate of the CA.
	PEM  []byte
	Pool *x509.CertPool
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair is a certificate and its key, in PEM.
type Pair struct{ Cert, Key []byte }

// TLS returns the pair in the form that package tls takes.
func (p Pair) TLS(t testing.TB) tls.Certificate {
	t.Helper()
	c, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// NewCA returns a CA of its own.
func NewCA(t testing.TB, name string) *CA {
	t.Helper()
	template := newTemplate(name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	ca := &CA{key: newKey(t), Pool: x509.NewCertPool()}
	ca.cert = sign(t, template, template, ca.key, ca.key)
	ca.PEM = encode("CERTIFICATE", ca.cert.Raw)
	ca.Pool.AddCert(ca.cert)
	return ca
}

// Server makes the certificate of a server with these names and addresses.
func (ca *CA) Server(t testing.TB, hosts ...string) Pair {
	t.Helper()
	template := newTemplate("server")
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	addHosts(template, hosts)
	return ca.issue(t, template)
}

func addHosts(template *x509.Certificate, hosts []string) {
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
}

// Expired makes the certificate of a server, or of a user if there are no hosts, that was good for a while and is no longer.
func (ca *CA) Expired(t testing.TB, name string, hosts ...string) Pair {
	t.Helper()
	template := newTemplate(name)
	template.NotAfter = template.NotBefore.Add(time.Hour)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	addHosts(template, hosts)
	return ca.issue(t, template)
}

// Client makes the certificate of a user.
func (ca *CA) Client(t testing.TB, name string) Pair {
	t.Helper()
	template := newTemplate(name)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return ca.issue(t, template)
}

func (ca *CA) issue(t testing.TB, template *x509.Certificate) Pair {
	t.Helper()
	key := newKey(t)
	cert := sign(t, template, ca.cert, key, ca.key)
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Pair{Cert: encode("CERTIFICATE", cert.Raw), Key: encode("EC PRIVATE KEY", der)}
}

func newTemplate(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		panic(err) // rand.Reader never fails
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t testing.TB, template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
