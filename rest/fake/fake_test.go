package fake_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest/fake"
)

func response(code int, obj runtime.Object) *http.Response {
	data, err := runtime.Encode(scheme.Codecs.LegacyCodec(corev1.SchemeGroupVersion), obj)
	if err != nil {
		panic(err)
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(data))}
}

func newClient() *fake.RESTClient {
	return &fake.RESTClient{NegotiatedSerializer: scheme.Codecs.WithoutConversion(), GroupVersion: corev1.SchemeGroupVersion, VersionedAPIPath: "/api/v1"}
}

var pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns"}}

func TestResponse(t *testing.T) {
	c := newClient()
	c.Resp = response(http.StatusOK, pod)
	got := &corev1.Pod{}
	if err := c.Get().Namespace("ns").Resource("pods").Name("p").Do(t.Context()).Into(got); err != nil || got.Name != "p" {
		t.Errorf("%v, %v", got, err)
	}
	if c.Req.Method != "GET" || c.Req.URL.String() != "https://localhost/api/v1/namespaces/ns/pods/p" {
		t.Errorf("%s %s", c.Req.Method, c.Req.URL)
	}
	c.Resp = response(http.StatusNotFound, &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound})
	if err := c.Delete().Resource("pods").Name("p").Do(t.Context()).Error(); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if c.APIVersion() != corev1.SchemeGroupVersion || c.GetRateLimiter() != nil {
		t.Error(c.APIVersion(), c.GetRateLimiter())
	}
}

func TestClient(t *testing.T) {
	c := newClient()
	var body string
	c.Client = fake.CreateHTTPClient(func(req *http.Request) (*http.Response, error) {
		data, err := io.ReadAll(req.Body)
		body = string(data)
		return response(http.StatusOK, pod), err
	})
	if err := c.Post().Namespace("ns").Resource("pods").Body(pod).Do(t.Context()).Error(); err != nil || !strings.Contains(body, `"kind":"Pod"`) {
		t.Error(body, err)
	}
	if err := c.Patch(types.MergePatchType).Resource("pods").Name("p").Body([]byte("{}")).Do(t.Context()).Error(); err != nil || body != "{}" ||
		c.Req.Header.Get("Content-Type") != string(types.MergePatchType) {
		t.Error(body, c.Req.Header, err)
	}
	if err := c.Put().Resource("pods").Name("p").Body(pod).Do(t.Context()).Error(); err != nil || c.Req.Method != "PUT" {
		t.Error(c.Req.Method, err)
	}
}

func TestErr(t *testing.T) {
	c := newClient()
	c.Err = errors.New("mine")
	if err := c.Get().Resource("pods").Do(t.Context()).Error(); !errors.Is(err, c.Err) || c.Req != nil {
		t.Error(err, c.Req)
	}
}
