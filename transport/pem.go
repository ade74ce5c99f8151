package transport

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"sync"
	"time"
)

// fileCheckPeriod is how often files are checked, when there is traffic. Reading three small files costs less than one
// request, and a server whose certificates were replaced cannot be reached until the client's files are reloaded.
const fileCheckPeriod = 5 * time.Second

// parseRoots parses PEM certificates. A bundle may contain some that Go cannot parse, but at least one must be valid:
// an empty pool would trust no server, and a nil pool all that the system trusts.
func parseRoots(text []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if pool.AppendCertsFromPEM(text) {
		return pool, nil
	}
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, errors.New("no PEM block of type CERTIFICATE")
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return nil, fmt.Errorf("no valid certificate: %w", err)
		}
	}
}

// sumOf hashes byte strings, each with its length, so that their boundaries matter.
func sumOf(parts ...[]byte) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// freshCert is a client certificate from files, for tls.Configs that are returned to callers. Transports of New reload
// their files themselves.
type freshCert struct {
	source tlsSource

	mu      sync.Mutex
	cert    *tls.Certificate
	checked time.Time
}

func (f *freshCert) get() *tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.checked) >= fileCheckPeriod {
		f.checked = time.Now()
		if p, err := f.source.load(); err == nil {
			f.cert = p.cert
		}
	}
	return f.cert
}
