// Package pki makes the certificates of a test environment: one authority that signs for the server and for clients.
//
// All of it is PEM, and is valid for a day and from an hour ago: longer than any test, and safe with clocks that differ
// a little.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// Authority signs certificates.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair is a certificate and its private key.
type Pair struct {
	Cert []byte
	Key  []byte
}

// NewAuthority returns a new authority.
func NewAuthority(name string) (*Authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{cert: cert, key: key}, nil
}

// Cert is what others need to know to trust the authority.
func (a *Authority) Cert() []byte { return certPEM(a.cert.Raw) }

// Server makes a certificate for a server with these names and addresses.
func (a *Authority) Server(names []string, ips []net.IP) (Pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: names[0]})
	if err != nil {
		return Pair{}, err
	}
	template.DNSNames, template.IPAddresses = names, ips
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return a.sign(template)
}

// Client makes a certificate for a user. Kubernetes reads the groups from the field for organizations.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: user, Organization: groups})
	if err != nil {
		return Pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

func (a *Authority) sign(template *x509.Certificate) (Pair, error) {
	key, err := newKey()
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	keyBytes, err := keyPEM(key)
	return Pair{Cert: certPEM(der), Key: keyBytes}, err
}

// NewSigningKey returns a private key without a certificate, such as that for the tokens of service accounts.
func NewSigningKey() ([]byte, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	return keyPEM(key)
}

// newKey makes a key on a curve: a thousand times quicker than RSA, and each start needs four.
func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, nil
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
