package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/patch"
	"vedette.dev/apitest/internal/storage"
)

func newServer(t testing.TB, config Config) *Server {
	t.Helper()
	config.Registry = kinds.NewRegistry()
	config.Store, config.Patcher = storage.New(0), patch.New(config.Registry)
	s := New(config)
	t.Cleanup(s.Close)
	return s
}

// counter is a FrameWriter that ends the watch after some frames.
type counter struct {
	left   int
	cancel context.CancelFunc
}

func (c *counter) WriteFrame(Frame) error {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return nil
}

func (c *counter) Flush() error { return nil }

// However many watch, an event is encoded once in each form that is wanted.
func TestFramesAreMadeOnce(t *testing.T) {
	const watchers, events = 40, 25
	forms := []string{"application/json", "application/vnd.kubernetes.protobuf",
		"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v1;g=meta.k8s.io"}
	s := newServer(t, Config{Frames: func(r *Request, _ FrameWriter) FrameWriter {
		return &counter{left: events, cancel: r.Context().Value(cancelKey{}).(context.CancelFunc)}
	}})
	var watching sync.WaitGroup
	for i := range watchers {
		ctx, cancel := context.WithCancel(t.Context())
		ctx = context.WithValue(ctx, cancelKey{}, cancel)
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("/api/v1/namespaces?watch=1&resourceVersion=%d", s.store.Version()), nil)
		req.Header.Set("Accept", forms[i%len(forms)])
		watching.Go(func() {
			defer cancel()
			s.ServeHTTP(httptest.NewRecorder(), req)
		})
	}
	for i := range events {
		if _, err := s.CreateObject(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	watching.Wait()
	// The first event of a table has the columns, the others do not: no more than those two forms.
	if made := s.frames.made; made != events*len(forms) {
		t.Errorf("%d frames were made for %d events in %d forms", made, events, len(forms))
	}
}

type cancelKey struct{}

// What is in front of a watch or a request sees it before it is handled.
func TestInterceptSeesTheRequest(t *testing.T) {
	var seen *Request
	s := newServer(t, Config{Intercept: func(r *Request, w http.ResponseWriter) bool {
		seen = r
		w.WriteHeader(http.StatusTeapot)
		return true
	}})
	for path, want := range map[string]string{
		"GET /api/v1/namespaces/x/pods/p/log":              "get core/v1 pods x p log",
		"GET /apis/apps/v1/deployments?watch=true":         "watch apps/v1 deployments   ",
		"DELETE /api/v1/namespaces/x/pods":                 "deletecollection core/v1 pods x  ",
		"GET /api/v1/pods?fieldSelector=metadata.name%3Dp": "list core/v1 pods  p ",
		"PUT /api/v1/namespaces/x/status":                  "update core/v1 namespaces x x status",
		"POST /api/v1/namespaces/x/pods":                   "create core/v1 pods x  ",
	} {
		var method, url string
		_, _ = fmt.Sscan(path, &method, &url)
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, httptest.NewRequest(method, url, nil))
		group := seen.Resource.Group
		if group == "" {
			group = "core"
		}
		got := fmt.Sprintf("%s %s/%s %s %s %s %s", seen.Verb, group, seen.Resource.Version, seen.Resource.Resource, seen.Namespace, seen.Name, seen.Subresource)
		if got != want || answer.Code != http.StatusTeapot || seen.Kind == nil {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
