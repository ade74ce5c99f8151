package fakes

import (
	"bytes"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/testing"
)

// Transport is between a client and its server.
type Transport struct {
	Fake *testing.Fake
	// Server handles what no reactor does. It may be nil.
	Server http.RoundTripper
	Codec  Codec
	// Usable, if set, returns an error for a resource that the server cannot be asked for.
	Usable func(schema.GroupVersionResource) error
	// Before, if set, is called before an object is created.
	Before func(gvr schema.GroupVersionResource, obj runtime.Object)
}

// Codec converts objects.
type Codec interface {
	// Decode decodes the body of a request.
	Decode(body []byte) (runtime.Object, error)
	// Name returns obj, or a copy of it with the kind set.
	Name(obj runtime.Object, gvr schema.GroupVersionResource) (runtime.Object, error)
	// KindOf returns the kind of the objects of a resource. It may be guessed.
	KindOf(gvr schema.GroupVersionResource) schema.GroupVersionKind
	// New returns an empty object.
	New(kind schema.GroupVersionKind) runtime.Object
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	c, ok := parse(req)
	if !ok {
		return t.other(req)
	}
	var err error
	if req.Body != nil {
		c.body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if c.action, err = t.actionOf(c); err != nil {
		// The server rejects it.
		return t.pass(c)
	}
	return t.dispatch(c)
}

// dispatch calls the reactors, depending on the kind of action.
func (t *Transport) dispatch(c *call) (*http.Response, error) {
	switch a := c.action.(type) {
	case testing.WatchActionImpl:
		if t.mustList(a) {
			return refuse(errMustList(c.resource))
		}
		return t.watch(c, a)
	case testing.ProxyGetActionImpl:
		return t.proxy(c, a)
	case testing.GenericActionImpl:
		return t.logs(c, a)
	}
	t.Fake.Record(c.action)
	chain, _, _ := t.Fake.Chains()
	for _, r := range chain {
		if _, isServer := r.(*Server); isServer && t.Server != nil {
			return t.pass(c)
		}
		if !r.Handles(c.action) {
			continue
		}
		if handled, obj, err := r.React(c.action.DeepCopy()); handled {
			return t.answer(c, obj, err)
		}
	}
	return t.answer(c, nil, nil)
}

// pass sends the request to the server.
func (t *Transport) pass(c *call) (*http.Response, error) {
	if t.Server == nil {
		return t.answer(c, nil, nil)
	}
	if t.Usable != nil {
		if err := t.Usable(c.resource); err != nil {
			return refuse(err)
		}
	}
	if create, ok := c.action.(testing.CreateActionImpl); ok && t.Before != nil && create.Subresource == "" {
		t.Before(create.Resource, create.Object)
	}
	req := c.req.Clone(c.req.Context())
	req.Body = io.NopCloser(bytes.NewReader(c.body))
	return t.Server.RoundTrip(req)
}

// other is for non-resource paths, such as discovery.
func (t *Transport) other(req *http.Request) (*http.Response, error) {
	if resp, ok := t.discovery(req); ok {
		return resp, nil
	}
	if t.Server == nil {
		return statusResponse(req, notFound("the fake has no server to ask for "+req.URL.Path)), nil
	}
	return t.Server.RoundTrip(req)
}

func notFound(message string) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: message}
}
