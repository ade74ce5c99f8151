package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Result is the response to a request, or its error.
type Result struct {
	body        []byte
	warnings    []utilnet.WarningHeader
	contentType string
	statusCode  int
	err         error

	// decoder is nil if the content type is not supported.
	decoder runtime.Decoder
}

// result reads the response.
func (r *Request) result(ctx context.Context, resp *http.Response) Result {
	body, err := r.readBody(resp)
	if err != nil {
		return Result{err: fmt.Errorf("%s: %w", r.what(), err)}
	}
	result := Result{body: body, statusCode: resp.StatusCode, warnings: r.warn(ctx, resp)}
	result.contentType = resp.Header.Get("Content-Type")
	if result.contentType == "" {
		result.contentType = r.content.ContentType
	}
	mediaType, params, err := mime.ParseMediaType(result.contentType)
	if err != nil && !isFailure(resp.StatusCode) {
		return Result{err: apierrors.NewInternalError(fmt.Errorf("%s: content type %q: %w", r.what(), result.contentType, err))}
	}
	if err == nil {
		result.decoder, _ = r.content.Negotiator.Decoder(mediaType, params)
	}
	if isFailure(resp.StatusCode) {
		result.err = r.responseError(resp, body)
	}
	return result
}

// isFailure reports whether a status is an error. 101 is not: it is the response to a protocol upgrade.
func isFailure(status int) bool {
	return status != http.StatusSwitchingProtocols && (status < http.StatusOK || status > http.StatusPartialContent)
}

// ErrResponseTooLarge is wrapped by the error of a request whose response body is larger than Config.MaxResponseBytes.
var ErrResponseTooLarge = errors.New("response body too large")

// maxErrorBytes is the maximum size of an error body that is read. A Status is small.
const maxErrorBytes = 1 << 20

// readBody reads the body of a response: the beginning if it is an error, otherwise all of it.
func (r *Request) readBody(resp *http.Response) ([]byte, error) {
	if isFailure(resp.StatusCode) {
		return readAll(limitBody(resp.Body))
	}
	limit := r.c.responseLimit()
	if resp.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := readAll(io.LimitReader(resp.Body, limit+1))
	if int64(len(body)) > limit {
		return nil, tooLarge(limit)
	}
	return body, err
}

func readAll(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("reading the response failed after %d bytes: %w", len(body), err)
	}
	return body, nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("%w: more than %d bytes; raise rest.Config.MaxResponseBytes, or read a list in pages (Limit) or as a stream (Items)",
		ErrResponseTooLarge, limit)
}

// responseLimit returns the maximum size of a response body.
func (c *RESTClient) responseLimit() int64 {
	switch {
	case c.maxResponseBytes < 0:
		return math.MaxInt64 - 1
	case c.maxResponseBytes == 0:
		return DefaultMaxResponseBytes
	}
	return min(c.maxResponseBytes, math.MaxInt64-1)
}

// responseError returns the error for a response with an error status whose body is not a Status.
func (r *Request) responseError(resp *http.Response, body []byte) error {
	const most = 2048
	message := "unknown"
	if isText(resp) {
		message = strings.TrimSpace(string(body[:min(len(body), most)]))
	}
	var resource schema.GroupResource
	if r.resource != "" {
		resource = schema.GroupResource{Group: r.content.GroupVersion.Group, Resource: r.resource}
	}
	after, _ := retryAfterHeader(resp)
	return apierrors.NewGenericServerResponse(resp.StatusCode, r.verb, resource, r.name, message, int(after/time.Second), true)
}

func isText(resp *http.Response) bool {
	contentType := resp.Header.Get("Content-Type")
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.HasPrefix(media, "text/")
}

// Raw returns the unmodified body of the response, and the error if the status is one.
func (r Result) Raw() ([]byte, error) { return r.body, r.err }

// StatusCode stores the HTTP status of the response.
func (r Result) StatusCode(statusCode *int) Result {
	*statusCode = r.statusCode
	return r
}

// ContentType stores the content type of the response.
func (r Result) ContentType(contentType *string) Result {
	*contentType = r.contentType
	return r
}

// WasCreated stores whether the server created the object.
func (r Result) WasCreated(wasCreated *bool) Result {
	*wasCreated = r.statusCode == http.StatusCreated
	return r
}

// Warnings returns the warnings of the server.
func (r Result) Warnings() []utilnet.WarningHeader { return r.warnings }

// Get decodes the response into the type that it names.
func (r Result) Get() (runtime.Object, error) {
	obj, err := r.decode(nil)
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// Into decodes the response into obj.
func (r Result) Into(obj runtime.Object) error {
	_, err := r.decode(obj)
	return err
}

// IntoAny decodes the response into obj, a pointer to a Go type that need not be an API type. The response must be in JSON or
// CBOR.
func (r Result) IntoAny(obj any) error {
	if r.err != nil {
		return r.Error()
	}
	if e, ok := r.encoding(); ok && e.Untyped() {
		return (&Raw{Encoding: e, Bytes: r.body}).Into(obj)
	}
	return r.unreadable()
}

// encoding returns the encoding of the response, if it is a known one.
func (r *Result) encoding() (Encoding, bool) {
	mediaType, _, _ := mime.ParseMediaType(r.contentType)
	for i, f := range formats {
		if f.mediaType() == mediaType {
			return Encoding(i), true
		}
	}
	return 0, false
}

func (r Result) decode(into runtime.Object) (runtime.Object, error) {
	switch {
	case r.err != nil:
		return nil, r.Error()
	case r.decoder == nil:
		return nil, r.unreadable()
	case into != nil && len(r.body) == 0:
		return nil, fmt.Errorf("0-length response with status code: %d and content type: %s", r.statusCode, r.contentType)
	}
	out, _, err := r.decoder.Decode(r.body, nil, into)
	if err != nil {
		return nil, err
	}
	if out == into {
		return out, nil
	}
	if status, ok := out.(*metav1.Status); ok {
		if status.Status != metav1.StatusSuccess {
			return nil, apierrors.FromObject(status)
		}
		return out, nil
	}
	if into != nil {
		return nil, fmt.Errorf("unexpected response object %T, want %T", out, into)
	}
	return out, nil
}

// unreadable returns the error for a response that no API server sends. It may come from a proxy or a login page.
func (r Result) unreadable() error {
	const enough = 200
	beginning := r.body[:min(len(r.body), enough)]
	return fmt.Errorf("serializer for %s doesn't exist: the response (status %d) is not from an API server, or another encoding was requested; it begins with %q",
		r.contentType, r.statusCode, beginning)
}

// Error returns the error of the request, as described by the server if possible.
func (r Result) Error() error {
	if r.err == nil || !apierrors.IsUnexpectedServerError(r.err) || len(r.body) == 0 || r.decoder == nil {
		return r.err
	}
	out, _, err := r.decoder.Decode(r.body, &schema.GroupVersionKind{Version: "v1", Kind: "Status"}, nil)
	if err != nil {
		return r.err
	}
	if status, ok := out.(*metav1.Status); ok && status.Status == metav1.StatusFailure {
		return apierrors.FromObject(status)
	}
	return r.err
}

// statusOf returns the Status in an error of the server, if there is one.
func statusOf(err error) (*metav1.Status, bool) {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return nil, false
	}
	status := api.Status()
	return &status, true
}
