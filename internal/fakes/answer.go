package fakes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/reaction"
	"vedette.dev/testing"
)

// answer sends what a reactor returned. Nil and no error stand for an empty object, or for what was sent.
func (t *Transport) answer(c *call, obj runtime.Object, err error) (*http.Response, error) {
	if err != nil {
		return refuse(err)
	}
	if obj == nil {
		obj = t.nothing(c)
	}
	if obj, err = t.Codec.Name(obj, c.resource); err != nil {
		return refuse(fmt.Errorf("the %T that a reactor returned for %s: %w", obj, c.resource.Resource, err))
	}
	data, err := marshal(obj)
	if err != nil {
		return refuse(fmt.Errorf("the %T that a reactor returned for %s: %w", obj, c.resource.Resource, err))
	}
	code := http.StatusOK
	if c.req.Method == http.MethodPost {
		code = http.StatusCreated
	}
	return response(c.req, code, "application/json", data), nil
}

// marshal encodes an object as JSON, in which the deletion timestamp &metav1.Time{}, with which tests mark objects as being
// deleted, would be null.
func marshal(obj runtime.Object) ([]byte, error) {
	data, err := json.Marshal(obj)
	if m, ok := obj.(metav1.Object); ok && err == nil {
		if _, untyped := obj.(runtime.Unstructured); !untyped && m.GetDeletionTimestamp() != nil && m.GetDeletionTimestamp().IsZero() {
			data = bytes.Replace(data, []byte(`"deletionTimestamp":null`), []byte(`"deletionTimestamp":"0001-01-01T00:00:00Z"`), 1)
		}
	}
	return data, err
}

// nothing is the object of an answer that has none.
func (t *Transport) nothing(c *call) runtime.Object {
	kind := t.Codec.KindOf(c.resource)
	switch a := c.action.(type) {
	case testing.CreateActionImpl:
		return a.Object
	case testing.UpdateActionImpl:
		return a.Object
	case testing.ListActionImpl:
		kind.Kind += "List"
	case testing.DeleteActionImpl, testing.DeleteCollectionActionImpl:
		return &metav1.Status{TypeMeta: statusType, Status: metav1.StatusSuccess}
	}
	if c.sub == "scale" {
		kind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	}
	return t.Codec.New(kind)
}

var statusType = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}

// refuse returns the error of a reactor, which the client returns as it is.
func refuse(err error) (*http.Response, error) { return nil, &reaction.Error{Err: err} }

// statusResponse has no Retry-After: who wants a client to try again has a server for that.
func statusResponse(req *http.Request, status *metav1.Status) *http.Response {
	status.TypeMeta = statusType
	code := int(status.Code)
	if code == 0 {
		code = http.StatusInternalServerError
	}
	data, err := json.Marshal(status)
	if err != nil {
		panic(err) // it has plain fields only
	}
	return response(req, code, "application/json", data)
}

func response(req *http.Request, code int, contentType string, data []byte) *http.Response {
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewReader(data)),
		ContentLength: int64(len(data)), Request: req,
	}
}

// proxy asks the reactors for what a pod or a service would answer.
func (t *Transport) proxy(c *call, a testing.ProxyGetActionImpl) (*http.Response, error) {
	t.Fake.Record(a)
	_, _, chain := t.Fake.Chains()
	for _, r := range chain {
		if !r.Handles(a) {
			continue
		}
		handled, wrapper, err := r.React(a.DeepCopy())
		if !handled {
			continue
		}
		if err == nil && wrapper != nil {
			var data []byte
			if data, err = wrapper.DoRaw(c.req.Context()); err == nil {
				return response(c.req, http.StatusOK, "text/plain", data), nil
			}
		}
		if err != nil {
			return refuse(err)
		}
	}
	return statusResponse(c.req, notFound("no reactor answers for "+a.Resource.Resource+" "+a.Name)), nil
}

// logs are always the same, unless a reactor returns an error.
func (t *Transport) logs(c *call, a testing.GenericActionImpl) (*http.Response, error) {
	t.Fake.Record(a)
	chain, _, _ := t.Fake.Chains()
	for _, r := range chain {
		if _, isServer := r.(*Server); isServer || !r.Handles(a) {
			continue
		}
		if handled, _, err := r.React(a.DeepCopy()); handled {
			if err != nil {
				return refuse(err)
			}
			break
		}
	}
	return response(c.req, http.StatusOK, "text/plain", []byte("fake logs")), nil
}
