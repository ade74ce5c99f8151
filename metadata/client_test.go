package metadata_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/metadata"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// start puts a handler on the network, and returns a client for it.
func start(t *testing.T, handler http.HandlerFunc) metadata.Interface {
	t.Helper()
	server := httptest.NewServer(handler)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	client, err := metadata.NewForConfigAndClient(&rest.Config{Host: server.URL}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func send(w http.ResponseWriter, code int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// A partial object as the server sends it, and the whole object.
const (
	partial = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","namespace":"ns","uid":"u","resourceVersion":"7"}}`
	whole   = `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","namespace":"ns","uid":"u","resourceVersion":"7"},"spec":{"metadata":{"name":"no"}}}`
)

func object() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "ns", UID: "u", ResourceVersion: "7"},
	}
}

// encode writes an object as the server's protobuf.
func encode(t *testing.T, obj runtime.Object) string {
	t.Helper()
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	data, err := runtime.Encode(protobuf.NewSerializer(scheme, scheme), obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func check(t *testing.T, obj *metav1.PartialObjectMetadata, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	want := object()
	want.TypeMeta = metav1.TypeMeta{}
	if obj.Name != "w" || obj.Namespace != "ns" || obj.UID != "u" || obj.ResourceVersion != "7" || obj.TypeMeta != want.TypeMeta {
		t.Errorf("got %+v, want %+v", obj, want)
	}
}

const (
	accept     = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	acceptList = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
)

// Each form in which a server may answer.
func forms(t *testing.T) map[string][2]string {
	return map[string][2]string{
		"protobuf":      {"application/vnd.kubernetes.protobuf", encode(t, object())},
		"json":          {"application/json", partial},
		"whole objects": {"application/json", whole},
	}
}

func TestGetAndPatch(t *testing.T) {
	for name, form := range forms(t) {
		t.Run(name, func(t *testing.T) {
			var got string
			client := start(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Content-Type")
				if r.Header.Get("Accept") != accept {
					t.Errorf("accept %q", r.Header.Get("Accept"))
				}
				send(w, 200, form[0], form[1])
			})
			obj, err := client.Resource(widgets).Namespace("ns").Get(t.Context(), "w", metav1.GetOptions{ResourceVersion: "3"}, "status")
			check(t, obj, err)
			if want := "GET /apis/example.com/v1/namespaces/ns/widgets/w/status?resourceVersion=3 "; got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
			obj, err = client.Resource(widgets).Patch(t.Context(), "w", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{FieldManager: "me"})
			check(t, obj, err)
			if want := "PATCH /apis/example.com/v1/widgets/w?fieldManager=me application/merge-patch+json"; got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	}
}

func TestList(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more"}, Items: []metav1.PartialObjectMetadata{*object()},
	}
	for name, form := range map[string][2]string{
		"protobuf":      {"application/vnd.kubernetes.protobuf", encode(t, list)},
		"json":          {"application/json", `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","continue":"more"},"items":[` + partial + `]}`},
		"whole objects": {"application/json", `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9","continue":"more"},"items":[` + whole + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			client := start(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.URL.RequestURI() + r.Header.Get("Accept"); got != "/apis/example.com/v1/widgets?labelSelector=a%3Db"+acceptList {
					t.Errorf("asked for %s", got)
				}
				send(w, 200, form[0], form[1])
			})
			got, err := client.Resource(widgets).List(t.Context(), metav1.ListOptions{LabelSelector: "a=b"})
			if err != nil || got.ResourceVersion != "9" || got.Continue != "more" || len(got.Items) != 1 || got.Kind != "" {
				t.Fatalf("got %+v, %v", got, err)
			}
			got.Items[0].TypeMeta = metav1.TypeMeta{}
			check(t, &got.Items[0], nil)
			items, err := client.Resource(widgets).(metadata.Requester).ListRequest(metav1.ListOptions{LabelSelector: "a=b"}).Items(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = items.Close() }()
			item, err := items.Next()
			if err != nil {
				t.Fatal(err)
			}
			if meta, err := item.Meta(); err != nil || meta.Name != "w" {
				t.Errorf("item %v, %v", meta, err)
			}
		})
	}
}

func TestWatch(t *testing.T) {
	bookmark := &metav1.PartialObjectMetadata{TypeMeta: object().TypeMeta, ObjectMeta: metav1.ObjectMeta{ResourceVersion: "12"}}
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: "Expired", Code: 410}
	var frames bytes.Buffer
	writer := protobuf.LengthDelimitedFramer.NewFrameWriter(&frames)
	for _, e := range []struct {
		kind string
		obj  runtime.Object
	}{{"ADDED", object()}, {"BOOKMARK", bookmark}, {"ERROR", status}} {
		event := &metav1.WatchEvent{Type: e.kind, Object: runtime.RawExtension{Raw: []byte(encode(t, e.obj))}}
		data, err := event.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	const rest = `{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"12"}}}` +
		`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`
	for name, form := range map[string][2]string{
		"protobuf":      {"application/vnd.kubernetes.protobuf;stream=watch", frames.String()},
		"json":          {"application/json", `{"type":"ADDED","object":` + partial + `}` + rest},
		"whole objects": {"application/json", `{"type":"ADDED","object":` + whole + `}` + rest},
	} {
		t.Run(name, func(t *testing.T) {
			client := start(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.URL.RequestURI() + " " + r.Header.Get("Accept"); got != "/apis/example.com/v1/widgets?timeout=5s&timeoutSeconds=5&watch=true "+accept {
					t.Errorf("asked for %s", got)
				}
				send(w, 200, form[0], form[1])
			})
			seconds := int64(5)
			events, err := client.Resource(widgets).Watch(t.Context(), metav1.ListOptions{TimeoutSeconds: &seconds})
			if err != nil {
				t.Fatal(err)
			}
			defer events.Stop()
			added := <-events.ResultChan()
			obj, ok := added.Object.(*metav1.PartialObjectMetadata)
			if added.Type != watch.Added || !ok {
				t.Fatalf("first %v %v", added.Type, added.Object)
			}
			check(t, obj, nil)
			bookmark := <-events.ResultChan()
			if obj, ok := bookmark.Object.(*metav1.PartialObjectMetadata); bookmark.Type != watch.Bookmark || !ok || obj.ResourceVersion != "12" {
				t.Errorf("second %v %v", bookmark.Type, bookmark.Object)
			}
			failure := <-events.ResultChan()
			if err := apierrors.FromObject(failure.Object); failure.Type != watch.Error || !apierrors.IsResourceExpired(err) {
				t.Errorf("third %v %v", failure.Type, failure.Object)
			}
		})
	}
}

// Options go as JSON: servers of custom resources read nothing else.
func TestDelete(t *testing.T) {
	var got, body string
	client := start(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got, body = r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Content-Type"), string(data)
		send(w, 200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	})
	uid := types.UID("u")
	err := client.Resource(widgets).Namespace("ns").Delete(t.Context(), "w", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if err != nil || got != "DELETE /apis/example.com/v1/namespaces/ns/widgets/w application/json" || body != `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}` {
		t.Errorf("sent %s %s, %v", got, body, err)
	}
	err = client.Resource(widgets).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "a=b"})
	if err != nil || got != "DELETE /apis/example.com/v1/widgets?fieldSelector=a%3Db application/json" || body != `{"kind":"DeleteOptions","apiVersion":"v1"}` {
		t.Errorf("sent %s %s, %v", got, body, err)
	}
}
