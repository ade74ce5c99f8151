package rest

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
		{"JSON of another kind", answer(200, "application/json", []byte(`{"kind":"Node","apiVersion":"v1"}`)), nil, "*v1.Node where a *v1.Pod was expected"},
		{"nothing, with 200", answer(200, "application/json", nil), nil, "0-length response with status code: 200 and content type: application/json"},
		{"protobuf that is cut", answer(200, contentTypeProtobuf, toProtobuf(t, "Pod", pod("a"))[:20]), nil, ""},
		{"protobuf that is none", answer(200, contentTypeProtobuf, []byte(`{"kind":"Pod"}`)), nil, ""},
		{"a content type that is none", answer(200, ";;", []byte("x")), apierrors.IsInternalError, "content type"},
		{"a content type that is none, and an error", answer(500, ";;", []byte("x")), apierrors.IsInternalError, ""},
		{"a body that is cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"kind"`))
		}, nil, "the connection failed while the answer was read"},
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
