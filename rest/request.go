package rest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/flowcontrol"
)

const (
	contentTypeJSON     = "application/json"
	contentTypeProtobuf = "application/vnd.kubernetes.protobuf"
	contentTypeCBOR     = runtime.ContentTypeCBOR

	defaultMaxRetries = 10
)

// Request is built by a chain of setters and sent by Do, DoRaw, Stream, Watch, Items or Frames. The first error of a
// setter is kept: later setters do nothing, and sending returns it.
type Request struct {
	c       *RESTClient
	content ClientContentConfig
	// protobufAllowed is set if the Config does not specify an encoding.
	protobufAllowed bool

	warningHandler WarningHandlerWithContext
	rateLimiter    flowcontrol.RateLimiter
	backoff        BackoffManagerWithContext
	timeout        time.Duration
	maxRetries     int

	verb       string
	pathPrefix string
	subpath    string
	params     url.Values
	headers    http.Header

	namespace    string
	namespaceSet bool
	resource     string
	name         string
	subresource  string

	// Invariant: at most one of the two bodies is set. A bodyReader can be sent only once.
	bodyBytes  []byte
	bodyReader io.Reader
	// asJSON returns the body in JSON, with its type, if it is in CBOR and the server may refuse that.
	asJSON func() (data []byte, contentType string, err error)

	err error
}

// RequestConstructionError is an error of a setter: nothing was sent.
type RequestConstructionError struct {
	Err error
}

func (e *RequestConstructionError) Error() string {
	return fmt.Sprintf("request construction error: '%v'", e.Err)
}

// Unwrap returns the cause.
func (e *RequestConstructionError) Unwrap() error { return e.Err }

// NewRequest returns a request of a client.
func NewRequest(c *RESTClient) *Request {
	content := c.content
	unset := content.ContentType == ""
	if unset {
		content.ContentType = contentTypeJSON
	}
	protobufAllowed := unset && content.AcceptContentTypes == ""
	c.cbor.choose(&content, unset)
	r := &Request{
		c:               c,
		content:         content,
		protobufAllowed: protobufAllowed,
		warningHandler:  c.warningHandler,
		rateLimiter:     c.rateLimiter,
		backoff:         c.backoff,
		maxRetries:      defaultMaxRetries,
		pathPrefix:      path.Join("/", c.basePath(), c.versionedAPIPath),
		headers:         http.Header{},
	}
	if c.Client != nil {
		r.timeout = c.Client.Timeout
	}
	return r.setAccept()
}

// NewRequestWithClient returns a request without a [RESTClient].
func NewRequestWithClient(base *url.URL, versionedAPIPath string, content ClientContentConfig, client *http.Client) *Request {
	return NewRequest(&RESTClient{base: base, versionedAPIPath: versionedAPIPath, content: content, Client: client})
}

func (c *RESTClient) basePath() string {
	if c.base == nil {
		return ""
	}
	return c.base.Path
}

func (r *Request) setAccept() *Request {
	accept := r.content.AcceptContentTypes
	if accept == "" {
		accept = r.content.ContentType + ", */*"
	}
	return r.SetHeader("Accept", accept)
}

// UseProtobufAsDefault makes the request use protobuf, unless the configuration specifies something else. The server
// may still respond with JSON.
func (r *Request) UseProtobufAsDefault() *Request {
	if r.protobufAllowed {
		r.content.ContentType = contentTypeProtobuf
		r.content.AcceptContentTypes = contentTypeProtobuf + "," + contentTypeJSON
		r.setAccept()
	}
	return r
}

// UseProtobufAsDefaultIfPreferred is UseProtobufAsDefault if prefersProtobuf is true.
func (r *Request) UseProtobufAsDefaultIfPreferred(prefersProtobuf bool) *Request {
	if prefersProtobuf {
		return r.UseProtobufAsDefault()
	}
	return r
}

// Verb sets the HTTP method.
func (r *Request) Verb(verb string) *Request {
	r.verb = verb
	return r
}

// fail keeps the first error.
func (r *Request) fail(format string, args ...any) *Request {
	return r.Fail(fmt.Errorf(format, args...))
}

// segment sets a part of the path that may be set only once.
func (r *Request) segment(what string, field *string, value string) *Request {
	if r.err != nil {
		return r
	}
	if *field != "" {
		return r.fail("%s already set to %q, cannot change to %q", what, *field, value)
	}
	if wrong := IsValidPathSegmentName(value); len(wrong) > 0 {
		return r.fail("invalid %s %q: %v", what, value, wrong)
	}
	*field = value
	return r
}

// Resource sets the resource, such as "pods". It can be set once.
func (r *Request) Resource(resource string) *Request {
	return r.segment("resource", &r.resource, resource)
}

// Name sets the name of the object. It can be set once, and not to the empty string, which would turn the deletion of
// one object into that of all.
func (r *Request) Name(resourceName string) *Request {
	if resourceName == "" {
		return r.fail("resource name may not be empty")
	}
	return r.segment("resource name", &r.name, resourceName)
}

// Namespace sets the namespace. It can be set once.
func (r *Request) Namespace(namespace string) *Request {
	if r.namespaceSet {
		return r.fail("namespace already set to %q, cannot change to %q", r.namespace, namespace)
	}
	r.segment("namespace", &r.namespace, namespace)
	r.namespaceSet = r.err == nil
	return r
}

// NamespaceIfScoped is Namespace if scoped is true.
func (r *Request) NamespaceIfScoped(namespace string, scoped bool) *Request {
	if scoped {
		return r.Namespace(namespace)
	}
	return r
}

// SubResource sets the subresource, such as "status". It can be set once.
func (r *Request) SubResource(subresources ...string) *Request {
	if r.err != nil {
		return r
	}
	joined := path.Join(subresources...)
	if r.subresource != "" {
		return r.fail("subresource already set to %q, cannot change to %q", r.subresource, joined)
	}
	for _, s := range subresources {
		if wrong := IsValidPathSegmentName(s); len(wrong) > 0 {
			return r.fail("invalid subresource %q: %v", s, wrong)
		}
	}
	r.subresource = joined
	return r
}

// Prefix adds segments between the group version and the namespace.
func (r *Request) Prefix(segments ...string) *Request {
	if r.err == nil {
		r.pathPrefix = path.Join(r.pathPrefix, path.Join(segments...))
	}
	return r
}

// Suffix adds segments at the end of the path.
func (r *Request) Suffix(segments ...string) *Request {
	if r.err == nil {
		r.subpath = path.Join(r.subpath, path.Join(segments...))
	}
	return r
}

// AbsPath sets the path up to the namespace, below the path of the host. A trailing slash of a single segment is kept.
func (r *Request) AbsPath(segments ...string) *Request {
	if r.err != nil {
		return r
	}
	base := r.c.basePath()
	r.pathPrefix = path.Join("/", base, path.Join(segments...))
	if len(segments) == 1 && strings.HasSuffix(segments[0], "/") && r.pathPrefix != "/" {
		r.pathPrefix += "/"
	}
	return r
}

// RequestURI sets the path and the query, below the path of the host. Earlier parameters are dropped.
func (r *Request) RequestURI(uri string) *Request {
	if r.err != nil {
		return r
	}
	locator, err := url.Parse(uri)
	if err != nil {
		return r.fail("request URI: %w", err)
	}
	r.params = locator.Query()
	return r.AbsPath(locator.Path)
}

// Param adds a query parameter. Existing values are kept.
func (r *Request) Param(paramName, s string) *Request {
	if r.err == nil {
		r.addParams(url.Values{paramName: {s}})
	}
	return r
}

// VersionedParams adds the fields of an options object, such as a metav1.ListOptions, as query parameters.
func (r *Request) VersionedParams(obj runtime.Object, codec runtime.ParameterCodec) *Request {
	return r.SpecificallyVersionedParams(obj, codec, r.content.GroupVersion)
}

// SpecificallyVersionedParams is like VersionedParams, for another group version than the client's.
func (r *Request) SpecificallyVersionedParams(obj runtime.Object, codec runtime.ParameterCodec, version schema.GroupVersion) *Request {
	if r.err != nil {
		return r
	}
	params, err := codec.EncodeParameters(obj, version)
	if err != nil {
		return r.fail("query parameters of a %T: %w", obj, err)
	}
	r.addParams(params)
	return r
}

func (r *Request) addParams(params url.Values) {
	if r.params == nil {
		r.params = url.Values{}
	}
	for k, v := range params {
		r.params[k] = append(r.params[k], v...)
	}
}

// SetHeader sets a header, and replaces existing values.
func (r *Request) SetHeader(key string, values ...string) *Request {
	r.headers.Del(key)
	for _, value := range values {
		r.headers.Add(key, value)
	}
	return r
}

// Timeout limits the whole request, retries included, and is sent to the server. It does not include the wait for the
// rate limiter.
func (r *Request) Timeout(d time.Duration) *Request {
	if r.err == nil {
		r.timeout = d
	}
	return r
}

// MaxRetries sets the maximum number of retries; a negative number means none.
func (r *Request) MaxRetries(maxRetries int) *Request {
	r.maxRetries = max(maxRetries, 0)
	return r
}

// Throttle sets the rate limiter; nil means none.
func (r *Request) Throttle(limiter flowcontrol.RateLimiter) *Request {
	r.rateLimiter = limiter
	return r
}

// Body sets the body: a []byte as it is, an io.Reader (which excludes retries), the contents of the file named by a
// string, or an API object, encoded with the client's content type. A nil object means no body.
func (r *Request) Body(obj any) *Request {
	if r.err != nil {
		return r
	}
	r.asJSON = nil
	switch body := obj.(type) {
	case string:
		data, err := os.ReadFile(body)
		if err != nil {
			return r.fail("request body: %w", err)
		}
		r.bodyBytes, r.bodyReader = data, nil
	case []byte:
		r.bodyBytes, r.bodyReader = body, nil
	case io.Reader:
		r.bodyBytes, r.bodyReader = nil, body
	case runtime.Object:
		return r.encode(body)
	default:
		return r.fail("request body: unsupported type %T; want bytes, a reader, a file name or an API object", obj)
	}
	return r
}

func (r *Request) encode(obj runtime.Object) *Request {
	if v := reflect.ValueOf(obj); v.Kind() == reflect.Pointer && v.IsNil() {
		return r
	}
	data, err := r.encodeAs(obj, r.content.ContentType)
	r.encoded(data, r.content.ContentType, err)
	if isCBOR(r.content.ContentType) {
		r.asJSON = func() ([]byte, string, error) {
			data, err := r.encodeAs(obj, contentTypeJSON)
			return data, contentTypeJSON, err
		}
	}
	return r
}

// Fail makes the request fail with err, unless it already does. It is for packages that add setters of their own.
func (r *Request) Fail(err error) *Request {
	if r.err == nil {
		r.err = err
	}
	return r
}

// Error returns the first error of the chain.
func (r *Request) Error() error { return r.err }

// URL returns the current URL of the request.
func (r *Request) URL() *url.URL {
	p := r.pathPrefix
	if r.namespaceSet && r.namespace != "" {
		p = path.Join(p, "namespaces", r.namespace)
	}
	if r.resource != "" {
		p = path.Join(p, strings.ToLower(r.resource))
	}
	// Join is not used for a bare path: it would remove a trailing slash.
	if r.name != "" || r.subresource != "" || r.subpath != "" {
		p = path.Join(p, r.name, r.subresource, r.subpath)
	}
	final := url.URL{}
	if r.c.base != nil {
		final = *r.c.base
	}
	final.Path = p
	query := url.Values{}
	for k, v := range r.params {
		query[k] = v
	}
	if r.timeout != 0 {
		query.Set("timeout", r.timeout.String())
	}
	final.RawQuery = query.Encode()
	return &final
}

// preflight checks what no single setter can.
func (r *Request) preflight() error {
	if r.err != nil {
		return r.err
	}
	if !r.namespaceSet || r.namespace != "" {
		return nil
	}
	switch r.verb {
	case http.MethodPost:
		return fmt.Errorf("an empty namespace may not be set during creation")
	case http.MethodGet, http.MethodPut, http.MethodDelete:
		if r.name != "" {
			return fmt.Errorf("an empty namespace may not be set when a resource name is provided")
		}
	}
	return nil
}

func (r *Request) newHTTPRequest(ctx context.Context) (*http.Request, error) {
	body := r.bodyReader
	if r.bodyBytes != nil {
		body = bytes.NewReader(r.bodyBytes)
	}
	req, err := http.NewRequestWithContext(ctx, r.verb, r.URL().String(), body)
	if err != nil {
		return nil, err
	}
	req.Header = r.headers.Clone()
	return req, nil
}

// what returns the name of the request for errors.
func (r *Request) what() string { return r.verb + " " + r.URL().Path }
