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

// The rate of a client whose Config sets neither QPS nor a RateLimiter.
const (
	DefaultQPS   float32 = 5.0
	DefaultBurst int     = 10
)

// DefaultMaxResponseBytes is Config.MaxResponseBytes where that is 0.
const DefaultMaxResponseBytes int64 = 1 << 30

// Config is all that is needed to speak to an API server. It holds secrets, and does not show them when it is
// printed.
type Config struct {
	// Host is a host name, host:port, or the URL of the server. A path in it is kept as a prefix of every request.
	Host string
	// APIPath is the folder of the API group: "/api" for the core group, "/apis" for all others.
	APIPath string

	ContentConfig

	// Username and Password are sent as basic authentication.
	Username string
	Password string `datapolicy:"password"`

	// BearerToken is sent with each request. When BearerTokenFile is set too, the token is only the first one: the file
	// is read again every minute, and wins.
	BearerToken     string `datapolicy:"token"`
	BearerTokenFile string

	// Impersonate is who the requests are made for.
	Impersonate ImpersonationConfig

	// AuthProvider is there for configurations that carry one. Auth providers are gone from Kubernetes; using one is an
	// error.
	AuthProvider        *clientcmdapi.AuthProviderConfig
	AuthConfigPersister AuthProviderConfigPersister

	// ExecProvider is a program that prints credentials.
	ExecProvider *clientcmdapi.ExecConfig

	TLSClientConfig

	// UserAgent is what the client calls itself. Empty means DefaultKubernetesUserAgent.
	UserAgent string
	// DisableCompression asks the server for plain answers. On a fast network that is quicker for both sides.
	DisableCompression bool

	// Transport replaces the connection to the server. It excludes the TLS options and Dial.
	Transport http.RoundTripper
	// WrapTransport puts a layer around the transport, whichever it is. Use Wrap to add one.
	WrapTransport transport.WrapperFunc

	// QPS is how many requests a second the client sends at most; 0 means DefaultQPS and a negative value no limit. Burst
	// is how many it may send at once. Watches do not count.
	QPS   float32
	Burst int
	// RateLimiter is used in place of QPS and Burst, and shared by all the clients made from this Config.
	// flowcontrol.NewAdaptive makes one that follows the server.
	RateLimiter flowcontrol.RateLimiter

	// WarningHandler hears what the server warns of in its answers. WarningHandlerWithContext wins over it. With neither,
	// warnings are logged.
	WarningHandler            WarningHandler
	WarningHandlerWithContext WarningHandlerWithContext

	// Metrics hears of every request. Nil means that nothing is measured.
	Metrics Metrics

	// MaxResponseBytes is the largest response body that Do and DoRaw read, after decompression: a small response can be
	// compressed from any size. A larger one is ErrResponseTooLarge. 0 means DefaultMaxResponseBytes, and a negative value
	// no limit.
	//
	// It bounds neither Items, Frames and Watch, which hold one object of at most 64 MiB at a time, nor Stream, which
	// holds nothing. The body of an error is cut after 1 MiB.
	MaxResponseBytes int64

	// Timeout is how long a request may take from end to end, watches included. 0 means no limit.
	Timeout time.Duration

	// Dial makes the connections to the server.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Proxy says through which proxy a request goes. Nil means that of the environment (HTTPS_PROXY and so on).
	Proxy func(*http.Request) (*url.URL, error)
}

// ImpersonationConfig is a user to act as. UserName is needed for the rest to have a meaning.
type ImpersonationConfig struct {
	UserName string
	UID      string
	Groups   []string
	Extra    map[string][]string
}

// TLSClientConfig says how the server proves itself to us, and we to it. The Data fields win over the File fields; files
// are read again when they change.
type TLSClientConfig struct {
	// Insecure takes any server's word for who it is. For tests only; it excludes a CA.
	Insecure bool
	// ServerName is the name to ask for and to find in the server's certificate; empty means the host's.
	ServerName string

	CertFile string
	KeyFile  string
	CAFile   string

	CertData []byte
	KeyData  []byte `datapolicy:"security-key"`
	CAData   []byte

	// NextProtos are the protocols to offer, in the order of preference. {"http/1.1"} turns HTTP/2 off.
	NextProtos []string
}

// ContentConfig says in which form objects travel.
type ContentConfig struct {
	// AcceptContentTypes is the Accept header. Empty means the ContentType first, then anything.
	AcceptContentTypes string
	// ContentType is how objects are sent. Empty means "application/json".
	ContentType string
	// GroupVersion is the group and version that a RESTClient speaks. RESTClientFor needs it.
	GroupVersion *schema.GroupVersion
	// NegotiatedSerializer knows the encodings. A client cannot be made without it.
	NegotiatedSerializer runtime.NegotiatedSerializer
}

// AuthProviderConfigPersister stored what an auth provider wanted to keep.
type AuthProviderConfigPersister interface {
	Persist(map[string]string) error
}
