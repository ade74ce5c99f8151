package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
)

// Config describes how to reach a server and how to authenticate. It holds secrets, and does not show them when
// printed.
type Config struct {
	// UserAgent is sent with requests that have none.
	UserAgent string

	// TLS configures the authentication of the server, and of the client by certificate.
	TLS TLSConfig

	// Username and Password are sent as basic authentication. They exclude a bearer token.
	Username string
	Password string `datapolicy:"password"`

	// BearerToken is sent with each request. If BearerTokenFile is set, it is only the initial token: the file is read
	// about once a minute and takes precedence.
	BearerToken     string `datapolicy:"token"`
	BearerTokenFile string

	// Impersonate is the user to impersonate.
	Impersonate ImpersonationConfig

	// DisableCompression disables compressed responses.
	DisableCompression bool

	// Transport replaces the transport that New would create. It cannot be combined with TLS, DialHolder or Proxy.
	Transport http.RoundTripper
	// WrapTransport wraps the transport, inside the layers of this package. Use Wrap to add one.
	WrapTransport WrapperFunc

	// DialHolder holds the dial function.
	DialHolder *DialHolder

	// Proxy returns the proxy for a request. Nil means that of the environment (HTTPS_PROXY and so on).
	Proxy func(*http.Request) (*url.URL, error)
}

// DialHolder gives a dial function an identity: two configs with the same holder can share connections, which two
// configs with functions cannot, because functions cannot be compared.
type DialHolder struct {
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// GetCertHolder gives a source of client certificates an identity, as [DialHolder] does for a dial function.
type GetCertHolder struct {
	// GetCert is called for each TLS handshake in which the server asks for a certificate. Nil means none.
	GetCert func() (*tls.Certificate, error)

	rotations atomic.Uint64
}

// Rotated reports that GetCert returns another certificate from now on. Transports that use the holder open new
// connections for later requests, and close the connections of long-running ones.
func (h *GetCertHolder) Rotated() { h.rotations.Add(1) }

// ImpersonationConfig is a user to impersonate. The other fields need a UserName.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// TLSConfig configures TLS. The Data fields take precedence over the File fields. Files are read again when they
// change; while they are unreadable or invalid, the previous content stays in use.
type TLSConfig struct {
	CAFile   string // PEM file of the CA certificates for the server
	CertFile string // PEM file of the client's certificate
	KeyFile  string // PEM file of the client's key

	// Insecure disables verification of the server's certificate. For tests only; it cannot be combined with a CA.
	Insecure bool
	// ServerName is used for SNI and verified in the server's certificate; empty means the host name.
	ServerName string

	CAData   []byte
	CertData []byte
	KeyData  []byte `datapolicy:"security-key"`

	// NextProtos are the protocols to offer, in order of preference. {"http/1.1"} disables HTTP/2.
	NextProtos []string

	// GetCertHolder holds a source of client certificates. Certificates from Data or File fields take precedence.
	GetCertHolder *GetCertHolder
}

// HasCA reports whether the config has CA certificates for the server.
func (c *Config) HasCA() bool { return len(c.TLS.CAData) > 0 || c.TLS.CAFile != "" }

// HasBasicAuth reports whether the config has a user name for basic authentication.
func (c *Config) HasBasicAuth() bool { return c.Username != "" }

// HasTokenAuth reports whether the config has a bearer token, or a file with one.
func (c *Config) HasTokenAuth() bool { return c.BearerToken != "" || c.BearerTokenFile != "" }

// HasCertAuth reports whether the config has a client certificate and its key.
func (c *Config) HasCertAuth() bool { return c.TLS.hasCert() && c.TLS.hasKey() }

// HasCertCallback reports whether the config has a source of client certificates.
func (c *Config) HasCertCallback() bool { return c.TLS.GetCertHolder != nil }

// Wrap adds an outer layer to WrapTransport.
func (c *Config) Wrap(fn WrapperFunc) { c.WrapTransport = Wrappers(c.WrapTransport, fn) }

func (c *TLSConfig) hasCert() bool { return len(c.CertData) > 0 || c.CertFile != "" }
func (c *TLSConfig) hasKey() bool  { return len(c.KeyData) > 0 || c.KeyFile != "" }

func (c *ImpersonationConfig) isSet() bool {
	return c.UserName != "" || c.UID != "" || len(c.Groups) > 0 || len(c.Extra) > 0
}
