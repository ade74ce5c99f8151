package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"vedette.dev/kubernetes/scheme"
)

const fuzzedDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
	"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas",
	"statusReplicasPath":".status.replicas"}},"selectableFields":[{"jsonPath":".spec.size"}],
	"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},
	"replicas":{"type":"integer"}}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`

// fuzzed is a server with a few objects.
func fuzzed(t testing.TB, config Config) *Server {
	s := newServer(t, config)
	widget := &unstructured.Unstructured{}
	definition := &unstructured.Unstructured{}
	if err := definition.UnmarshalJSON([]byte(fuzzedDefinition)); err != nil {
		t.Fatal(err)
	}
	if err := widget.UnmarshalJSON([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"x"},"spec":{"size":1}}`)); err != nil {
		t.Fatal(err)
	}
	labelled := func(name, app string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "x", Name: name, Labels: map[string]string{"app": app}}
	}
	for _, obj := range []runtime.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x"}},
		definition, widget,
		&corev1.ConfigMap{ObjectMeta: labelled("a", "web"), Data: map[string]string{"k": "v"}},
		&corev1.ConfigMap{ObjectMeta: labelled("b", "db")},
		&corev1.Pod{ObjectMeta: labelled("a", "web"), Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	} {
		if _, err := s.CreateObject(obj); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// FuzzRead asks for anything in any form: it is refused with a Status or answered with what can be decoded.
func FuzzRead(f *testing.F) {
	for _, seed := range [][3]string{
		{"/api/v1/namespaces/x/configmaps", "labelSelector=app%3Dweb&limit=1", "application/json"},
		{"/api/v1/configmaps", "fieldSelector=metadata.name%3Da&resourceVersion=0", "application/yaml"},
		{"/api/v1/namespaces/x/pods/a", "pretty=true", "application/vnd.kubernetes.protobuf"},
		{"/api/v1/namespaces/x/pods", "watch=1&resourceVersion=1&timeoutSeconds=1", "application/json;stream=watch"},
		{"/api/v1/namespaces/x/pods", "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", ""},
		{"/api/v1/pods", "includeObject=Object", "application/json;as=Table;v=v1;g=meta.k8s.io"},
		{"/apis/example.com/v1/namespaces/x/widgets/a", "", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
		{"/apis/example.com/v1/widgets", "fieldSelector=spec.size%3D1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhXHUwMDAwIn0", "*/*"},
		{"/apis/apps/v1/namespaces/x/deployments/a/scale", "", "text/html"},
		{"/apis/example.com/v1/namespaces/x/widgets/a/scale", "", "application/json;as=Table;v=v1;g=meta.k8s.io"},
		{"/apis", "", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
		{"/openapi/v3/api/v1", "hash=x", ""}, {"/openapi/v2", "", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"},
		{"/api/v1/namespaces//pods/%2e%2e", "watch=x&limit=-1&timeoutSeconds=99999999999999", ",;q=2"},
		{"/version", "", ""}, {"/healthz/x", "", ""}, {"/", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	s := fuzzed(f, Config{ShardSelectors: true})
	f.Fuzz(func(t *testing.T, path, query, accept string) {
		request(t, s, http.MethodGet, path, query, http.Header{"Accept": {accept}}, "")
	})
}

// FuzzWrite sends anything to any path.
func FuzzWrite(f *testing.F) {
	const maps, pods = "/api/v1/namespaces/x/configmaps", "/api/v1/namespaces/x/pods"
	for _, seed := range [][5]string{
		{"POST", maps, "fieldManager=f&dryRun=All", "application/json", `{"metadata":{"generateName":"g-"},"data":{"a":"b"}}`},
		{"POST", maps, "fieldValidation=Strict", "application/yaml", "metadata: {name: é}\ndata: {a: [1]}\n"},
		{"PUT", maps + "/a", "", "application/json", `{"metadata":{"name":"a","resourceVersion":"x"}}`},
		{"PATCH", maps + "/a", "", "application/merge-patch+json", `{"metadata":{"finalizers":["x/y"],"ownerReferences":[{}]}}`},
		{"PATCH", pods + "/a", "", "application/strategic-merge-patch+json", `{"spec":{"containers":[{"name":"c","$patch":"delete"}]}}`},
		{"PATCH", pods + "/a", "fieldManager=f&force=true", "application/apply-patch+yaml", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`},
		{"PATCH", pods + "/a", "", "application/json-patch+json", `[{"op":"copy","from":"/spec","path":"/metadata/labels"}]`},
		{"PATCH", pods + "/a/status", "", "application/merge-patch+json", `{"status":{"phase":7}}`},
		{"DELETE", pods + "/a", "gracePeriodSeconds=-1", "application/json", `{"preconditions":{"uid":"u"},"propagationPolicy":"Orphan"}`},
		{"DELETE", maps, "labelSelector=app&propagationPolicy=Foreground", "", ""},
		{"POST", pods + "/a/eviction", "", "application/json", `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"a"}}`},
		{"POST", pods + "/a/binding", "", "application/json", `{"target":{"kind":"Node","name":"m"}}`},
		{"PUT", "/api/v1/namespaces/x/finalize", "", "application/json", `{"metadata":{"name":"x"},"spec":{"finalizers":[]}}`},
		{"POST", "/api/v1/namespaces/x/serviceaccounts/default/token", "", "application/json", `{"spec":{"expirationSeconds":1}}`},
		{"PATCH", "/apis/example.com/v1/namespaces/x/widgets/a/scale", "", "application/merge-patch+json", `{"spec":{"replicas":2}}`},
		{"POST", "/apis/example.com/v1/namespaces/x/widgets", "", "application/json", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":1}}`},
		{"PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", "", "application/merge-patch+json", `{"spec":{"names":null}}`},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", "application/json", `{"spec":{"resourceAttributes":{"verb":"get"}}}`},
		{"POST", "/api/v1/namespaces", "", "application/vnd.kubernetes.protobuf", "k8s\x00\n\x04\n\x02v1"},
		{"POST", "/apis/autoscaling/v1/namespaces/x/horizontalpodautoscalers", "", "application/json", `{"metadata":{"name":"a","annotations":{"autoscaling.alpha.kubernetes.io/metrics":"["}}}`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string) {
		s := fuzzed(t, Config{Controllers: true})
		request(t, s, method, path, query, http.Header{"Content-Type": {contentType}}, body)
		request(t, s, http.MethodGet, "/api/v1/namespaces/x/configmaps", "", nil, "") // it still lives
	})
}

// FuzzSelect lists and watches with a selector: both refuse it, or both find the same.
func FuzzSelect(f *testing.F) {
	for _, seed := range [][2]string{
		{"app=web", ""}, {"app in (web,db),!x", "metadata.name!=a"}, {"app", "metadata.namespace=x"}, {"app notin ()", "metadata.name=a,metadata.name=b"},
		{"a/b/c", "data.k=v"}, {"app>1", `metadata.name=\,`}, {",", "="}, {"!app", "metadata.name==a"},
	} {
		f.Add(seed[0], seed[1])
	}
	s := fuzzed(f, Config{Frames: func(r *Request, w FrameWriter) FrameWriter {
		return endAtMark{w, r.Context().Value(cancelKey{}).(context.CancelFunc)}
	}})
	f.Fuzz(func(t *testing.T, labels, fields string) {
		query := url.Values{"labelSelector": {labels}, "fieldSelector": {fields}}
		const path = "/api/v1/configmaps"
		list := request(t, s, http.MethodGet, path, query.Encode(), nil, "")
		query.Set("watch", "true")
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
		query.Set("allowWatchBookmarks", "true")
		watch := request(t, s, http.MethodGet, path, query.Encode(), nil, "")
		if list.Code != watch.Code {
			t.Fatalf("a list answers %d, a watch %d", list.Code, watch.Code)
		}
		if found, seen := strings.Count(list.Body.String(), `"uid"`), strings.Count(watch.Body.String(), `"ADDED"`); found != seen {
			t.Errorf("listed %d, watched %d: %s\n%s", found, seen, list.Body, watch.Body)
		}
	})
}

// endAtMark ends a watch when the initial events are over.
type endAtMark struct {
	FrameWriter
	end context.CancelFunc
}

func (e endAtMark) WriteFrame(frame Frame) error {
	err := e.FrameWriter.WriteFrame(frame)
	if frame.EndMark {
		e.end()
	}
	return err
}

// watchTimeout is how long a watch without an end may last.
const watchTimeout = 20 * time.Millisecond

// request sends a request, and checks what can be said of all answers.
func request(t *testing.T, s *Server, method, path, query string, header http.Header, body string) *httptest.ResponseRecorder {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), watchTimeout)
	if strings.Contains(query, "sendInitialEvents") {
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		if s.config.Frames == nil {
			ctx, cancel = context.WithTimeout(ctx, watchTimeout)
		}
	}
	defer cancel()
	ctx = context.WithValue(ctx, cancelKey{}, cancel)
	req := (&http.Request{
		Method: method, URL: &url.URL{Path: "/" + strings.TrimPrefix(path, "/"), RawQuery: query}, Header: header.Clone(), Body: io.NopCloser(strings.NewReader(body)),
	}).WithContext(ctx)
	if req.Header == nil {
		req.Header = http.Header{}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	check(t, path, w)
	return w
}

func check(t *testing.T, path string, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= http.StatusInternalServerError && !knownFailure(w.Body.String()) {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	media, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	if w.Code < http.StatusBadRequest {
		checkBody(t, media, w.Body.Bytes())
		return
	}
	nothing := media == "text/plain"                                 // for paths of nothing
	silent := w.Body.Len() == 0 && strings.Contains(path, "openapi") // the one place where kube-apiserver says no more than the code
	if nothing || silent {
		return
	}
	var status metav1.Status
	if err := decodeBody(media, w.Body.Bytes(), &status); err != nil {
		t.Fatalf("%d without a Status: %v: %s", w.Code, err, w.Body)
	}
	if int(status.Code) != w.Code || status.Status != metav1.StatusFailure || status.Message == "" && status.Reason == "" {
		t.Fatalf("%d with %+v", w.Code, status)
	}
}

// knownFailure is what kube-apiserver answers with 500 as well, or with nothing at all: see docs/apitest.md.
func knownFailure(body string) bool {
	for _, text := range []string{
		"resourceVersion should not be set on objects to be created",
		"strconv.ParseUint", "invalid resource version",
		"does not exist", // the number of replicas that a definition speaks of
		"merge key", "unknown patch type",
		"failed to create typed patch object", "failed to create manager",
		"invalid shard selector", "target.", // a binding without a target
	} {
		if strings.Contains(body, text) {
			return true
		}
	}
	return false
}

// checkBody looks at one document, or at those of a watch.
func checkBody(t *testing.T, media string, body []byte) {
	t.Helper()
	if media != mediaJSON {
		return
	}
	for in := json.NewDecoder(bytes.NewReader(body)); ; {
		var document any
		if err := in.Decode(&document); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	}
}

func decodeBody(media string, body []byte, into *metav1.Status) error {
	switch media {
	case mediaProtobuf:
		_, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, into)
		return err
	case mediaYAML:
		return yaml.Unmarshal(body, into)
	}
	return json.Unmarshal(body, into)
}
