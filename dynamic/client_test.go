package dynamic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/dynamic"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	pods    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

const aWidget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"ns","resourceVersion":"7"},"spec":{"size":3,"ratio":1.5}}`

func widget() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"size": int64(3)},
	}}
}

// start puts a handler on the network, and returns a client for it.
func start(t *testing.T, handler http.HandlerFunc) *dynamic.DynamicClient {
	t.Helper()
	server := httptest.NewServer(handler)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	client, err := dynamic.NewForConfigAndClient(&rest.Config{Host: server.URL}, &http.Client{Transport: transport})
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

// Each verb, and the request that it becomes.
func TestVerbs(t *testing.T) {
	ctx := t.Context()
	seconds := int64(5)
	list := metav1.ListOptions{LabelSelector: "a=b", Limit: 2, TimeoutSeconds: &seconds}
	tests := []struct {
		name string
		call func(*dynamic.DynamicClient) (any, error)
		want string // method, path and query
		kind string // of the content
		body string
	}{
		{"create", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).Namespace("ns").Create(ctx, widget(), metav1.CreateOptions{FieldManager: "me"})
		}, "POST /apis/example.com/v1/namespaces/ns/widgets?fieldManager=me", "application/json", `"size":3`},
		{"create in the core group", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(pods).Create(ctx, widget(), metav1.CreateOptions{})
		}, "POST /api/v1/pods", "application/json", `"kind":"Widget"`},
		{"create a subresource", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(pods).Namespace("ns").Create(ctx, widget(), metav1.CreateOptions{}, "eviction")
		}, "POST /api/v1/namespaces/ns/pods/w/eviction", "application/json", `"name":"w"`},
		{"update", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).Namespace("ns").Update(ctx, widget(), metav1.UpdateOptions{DryRun: []string{"All"}})
		}, "PUT /apis/example.com/v1/namespaces/ns/widgets/w?dryRun=All", "application/json", `"size":3`},
		{"update the status", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).UpdateStatus(ctx, widget(), metav1.UpdateOptions{})
		}, "PUT /apis/example.com/v1/widgets/w/status", "application/json", `"size":3`},
		{"get", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).Namespace("ns").Get(ctx, "w", metav1.GetOptions{ResourceVersion: "3"})
		}, "GET /apis/example.com/v1/namespaces/ns/widgets/w?resourceVersion=3", "", ""},
		{"get a subresource of a subresource", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).Get(ctx, "w", metav1.GetOptions{}, "proxy", "x")
		}, "GET /apis/example.com/v1/widgets/w/proxy/x", "", ""},
		{"delete", func(c *dynamic.DynamicClient) (any, error) {
			return nil, c.Resource(widgets).Namespace("ns").Delete(ctx, "w", metav1.DeleteOptions{DryRun: []string{"All"}})
		}, "DELETE /apis/example.com/v1/namespaces/ns/widgets/w", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`},
		{"delete a collection", func(c *dynamic.DynamicClient) (any, error) {
			return nil, c.Resource(widgets).Namespace("ns").DeleteCollection(ctx, metav1.DeleteOptions{}, list)
		}, "DELETE /apis/example.com/v1/namespaces/ns/widgets?labelSelector=a%3Db&limit=2&timeout=5s&timeoutSeconds=5", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1"}`},
		{"list", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).List(ctx, list)
		}, "GET /apis/example.com/v1/widgets?labelSelector=a%3Db&limit=2&timeout=5s&timeoutSeconds=5", "", ""},
		{"patch", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).Patch(ctx, "w", types.MergePatchType, []byte(`{"a":1}`), metav1.PatchOptions{FieldManager: "me"}, "scale")
		}, "PATCH /apis/example.com/v1/widgets/w/scale?fieldManager=me", "application/merge-patch+json", `{"a":1}`},
		{"apply", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).Namespace("ns").Apply(ctx, "w", widget(), metav1.ApplyOptions{FieldManager: "me", Force: true})
		}, "PATCH /apis/example.com/v1/namespaces/ns/widgets/w?fieldManager=me&force=true", "application/apply-patch+yaml", `"size":3`},
		{"apply the status", func(c *dynamic.DynamicClient) (any, error) {
			return c.Resource(widgets).ApplyStatus(ctx, "w", widget(), metav1.ApplyOptions{FieldManager: "me"})
		}, "PATCH /apis/example.com/v1/widgets/w/status?fieldManager=me&force=false", "application/apply-patch+yaml", `"size":3`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := start(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Method + " " + r.URL.RequestURI(); got != tt.want {
					t.Errorf("request %s, want %s", got, tt.want)
				}
				if got := r.Header.Get("Content-Type"); got != tt.kind {
					t.Errorf("content type %q, want %q", got, tt.kind)
				}
				if got := r.Header.Get("Accept"); got != "application/json" {
					t.Errorf("accept %q", got)
				}
				if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), tt.body) {
					t.Errorf("body %s, want %s", body, tt.body)
				}
				send(w, 200, "application/json", aWidget)
			})
			got, err := tt.call(client)
			if err != nil {
				t.Fatal(err)
			}
			if obj, ok := got.(*unstructured.Unstructured); ok && (obj.GetResourceVersion() != "7" || obj.Object["spec"].(map[string]any)["size"] != int64(3)) {
				t.Errorf("got %v", obj)
			}
		})
	}
}

// Requests that would reach something else are not sent.
func TestBadAddresses(t *testing.T) {
	client := start(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s %s", r.Method, r.URL) })
	ctx := t.Context()
	get := func(gvr schema.GroupVersionResource, namespace, name string, sub ...string) error {
		_, err := client.Resource(gvr).Namespace(namespace).Get(ctx, name, metav1.GetOptions{}, sub...)
		return err
	}
	managed := widget()
	managed.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "x"}})
	apply := func(obj *unstructured.Unstructured) error {
		_, err := client.Resource(widgets).Apply(ctx, "w", obj, metav1.ApplyOptions{})
		return err
	}
	nameless := &unstructured.Unstructured{Object: map[string]any{"kind": "Widget"}}
	_, create := client.Resource(widgets).Create(ctx, nil, metav1.CreateOptions{})
	_, createSub := client.Resource(widgets).Create(ctx, nameless, metav1.CreateOptions{}, "scale")
	_, update := client.Resource(widgets).Update(ctx, nameless, metav1.UpdateOptions{})
	_, updateNil := client.Resource(widgets).Update(ctx, nil, metav1.UpdateOptions{})
	_, patch := client.Resource(widgets).Patch(ctx, "", types.MergePatchType, nil, metav1.PatchOptions{})
	_, list := client.Resource(widgets).Namespace("a/b").List(ctx, metav1.ListOptions{})
	_, watch := client.Resource(widgets).Namespace("..").Watch(ctx, metav1.ListOptions{})
	_, stuck := client.Resource(widgets.GroupResource().WithVersion("")).(dynamic.Requester).ListRequest(metav1.ListOptions{}).Items(ctx)
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"no name", get(widgets, "ns", ""), `cannot get widgets.example.com in namespace "ns": resource name may not be empty`},
		{"name of dots", get(widgets, "ns", ".."), `invalid resource name ".."`},
		{"name with a slash", get(widgets, "ns", "a/b"), `invalid resource name "a/b": [may not contain '/']`},
		{"name with a percent", get(widgets, "ns", "a%2fb"), `may not contain '%'`},
		{"namespace of dots", get(widgets, "..", "w"), `invalid namespace ".."`},
		{"subresource with a slash", get(widgets, "", "w", "a/b"), `invalid subresource "a/b"`},
		{"no version", get(schema.GroupVersionResource{Group: "apps", Resource: "x"}, "", "w"), "the version is missing"},
		{"no resource", get(schema.GroupVersionResource{Group: "apps", Version: "v1"}, "", "w"), "the resource is missing"},
		{"group of dots", get(schema.GroupVersionResource{Group: "..", Version: "v1", Resource: "x"}, "", "w"), "may not be '..'"},
		{"version with a slash", get(schema.GroupVersionResource{Version: "v1/namespaces", Resource: "x"}, "", "w"), "may not contain '/'"},
		{"resource with a slash", get(schema.GroupVersionResource{Version: "v1", Resource: "pods/x"}, "", "w"), "may not contain '/'"},
		{"create nothing", create, "the object is nil"},
		{"create a subresource of nothing", createSub, "resource name may not be empty"},
		{"update without a name", update, `cannot update widgets.example.com in namespace "": resource name may not be empty`},
		{"update nothing", updateNil, "the object is nil"},
		{"delete without a name", client.Resource(widgets).Delete(ctx, "", metav1.DeleteOptions{}), "cannot delete"},
		{"patch without a name", patch, "cannot patch"},
		{"list", list, "cannot list"},
		{"watch", watch, "cannot watch"},
		{"apply what was read", apply(managed), `"w" has managed fields`},
		{"apply nothing", apply(nil), "the object is nil"},
		{"request with an error stuck to it", stuck, "the version is missing"},
	}
	for _, tt := range tests {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
}

func TestLists(t *testing.T) {
	client := start(t, func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, "application/json", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"more"},
			"items":[{"metadata":{"name":"a"},"spec":{"n":9007199254740993}},{"kind":"Other","apiVersion":"v2","metadata":{"name":"b"}}]}`)
	})
	list, err := client.Resource(pods).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if list.GetResourceVersion() != "9" || list.GetContinue() != "more" || list.GetKind() != "PodList" || len(list.Items) != 2 || list.Object["items"] != nil {
		t.Errorf("list %v", list)
	}
	a, b := list.Items[0], list.Items[1]
	if a.GetKind() != "Pod" || a.GetAPIVersion() != "v1" || a.Object["spec"].(map[string]any)["n"] != int64(9007199254740993) {
		t.Errorf("first item %v", a)
	}
	if b.GetKind() != "Other" || b.GetAPIVersion() != "v2" {
		t.Errorf("second item %v", b)
	}
	var again unstructured.UnstructuredList // the same as apimachinery reads it
	data, _ := json.Marshal(list)
	if err := again.UnmarshalJSON(data); err != nil || !reflect.DeepEqual(list.Items, again.Items) {
		t.Errorf("%v, %v", again, err)
	}
}

func TestBadAnswers(t *testing.T) {
	tests := []struct {
		name, contentType, body, want string
		code                          int
		is                            func(error) bool
	}{
		{"the server's error", "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"try again","code":409}`, "try again", 409, apierrors.IsConflict},
		{"text", "text/plain", "404 page not found", "could not find", 404, apierrors.IsNotFound},
		{"an error that says 200", "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"gone","code":404}`, "gone", 200, apierrors.IsNotFound},
		{"html", "text/html", "<html>log in</html>", "log in", 200, nil},
		{"half", "application/json", `{"kind":"Widg`, "unexpected end", 200, nil},
		{"nothing", "application/json", ``, "0-length", 200, nil},
		{"null", "application/json", `null`, "it has no kind", 200, nil},
		{"a list of nothing", "application/json", `[]`, "cannot unmarshal array", 200, nil},
		{"no kind", "application/json", `{"metadata":{}}`, "it has no kind", 200, nil},
		{"a number for a kind", "application/json", `{"kind":7}`, "it has no kind", 200, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := start(t, func(w http.ResponseWriter, _ *http.Request) { send(w, tt.code, tt.contentType, tt.body) })
			obj, err := client.Resource(widgets).Get(t.Context(), "w", metav1.GetOptions{})
			if obj != nil || err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !tt.is(err) {
				t.Errorf("got %v, %v; want an error with %q", obj, err, tt.want)
			}
		})
	}
}

func TestBadLists(t *testing.T) {
	for body, want := range map[string]string{
		`{"kind":"WidgetList","items":{"a":1}}`:                     "its items are a map[string]interface {}, not a list",
		`{"kind":"WidgetList","items":[{"kind":"Widget"},null,{}]}`: "item 2 of 3 is a <nil>, not an object",
		`{"items":[]}`: "it has no kind",
	} {
		client := start(t, func(w http.ResponseWriter, _ *http.Request) { send(w, 200, "application/json", body) })
		if _, err := client.Resource(widgets).List(t.Context(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	client := start(t, func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, "application/json", `{"kind":"WidgetList","items":null}`)
	})
	if list, err := client.Resource(widgets).List(t.Context(), metav1.ListOptions{}); err != nil || list.Items != nil {
		t.Errorf("a null list: %v, %v", list, err)
	}
}
