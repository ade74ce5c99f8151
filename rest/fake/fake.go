// Package fake has a REST client for tests whose requests go to a function, or get a response that was prepared.
package fake

import (
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/flowcontrol"
	"vedette.dev/rest"
)

var _ rest.Interface = (*RESTClient)(nil)

// RESTClient is a rest.Interface without a server. Requests are answered with Err, by Client, or with Resp, whichever is
// set, in this order. It is not safe for concurrent use, because of Req.
type RESTClient struct {
	// NegotiatedSerializer encodes and decodes objects, as JSON unless a request says otherwise.
	NegotiatedSerializer runtime.NegotiatedSerializer
	GroupVersion         schema.GroupVersion
	// VersionedAPIPath is the path of all requests, such as "/apis/apps/v1".
	VersionedAPIPath string

	// Err, if set, is the error of all requests. They are not recorded.
	Err error
	// Req is the last request.
	Req *http.Request
	// Client, if set, sends the requests.
	Client *http.Client
	// Resp is the response to all requests. Its body can be read once.
	Resp *http.Response
}

// CreateHTTPClient returns an HTTP client whose requests go to a function.
func CreateHTTPClient(roundTripper func(*http.Request) (*http.Response, error)) *http.Client {
	return &http.Client{Transport: roundTripperFunc(roundTripper)}
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Get returns a GET request.
func (c *RESTClient) Get() *rest.Request { return c.Verb(http.MethodGet) }

// Put returns a PUT request.
func (c *RESTClient) Put() *rest.Request { return c.Verb(http.MethodPut) }

// Post returns a POST request.
func (c *RESTClient) Post() *rest.Request { return c.Verb(http.MethodPost) }

// Delete returns a DELETE request.
func (c *RESTClient) Delete() *rest.Request { return c.Verb(http.MethodDelete) }

// Patch returns a PATCH request of the given kind.
func (c *RESTClient) Patch(pt types.PatchType) *rest.Request {
	return c.Verb(http.MethodPatch).SetHeader("Content-Type", string(pt))
}

// Verb returns a request of any method.
func (c *RESTClient) Verb(verb string) *rest.Request { return c.Request().Verb(verb) }

// Request returns a request without a method.
func (c *RESTClient) Request() *rest.Request {
	content := rest.ClientContentConfig{
		ContentType:  runtime.ContentTypeJSON,
		GroupVersion: c.GroupVersion,
		Negotiator:   runtime.NewClientNegotiator(c.NegotiatedSerializer, c.GroupVersion),
	}
	base := &url.URL{Scheme: "https", Host: "localhost"}
	return rest.NewRequestWithClient(base, c.VersionedAPIPath, content, CreateHTTPClient(c.do))
}

// APIVersion returns the GroupVersion.
func (c *RESTClient) APIVersion() schema.GroupVersion { return c.GroupVersion }

// GetRateLimiter returns nil: requests are not limited.
func (c *RESTClient) GetRateLimiter() flowcontrol.RateLimiter { return nil }

func (c *RESTClient) do(req *http.Request) (*http.Response, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	c.Req = req
	if c.Client != nil {
		return c.Client.Do(req)
	}
	return c.Resp, nil
}
