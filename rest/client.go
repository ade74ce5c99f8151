package rest

import (
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/flowcontrol"
)

// Interface makes requests for one group and version.
type Interface interface {
	GetRateLimiter() flowcontrol.RateLimiter
	Verb(verb string) *Request
	Post() *Request
	Put() *Request
	Patch(pt types.PatchType) *Request
	Get() *Request
	Delete() *Request
	APIVersion() schema.GroupVersion
}

// ClientContentConfig configures the encoding of objects for one client.
type ClientContentConfig struct {
	// AcceptContentTypes is the Accept header. Empty means the ContentType first, then anything.
	AcceptContentTypes string
	// ContentType is the encoding of request bodies. Empty means "application/json", or protobuf where the caller knows
	// that the server supports it.
	ContentType string
	// GroupVersion is what query parameters are written for.
	GroupVersion schema.GroupVersion
	// Negotiator finds the encoder and the decoder for a content type.
	Negotiator runtime.ClientNegotiator
}

// RESTClient sends requests to one server, for one group and version. It is safe for concurrent use; a [Request] is not.
type RESTClient struct {
	base             *url.URL // with a path that ends in a slash
	versionedAPIPath string
	content          ClientContentConfig
	rateLimiter      flowcontrol.RateLimiter
	backoff          BackoffManagerWithContext
	warningHandler   WarningHandlerWithContext
	metrics          Metrics // may be nil
	maxResponseBytes int64   // as in Config
	cbor             *cborUse

	// Client sends the requests. Nil means http.DefaultClient.
	Client *http.Client
}

// NewRESTClient returns a client made from its parts. Usually [RESTClientFor] is used instead.
func NewRESTClient(baseURL *url.URL, versionedAPIPath string, config ClientContentConfig, rateLimiter flowcontrol.RateLimiter, client *http.Client) (*RESTClient, error) {
	base := *baseURL
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	base.RawQuery, base.Fragment = "", ""
	return &RESTClient{
		base:             &base,
		versionedAPIPath: versionedAPIPath,
		content:          config,
		rateLimiter:      rateLimiter,
		backoff:          backoffFromEnvironment(),
		Client:           client,
	}, nil
}

// backoffFromEnvironment reads the two environment variables of client-go. They are the only ones that this package
// uses, besides those of InClusterConfig.
func backoffFromEnvironment() BackoffManagerWithContext {
	base, err := strconv.ParseInt(os.Getenv("KUBE_CLIENT_BACKOFF_BASE"), 10, 32)
	if err != nil {
		return nil
	}
	limit, err := strconv.ParseInt(os.Getenv("KUBE_CLIENT_BACKOFF_DURATION"), 10, 32)
	if err != nil {
		return nil
	}
	return &URLBackoff{Backoff: flowcontrol.NewBackOff(time.Duration(base)*time.Second, time.Duration(limit)*time.Second)}
}

// GetRateLimiter returns the rate limiter of the client, or nil if there is none.
func (c *RESTClient) GetRateLimiter() flowcontrol.RateLimiter {
	if c == nil {
		return nil
	}
	return c.rateLimiter
}

// APIVersion returns the group and version of the client.
func (c *RESTClient) APIVersion() schema.GroupVersion { return c.content.GroupVersion }

// Verb returns a request with any HTTP method.
func (c *RESTClient) Verb(verb string) *Request { return NewRequest(c).Verb(verb) }

// Post returns a POST request.
func (c *RESTClient) Post() *Request { return c.Verb(http.MethodPost) }

// Put returns a PUT request.
func (c *RESTClient) Put() *Request { return c.Verb(http.MethodPut) }

// Patch returns a PATCH request.
func (c *RESTClient) Patch(pt types.PatchType) *Request {
	return c.Verb(http.MethodPatch).SetHeader("Content-Type", string(pt))
}

// Get returns a GET request.
func (c *RESTClient) Get() *Request { return c.Verb(http.MethodGet) }

// Delete returns a DELETE request.
func (c *RESTClient) Delete() *Request { return c.Verb(http.MethodDelete) }

func (c *RESTClient) httpClient() *http.Client {
	if c.Client == nil {
		return http.DefaultClient
	}
	return c.Client
}
