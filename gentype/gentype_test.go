package gentype_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/gentype"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Widget is a kind as a user would write it: nothing is generated for it.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	Size  int64  `json:"size,omitempty"`
	Color string `json:"color,omitempty"`
}

var widgetResource = gentype.Resource{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets"}

// seen is a request as the server got it.
type seen struct {
	method, uri, contentType, body string
}

// recorder answers every request with one text, and keeps the last request.
type recorder struct {
	last   seen
	status int
	answer string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.last = seen{req.Method, req.URL.RequestURI(), req.Header.Get("Content-Type"), string(body)}
	w.Header().Set("Content-Type", "application/json")
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	fmt.Fprint(w, r.answer)
}

func widgets(t *testing.T, r *recorder) *gentype.Custom[Widget] {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	client, err := gentype.NewForConfig[Widget](&rest.Config{Host: server.URL, QPS: -1}, widgetResource)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	return client
}

const oneWidget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"ns","resourceVersion":"5"},"spec":{"size":9007199254740993}}`

func TestCustom(t *testing.T) {
	ctx := context.Background()
	r := &recorder{answer: oneWidget}
	client := widgets(t, r).In("ns")
	w := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Spec: WidgetSpec{Size: 3}}
	const path = "/apis/example.com/v1/namespaces/ns/widgets"
	tests := []struct {
		name string
		call func() (*Widget, error)
		want seen
	}{
		{"create", func() (*Widget, error) { return client.Create(ctx, w, metav1.CreateOptions{FieldManager: "me"}) },
			seen{"POST", path + "?fieldManager=me", "application/json", `"kind":"Widget"`}},
		{"update", func() (*Widget, error) { return client.Update(ctx, w, metav1.UpdateOptions{}) },
			seen{"PUT", path + "/w", "application/json", `"apiVersion":"example.com/v1"`}},
		{"status", func() (*Widget, error) { return client.UpdateStatus(ctx, w, metav1.UpdateOptions{}) },
			seen{"PUT", path + "/w/status", "application/json", `"spec":{"size":3}`}},
		{"get", func() (*Widget, error) { return client.Get(ctx, "w", metav1.GetOptions{ResourceVersion: "1"}) },
			seen{"GET", path + "/w?resourceVersion=1", "", ""}},
		{"patch", func() (*Widget, error) {
			return client.Patch(ctx, "w", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}, "scale")
		}, seen{"PATCH", path + "/w/scale", "application/merge-patch+json", "{}"}},
		{"apply", func() (*Widget, error) {
			return client.Apply(ctx, w, metav1.ApplyOptions{FieldManager: "me", Force: true})
		}, seen{"PATCH", path + "/w?fieldManager=me&force=true", "application/apply-patch+yaml", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":3}}`}},
	}
	for _, tt := range tests {
		got, err := tt.call()
		if err != nil || got.ResourceVersion != "5" || got.Spec.Size != 9007199254740993 {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
		if r.last.method != tt.want.method || r.last.uri != tt.want.uri || r.last.contentType != tt.want.contentType || !strings.Contains(r.last.body, tt.want.body) {
			t.Errorf("%s: the server got %+v", tt.name, r.last)
		}
	}
	r.answer = `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	if err := client.Delete(ctx, "w", metav1.DeleteOptions{}); err != nil || r.last.method != "DELETE" || !strings.Contains(r.last.body, "DeleteOptions") {
		t.Errorf("delete: %v, %+v", err, r.last)
	}
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"}); err != nil || r.last.uri != path+"?labelSelector=a%3Db" {
		t.Errorf("delete all: %v, %+v", err, r.last)
	}
}

func TestCustomListAndWatch(t *testing.T) {
	ctx := context.Background()
	r := &recorder{answer: `{"kind":"WidgetList","metadata":{"resourceVersion":"9"},"items":[` + oneWidget + `,` + oneWidget + `]}`}
	client := widgets(t, r)
	list, err := client.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil || len(list.Items) != 2 || list.ResourceVersion != "9" || r.last.uri != "/apis/example.com/v1/widgets?limit=2" {
		t.Fatalf("%+v, %v, %+v", list, err, r.last)
	}
	r.answer = `{"type":"ADDED","object":` + oneWidget + `}{"type":"DELETED","object":` + oneWidget + `}`
	var got []watch.EventType
	for event, err := range client.Watch(ctx, metav1.ListOptions{}) {
		if err != nil || event.Object.Name != "w" {
			t.Fatalf("%+v, %v", event, err)
		}
		got = append(got, event.Type)
	}
	if fmt.Sprint(got) != "[ADDED DELETED]" || !strings.Contains(r.last.uri, "watch=true") {
		t.Errorf("%v, %+v", got, r.last)
	}
	r.answer = `{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}}`
	for _, err = range client.Watch(ctx, metav1.ListOptions{}) {
	}
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("%v", err)
	}
	r.status = 403
	for _, err = range client.Watch(ctx, metav1.ListOptions{}) {
	}
	if !apierrors.IsForbidden(err) {
		t.Errorf("%v", err)
	}
}

func TestCustomErrors(t *testing.T) {
	ctx := context.Background()
	r := &recorder{answer: "<html>"}
	client := widgets(t, r)
	if _, err := client.Get(ctx, "w", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "widgets/w") {
		t.Errorf("HTML: %v", err)
	}
	if _, err := client.Create(ctx, nil, metav1.CreateOptions{}); err == nil {
		t.Error("nil was created")
	}
	if _, err := client.Apply(ctx, nil, metav1.ApplyOptions{}); err == nil {
		t.Error("nil was applied")
	}
	if _, err := client.Apply(ctx, &Widget{}, metav1.ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "metadata.name") {
		t.Errorf("no name: %v", err)
	}
	if _, err := client.Update(ctx, &Widget{}, metav1.UpdateOptions{}); err == nil {
		t.Error("an object without a name was updated")
	}
	r.status, r.answer = 404, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
	if _, err := client.Get(ctx, "w", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("404: %v", err)
	}
	if _, err := gentype.NewForConfig[struct{}](&rest.Config{}, widgetResource); err == nil || !strings.Contains(err.Error(), "metadata") {
		t.Errorf("no metadata: %v", err)
	}
	if _, err := gentype.NewForConfig[Widget](&rest.Config{}, gentype.Resource{Group: "a", Version: "b", Kind: "c"}); err == nil || !strings.Contains(err.Error(), "Plural") {
		t.Errorf("no plural: %v", err)
	}
	if _, err := gentype.Into[Widget](ctx, client.ListRequest(metav1.ListOptions{})); err == nil || !strings.Contains(err.Error(), "DeepCopyObject") {
		t.Errorf("not an API type: %v", err)
	}
}

func TestApplyLeavesOutWhatIsNotMeant(t *testing.T) {
	replicas := int32(0)
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d", UID: "u", ResourceVersion: "3", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "x"}}},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}},
		}},
		Status: appsv1.DeploymentStatus{Replicas: 3},
	}
	cfg, err := gentype.Apply(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(cfg)
	const want = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":0,"template":{"spec":{"containers":[{"name":"c"}]}}}}`
	if err != nil || string(data) != want || *cfg.GetName() != "d" {
		t.Errorf("%s, %v", data, err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "u"}, "data": map[string]any{}}}
	cfg, err = gentype.Apply(u, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := json.Marshal(cfg); !strings.Contains(string(data), `"data":{}`) || u.Object["kind"] != nil {
		t.Errorf("%s", data)
	}
	if _, err := gentype.Apply((*corev1.Pod)(nil), corev1.SchemeGroupVersion.WithKind("Pod")); err == nil {
		t.Error("nil")
	}
}

// A typed list is decoded as it comes, whatever its form; one that breaks off is an error.
func TestListForms(t *testing.T) {
	ctx := context.Background()
	const items = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`
	for name, tt := range map[string]struct {
		contentType, body string
		n                 int
		fails             bool
	}{
		"JSON":            {"application/json", items, 2, false},
		"JSON, empty":     {"application/json", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}`, 0, false},
		"JSON, cut":       {"application/json", items[:len(items)-1], 0, true},
		"JSON, wrong":     {"application/json", strings.Replace(items, `"b"`, `7`, 1), 0, true},
		"YAML":            {"application/yaml", "kind: PodList\napiVersion: v1\nmetadata:\n  resourceVersion: \"9\"\nitems:\n- metadata:\n    name: a\n", 1, false},
		"a page of HTML":  {"text/html", "<html>", 0, true},
		"another kind":    {"application/json", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`, 0, true},
		"many, in blocks": {"application/json", `{"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}}` + strings.Repeat(`,{"metadata":{"name":"x"}}`, 4999) + `]}`, 5000, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.contentType)
			fmt.Fprint(w, tt.body)
		}))
		group := gentype.NewGroup(corev1.SchemeGroupVersion, corev1.AddToScheme)
		client, err := gentype.ForConfig(&rest.Config{Host: server.URL, QPS: -1}, group, func(c rest.Interface) *gentype.ResourceClient[corev1.Pod, corev1.PodList] {
			return gentype.New[corev1.Pod, corev1.PodList](c, "pods", "")
		})
		if err != nil {
			t.Fatal(err)
		}
		list, err := client.List(ctx, metav1.ListOptions{})
		client.GetClient().(*rest.RESTClient).Client.CloseIdleConnections()
		server.Close()
		if tt.fails {
			if err == nil {
				t.Errorf("%s: %d items", name, len(list.Items))
			}
			continue
		}
		if err != nil || len(list.Items) != tt.n || (list.Items == nil) != (tt.n == 0) || list.ResourceVersion != "9" || tt.n > 0 && list.Items[0].Name != "a" {
			t.Errorf("%s: %d items, version %q, %v", name, len(list.Items), list.ResourceVersion, err)
		}
	}
}
