package testenv

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"vedette.dev/testenv/internal/pki"
)

// The users of the API server.
const (
	// AdminUser may do everything. It has a token and a client certificate.
	AdminUser = "testenv-admin"
	// PlainUser has no permissions beyond those of every authenticated user: versions and its own permissions. It has a
	// token.
	PlainUser = "testenv-user"

	adminGroup = "system:masters"
)

// access has the credentials of servers and clients.
type access struct {
	ca         []byte
	serving    pki.Pair
	adminCert  pki.Pair
	signingKey []byte // of the tokens of service accounts
	adminToken string
	plainToken string
}

func newAccess() (access, error) {
	authority, err := pki.NewAuthority("testenv")
	if err != nil {
		return access{}, err
	}
	a := access{ca: authority.Cert(), adminToken: rand.Text(), plainToken: rand.Text()}
	names := []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	ips := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if a.serving, err = authority.Server(names, ips); err != nil {
		return access{}, err
	}
	if a.adminCert, err = authority.Client(AdminUser, adminGroup); err != nil {
		return access{}, err
	}
	a.signingKey, err = pki.NewSigningKey()
	return a, err
}

// httpClient returns a client of the administrator, authenticated by certificate.
func (a access) httpClient() (*http.Client, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.ca)
	cert, err := tls.X509KeyPair(a.adminCert.Cert, a.adminCert.Key)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{
		// No proxy: these are addresses of the loopback interface.
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{cert}},
	}}, nil
}

// The names of the files for the API server.
const (
	caFile          = "ca.crt"
	servingCertFile = "apiserver.crt"
	servingKeyFile  = "apiserver.key"
	signingKeyFile  = "service-accounts.key"
	tokensFile      = "tokens.csv"
)

func (a access) writeServerFiles(dir string) error {
	tokens := fmt.Sprintf("%s,%s,1,%q\n%s,%s,2\n", a.adminToken, AdminUser, adminGroup, a.plainToken, PlainUser)
	write := func(name string, content []byte) error {
		return os.WriteFile(filepath.Join(dir, name), content, 0o600)
	}
	return errors.Join(
		write(caFile, a.ca),
		write(servingCertFile, a.serving.Cert),
		write(servingKeyFile, a.serving.Key),
		write(signingKeyFile, a.signingKey),
		write(tokensFile, []byte(tokens)),
	)
}

func (a access) serverArgs(dir string) []string {
	in := func(name string) string { return filepath.Join(dir, name) }
	return []string{
		"--cert-dir=" + in("certs"), // unused, but the default is a system folder
		"--tls-cert-file=" + in(servingCertFile),
		"--tls-private-key-file=" + in(servingKeyFile),
		"--client-ca-file=" + in(caFile),
		"--token-auth-file=" + in(tokensFile),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + in(signingKeyFile),
		"--service-account-signing-key-file=" + in(signingKeyFile),
	}
}
