package rest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestInto(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"JSON":           answer(200, "application/json", toJSON(t, pod("a"))),
		"JSON, no type":  answer(200, "application/json; charset=utf-8", toJSON(t, pod("a"))),
		"YAML":           answer(200, "application/yaml", []byte("kind: Pod\napiVersion: v1\nmetadata:\n  name: a\n")),
		"protobuf":       answer(200, contentTypeProtobuf, toProtobuf(t, "Pod", pod("a"))),
		"created (JSON)": answer(201, "application/json", toJSON(t, pod("a"))),
	} {
		client := serve(t, handler)
		var code int
		var created bool
		var contentType string
		got := &corev1.Pod{}
		err := client.Get().Resource("pods").Name("a").Do(background).StatusCode(&code).WasCreated(&created).ContentType(&contentType).Into(got)
		if err != nil || got.Name != "a" || created != (code == 201) || contentType == "" {
			t.Errorf("%s: %q, %v (code %d, created %t, %q)", name, got.Name, err, code, created, contentType)
		}
		obj, err := client.Get().Resource("pods").Name("a").Do(background).Get()
		if p, ok := obj.(*corev1.Pod); err != nil || !ok || p.Name != "a" {
			t.Errorf("%s: Get: %T, %v", name, obj, err)
		}
	}
}

// A few hundred bytes of gzip can be any size.
func TestResponsesAreBounded(t *testing.T) {
	const limit, size = 1 << 20, 8 << 20
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	if _, err := w.Write(bytes.Repeat([]byte(" "), size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	serve := func(maxBytes int64, handler http.HandlerFunc) *RESTClient {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		config := configFor(server.URL)
		config.MaxResponseBytes = maxBytes
		return newTestClient(t, config)
	}
	inflated := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			answer(status, "application/json", small.Bytes())(w, nil)
		}
	}
	plain := answer(200, "application/json", bytes.Repeat([]byte(" "), size))
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		limit   int64
		length  int // -1 means too large
	}{
		"inflated":            {inflated(200), limit, -1},
		"plain":               {plain, limit, -1},
		"one byte too much":   {plain, size - 1, -1},
		"as large as allowed": {inflated(200), size, size},
		"no limit":            {inflated(200), -1, size},
		"default":             {inflated(200), 0, size},
	} {
		client := serve(test.limit, test.handler)
		raw, rawErr := client.Get().AbsPath("/x").DoRaw(background)
		body, err := client.Get().AbsPath("/x").Do(background).Raw()
		for _, err := range []error{rawErr, err} {
			if test.length >= 0 && err != nil || test.length < 0 && (!errors.Is(err, ErrResponseTooLarge) ||
				!strings.Contains(err.Error(), "rest.Config.MaxResponseBytes") || !strings.Contains(err.Error(), fmt.Sprint(test.limit)) || !strings.Contains(err.Error(), "GET /x")) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if want := max(0, test.length); len(raw) != want || len(body) != want {
			t.Errorf("%s: %d and %d bytes, want %d", name, len(raw), len(body), want)
		}
	}
	// Of an error only the beginning is read, whatever the limit; its status is what counts.
	for _, limit := range []int64{0, -1, 10} {
		client := serve(limit, inflated(503))
		raw, rawErr := client.Get().AbsPath("/x").DoRaw(background)
		body, err := client.Get().AbsPath("/x").Do(background).Raw()
		if len(raw) != maxErrorBytes || len(body) != maxErrorBytes || !apierrors.IsServiceUnavailable(rawErr) || !apierrors.IsServiceUnavailable(err) {
			t.Errorf("error with limit %d: %d and %d bytes, %v, %v", limit, len(raw), len(body), rawErr, err)
		}
	}
}

func TestErrorAnswers(t *testing.T) {
	html := []byte("<html><body>please log in</body></html>")
	tests := []struct {
		name    string
		handler http.HandlerFunc
		is      func(error) bool
		want    string
	}{
		{"a Status", answer(404, "application/json", toJSON(t, status(404, metav1.StatusReasonNotFound))), apierrors.IsNotFound, "because of NotFound"},
		{"a Status in protobuf", answer(409, contentTypeProtobuf, toProtobuf(t, "Status", status(409, metav1.StatusReasonConflict))), apierrors.IsConflict, "because of Conflict"},
		{"text", answer(403, "text/plain", []byte("go away\n")), apierrors.IsForbidden, "go away"},
		{"nothing", answer(401, "", nil), apierrors.IsUnauthorized, "the server has asked for the client to provide credentials"},
		{"HTML with an error", answer(502, "text/html", html), apierrors.IsInternalError, "please log in"},
		{"HTML without an error", answer(200, "text/html", html), nil, "is not from an API server"},
		{"a Status that is a failure, with 200", answer(200, "application/json", toJSON(t, status(410, metav1.StatusReasonExpired))), apierrors.IsResourceExpired, "because of Expired"},
		{"JSON that is cut", answer(200, "application/json", []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"na`)), nil, "unexpected"},
		{"JSON of another kind", answer(200, "application/json", []byte(`{"kind":"Node","apiVersion":"v1"}`)), nil, "unexpected response object *v1.Node, want *v1.Pod"},
		{"nothing, with 200", answer(200, "application/json", nil), nil, "0-length response with status code: 200 and content type: application/json"},
		{"protobuf that is cut", answer(200, contentTypeProtobuf, toProtobuf(t, "Pod", pod("a"))[:20]), nil, ""},
		{"protobuf that is none", answer(200, contentTypeProtobuf, []byte(`{"kind":"Pod"}`)), nil, ""},
		{"a content type that is none", answer(200, ";;", []byte("x")), apierrors.IsInternalError, "content type"},
		{"a content type that is none, and an error", answer(500, ";;", []byte("x")), apierrors.IsInternalError, ""},
		{"a body that is cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"kind"`))
		}, nil, "reading the response failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := serve(t, tt.handler)
			got := &corev1.Pod{}
			err := client.Get().Namespace("ns").Resource("pods").Name("a").Do(background).Into(got)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if tt.is != nil && !tt.is(err) {
				t.Errorf("%#v is of another kind", err)
			}
		})
	}
}

// A long text in an error is cut, and its Retry-After kept.
func TestErrorText(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		answer(429, "text/plain", bytes.Repeat([]byte("x"), 10_000))(w, r)
	})
	err := client.Get().Resource("pods").MaxRetries(0).Do(background).Error()
	var api apierrors.APIStatus
	if !errors.As(err, &api) || api.Status().Details.RetryAfterSeconds != 7 || len(err.Error()) > 4000 {
		t.Errorf("error of %d bytes: %.100v", len(err.Error()), err)
	}
}

func TestRawAndStream(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/bad") {
			answer(404, "application/json", toJSON(t, status(404, metav1.StatusReasonNotFound)))(w, r)
			return
		}
		answer(200, "text/plain", []byte("log"))(w, r)
	})
	if data, err := client.Get().AbsPath("/good").DoRaw(background); err != nil || string(data) != "log" {
		t.Errorf("DoRaw: %q, %v", data, err)
	}
	if data, err := client.Get().AbsPath("/bad").DoRaw(background); !apierrors.IsNotFound(err) || len(data) == 0 {
		t.Errorf("DoRaw of an error: %q, %v", data, err)
	}
	stream, err := client.Get().AbsPath("/good").Stream(background)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(stream)
	if stream.Close(); err != nil || string(data) != "log" {
		t.Errorf("Stream: %q, %v", data, err)
	}
	if _, err := client.Get().AbsPath("/bad").Stream(background); !apierrors.IsNotFound(err) {
		t.Errorf("Stream of an error: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Warning", `299 - "old"`)
		w.Header().Add("Warning", `299 - "old"`)
		w.Header().Add("Warning", `nonsense`)
		answer(200, "application/json", toJSON(t, pod("a")))(w, r)
	})
	var out bytes.Buffer
	writer := NewWarningWriter(&out, WarningWriterOptions{Deduplicate: true})
	result := client.Get().Resource("pods").WarningHandler(writer).Do(background)
	if result.Error() != nil || len(result.Warnings()) != 2 || out.String() != "Warning: old\n" || writer.WarningCount() != 1 {
		t.Errorf("%v, %v, %q", result.Error(), result.Warnings(), out.String())
	}
	SetDefaultWarningHandler(NewWarningWriter(&out, WarningWriterOptions{Color: true}))
	defer SetDefaultWarningHandler(WarningLogger{})
	out.Reset()
	client.Get().Resource("pods").Do(background)
	if out.String() != strings.Repeat("\x1b[33;1mWarning:\x1b[0m old\n", 2) {
		t.Errorf("%q", out.String())
	}
	SetDefaultWarningHandler(nil)
	client.Get().Resource("pods").Do(background)
}
