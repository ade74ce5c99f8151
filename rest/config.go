package rest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clientcmdapi "vedette.dev/clientcmd/api"
	"vedette.dev/flowcontrol"
	"vedette.dev/transport"
)

// The rate limit of a client whose Config sets neither QPS nor a RateLimiter.
const (
	DefaultQPS   float32 = 5.0
	DefaultBurst int     = 10
)

// DefaultMaxResponseBytes is used if Config.MaxResponseBytes is 0.
const DefaultMaxResponseBytes int64 = 1 << 30

// Config is the configuration of a client of an API server. It holds secrets, and does not show them when printed.
type Config struct {
	// Host is a host name, host:port, or the URL of the server. A path in it is kept as a prefix of every request.
	Host string
	// APIPath is the path of the API group: "/api" for the core group, "/apis" for all others.
	APIPath string

	ContentConfig

	// Username and Password are sent as basic authentication.
	Username string
	Password string `datapolicy:"password"`

	// BearerToken is sent with each request. If BearerTokenFile is set, it is only the initial token: the file is read
	// again every minute, and takes precedence.
	BearerToken     string `datapolicy:"token"`
	BearerTokenFile string

	// Impersonate is the user to impersonate.
	Impersonate ImpersonationConfig

	// AuthProvider exists for compatibility. Auth providers were removed from Kubernetes; using one is an error.
	AuthProvider        *clientcmdapi.AuthProviderConfig
	AuthConfigPersister AuthProviderConfigPersister

	// ExecProvider configures a program that prints credentials.
	ExecProvider *clientcmdapi.ExecConfig

	TLSClientConfig

	// UserAgent is the user agent. Empty means DefaultKubernetesUserAgent.
	UserAgent string
	// DisableCompression disables compressed responses, which is faster on a fast network.
	DisableCompression bool

	// Transport replaces the transport. It cannot be combined with the TLS options or Dial.
	Transport http.RoundTripper
	// WrapTransport wraps the transport. Use Wrap to add one.
	WrapTransport transport.WrapperFunc

	// QPS is the maximum number of requests per second; 0 means DefaultQPS and a negative value no limit. Burst is the
	// maximum burst. Watches do not count.
	QPS   float32
	Burst int
	// RateLimiter replaces QPS and Burst, and is shared by all clients made from this Config. flowcontrol.NewAdaptive
	// returns one that adapts to the server.
	RateLimiter flowcontrol.RateLimiter

	// WarningHandler receives the warnings in the server's responses. WarningHandlerWithContext takes precedence. If
	// neither is set, warnings are logged.
	WarningHandler            WarningHandler
	WarningHandlerWithContext WarningHandlerWithContext

	// Metrics is called for every request. It may be nil.
	Metrics Metrics

	// MaxResponseBytes is the maximum size of a response body that Do and DoRaw read, after decompression. A larger one
	// is ErrResponseTooLarge. 0 means DefaultMaxResponseBytes, and a negative value no limit.
	//
	// It does not limit Items, Frames and Watch, which hold one object of at most 64 MiB at a time, nor Stream, which
	// does not buffer. The body of an error is truncated to 1 MiB.
	MaxResponseBytes int64

	// AllowCBOR asks for responses in CBOR where the client would otherwise ask for JSON: in clients without Go types, and in
	// those of kinds that have no protobuf encoding. A server that does not know CBOR responds with JSON. It has no effect if
	// AcceptContentTypes or ContentType is set, or if the NegotiatedSerializer does not have CBOR:
	// CodecFactoryForGeneratedClient returns one that does.
	AllowCBOR bool
	// PreferCBOR also sends bodies in CBOR where they would otherwise be JSON, and server-side apply. If the server refuses
	// one, it is sent again as JSON, and so are all later ones of the same client. It includes AllowCBOR.
	PreferCBOR bool

	// Timeout is how long a request may take from end to end, watches included. 0 means no limit.
	Timeout time.Duration

	// Dial opens the connections to the server.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Proxy returns the proxy for a request. Nil means that of the environment (HTTPS_PROXY and so on).
	Proxy func(*http.Request) (*url.URL, error)
}

// ImpersonationConfig is a user to impersonate. The other fields need a UserName.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// TLSClientConfig configures TLS. The Data fields take precedence over the File fields; files are read again when they
// change.
type TLSClientConfig struct {
	// Insecure disables verification of the server's certificate. For tests only; it cannot be combined with a CA.
	Insecure bool
	// ServerName is used for SNI and verified in the server's certificate; empty means the host name.
	ServerName string

	CertFile string
	KeyFile  string
	CAFile   string

	CertData []byte
	KeyData  []byte `datapolicy:"security-key"`
	CAData   []byte

	// NextProtos are the protocols to offer, in order of preference. {"http/1.1"} disables HTTP/2.
	NextProtos []string
}

// ContentConfig configures the encoding of objects.
type ContentConfig struct {
	// AcceptContentTypes is the Accept header. Empty means the ContentType first, then anything.
	AcceptContentTypes string
	// ContentType is the encoding of request bodies. Empty means "application/json".
	ContentType string
	// GroupVersion is the group and version of a RESTClient. RESTClientFor requires it.
	GroupVersion *schema.GroupVersion
	// NegotiatedSerializer provides the encodings. It is required.
	NegotiatedSerializer runtime.NegotiatedSerializer
}

// AuthProviderConfigPersister stores data of an auth provider. It is not used.
type AuthProviderConfigPersister interface {
	Persist(map[string]string) error
}
