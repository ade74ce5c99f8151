package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
)

// Config says how to reach a server, and who we are to it. It holds secrets, and does not show them when it is printed.
type Config struct {
	// UserAgent is sent with requests that have none.
	UserAgent string

	// TLS says how the server proves itself to us, and we to it.
	TLS TLSConfig

	// Username and Password are sent as basic authentication. They exclude a bearer token.
	Username string
	Password string `datapolicy:"password"`

	// BearerToken is sent with each request. With BearerTokenFile it is only the first one: the file is read about once a
	// minute, and wins.
	BearerToken     string `datapolicy:"token"`
	BearerTokenFile string

	// Impersonate is who the requests are made for.
	Impersonate ImpersonationConfig

	// DisableCompression asks for plain answers.
	DisableCompression bool

	// Transport is used in place of the one that New would make. It excludes all that New would have built from: TLS,
	// DialHolder and Proxy.
	Transport http.RoundTripper
	// WrapTransport puts a layer around the transport, whichever it is, inside the layers of this package. Use Wrap to
	// add one.
	WrapTransport WrapperFunc

	// DialHolder holds the function that makes connections.
	DialHolder *DialHolder

	// Proxy says through which proxy a request goes. Nil means that of the environment (HTTPS_PROXY and so on).
	Proxy func(*http.Request) (*url.URL, error)
}

// DialHolder gives a dial function an identity: two configs with the same holder can share connections, which two
// configs with functions cannot, because functions cannot be compared.
type DialHolder struct {
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// GetCertHolder gives a source of client certificates an identity, as DialHolder does for a dial function.
type GetCertHolder struct {
	// GetCert is called for each TLS handshake in which the server asks for a certificate. Nil means none.
	GetCert func() (*tls.Certificate, error)

	rotations atomic.Uint64
}

// Rotated says that GetCert returns another certificate from now on. Transports that use the holder make new
// connections for requests that come later, and end the connections of long-running ones.
func (h *GetCertHolder) Rotated() { h.rotations.Add(1) }

// ImpersonationConfig is a user to act as. UserName is needed for the rest to have a meaning.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// TLSConfig says how the two sides prove who they are. The Data fields win over the File fields. Files are read again
// when they change; while they cannot be read, or make no sense, what was read before stays in use.
type TLSConfig struct {
	CAFile   string // PEM file of the certificates that may sign the server's
	CertFile string // PEM file of the client's certificate
	KeyFile  string // PEM file of the client's key

	// Insecure takes any server's word for who it is. For tests only; it excludes a CA.
	Insecure bool
	// ServerName is the name to ask for and to find in the server's certificate; empty means the host's.
	ServerName string

	CAData   []byte
	CertData []byte
	KeyData  []byte `datapolicy:"security-key"`

	// NextProtos are the protocols to offer, in the order of preference. {"http/1.1"} turns HTTP/2 off.
	NextProtos []string

	// GetCertHolder holds a source of client certificates. Certificates from Data or File fields win over it.
	GetCertHolder *GetCertHolder
}

// HasCA says whether the config names certificates that may sign the server's.
func (c *Config) HasCA() bool { return len(c.TLS.CAData) > 0 || c.TLS.CAFile != "" }

// HasBasicAuth says whether the config has a user name for basic authentication.
func (c *Config) HasBasicAuth() bool { return c.Username != "" }

// HasTokenAuth says whether the config has a bearer token, or a file with one.
func (c *Config) HasTokenAuth() bool { return c.BearerToken != "" || c.BearerTokenFile != "" }

// HasCertAuth says whether the config has a client certificate and its key.
func (c *Config) HasCertAuth() bool { return c.TLS.hasCert() && c.TLS.hasKey() }

// HasCertCallback says whether the config has a source of client certificates.
func (c *Config) HasCertCallback() bool { return c.TLS.GetCertHolder != nil }

// Wrap adds a layer around those that are there already.
func (c *Config) Wrap(fn WrapperFunc) { c.WrapTransport = Wrappers(c.WrapTransport, fn) }

func (c *TLSConfig) hasCert() bool { return len(c.CertData) > 0 || c.CertFile != "" }
func (c *TLSConfig) hasKey() bool  { return len(c.KeyData) > 0 || c.KeyFile != "" }

func (c *ImpersonationConfig) isSet() bool {
	return c.UserName != "" || c.UID != "" || len(c.Groups) > 0 || len(c.Extra) > 0
}
