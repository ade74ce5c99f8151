package transport

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
)

// TLSConfigFor returns a tls.Config for config, or nil if it has no TLS options. Client certificates from files are
// read again when they change; the CA is not.
func TLSConfigFor(c *Config) (*tls.Config, error) {
	if err := c.TLS.validate(); err != nil {
		return nil, err
	}
	if !c.TLS.isSet() {
		return nil, nil
	}
	source := newTLSSource(&c.TLS)
	proof, err := source.load()
	if err != nil {
		return nil, err
	}
	config := source.config(proof)
	if source.cert.isFile() || source.key.isFile() {
		fresh := &freshCert{source: source, cert: proof.cert}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return fresh.get(), nil
		}
	}
	return config, nil
}

func (c *TLSConfig) isSet() bool {
	return len(c.CAData) > 0 || c.CAFile != "" || c.hasCert() || c.GetCertHolder != nil || c.Insecure ||
		c.ServerName != "" || len(c.NextProtos) > 0
}

// tlsSource is the source of TLS settings, loaded again when files change. It is a private copy.
type tlsSource struct {
	insecure      bool
	serverName    string
	nextProtos    []string
	ca, cert, key pemSource
	getCert       *GetCertHolder
}

func newTLSSource(c *TLSConfig) tlsSource {
	return tlsSource{
		insecure:   c.Insecure,
		serverName: c.ServerName,
		nextProtos: slices.Clone(c.NextProtos),
		ca:         newPEMSource("TLS.CAData", c.CAData, c.CAFile),
		cert:       newPEMSource("TLS.CertData", c.CertData, c.CertFile),
		key:        newPEMSource("TLS.KeyData", c.KeyData, c.KeyFile),
		getCert:    c.GetCertHolder,
	}
}

func (s *tlsSource) hasFiles() bool { return s.ca.isFile() || s.cert.isFile() || s.key.isFile() }

// proof is the result of loading a tlsSource: CA and client certificates.
type proof struct {
	sum   [sha256.Size]byte // hash of all bytes that were read, to detect changes
	roots *x509.CertPool    // nil means those of the system
	cert  *tls.Certificate  // nil means none, or that of the GetCertHolder
}

// load reads and checks all parts. The result is consistent: a certificate whose key was not written yet is an error.
func (s *tlsSource) load() (*proof, error) {
	ca, err1 := s.ca.read()
	cert, err2 := s.cert.read()
	key, err3 := s.key.read()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	p := &proof{sum: sumOf(ca, cert, key)}
	var err error
	if s.ca.isSet() {
		if p.roots, err = parseRoots(ca); err != nil {
			return nil, fmt.Errorf("transport: CA certificates from %v: %w", s.ca, err)
		}
	}
	if s.cert.isSet() {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("transport: client certificate from %v with the key from %v: %w", s.cert, s.key, err)
		}
		p.cert = &pair
	}
	return p, nil
}

func (s *tlsSource) config(p *proof) *tls.Config {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: s.insecure,
		ServerName:         s.serverName,
		NextProtos:         slices.Clone(s.nextProtos),
		RootCAs:            p.roots,
	}
	// A function and not Certificates, because Go sends one of those only if the server says that it can verify it, and
	// the lists of servers are not reliable.
	switch getCert := s.getCert; {
	case p.cert != nil:
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return p.cert, nil }
	case getCert != nil:
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			cert, err := getCert.GetCert()
			if cert == nil && err == nil {
				cert = &tls.Certificate{} // means "none" to crypto/tls
			}
			return cert, err
		}
	}
	return config
}

// pemSource is the source of PEM text: bytes in a config, or a file.
type pemSource struct {
	field string
	data  []byte
	file  string
}

func newPEMSource(field string, data []byte, file string) pemSource {
	if len(data) > 0 {
		file = "" // the data takes precedence
	}
	return pemSource{field: field, data: bytes.Clone(data), file: file}
}

func (s pemSource) isFile() bool { return s.file != "" }
func (s pemSource) isSet() bool  { return s.isFile() || len(s.data) > 0 }

// String returns the name of the source for errors, and nothing of its content.
func (s pemSource) String() string {
	if s.isFile() {
		return fmt.Sprintf("file %q", s.file)
	}
	return s.field
}

func (s pemSource) read() ([]byte, error) {
	if !s.isFile() {
		return s.data, nil
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	return data, nil
}
