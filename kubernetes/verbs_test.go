package kubernetes_test

import (
	"context"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/gentype"
	"vedette.dev/kubernetes"
)

// exchange is a call, what the server must see of it, and what it answers.
type exchange struct {
	name string
	call func(context.Context, *kubernetes.Clientset) (any, error)

	method, path, query string
	contentType         string // protobuf if empty and there is a body
	json                bool   // the answer is not asked for as protobuf
	kind                schema.GroupVersionKind
	raw                 string // the body, where it is not an object

	// reply is what the server answers, and what the call must return. A nil stands for a Status.
	reply runtime.Object
}

func (e exchange) run(t *testing.T) {
	s := newServer(t)
	if e.reply != nil {
		s.reply = func(seen) runtime.Object { return e.reply }
	}
	result, err := e.call(t.Context(), s.clientset(t))
	if err != nil {
		t.Fatal(err)
	}
	if e.reply != nil && !reflect.DeepEqual(stripKind(result.(runtime.Object)), stripKind(e.reply)) {
		t.Errorf("the call returned %+v, want %+v", result, e.reply)
	}
	got, want := s.last(t), e.want()
	got.body = nil
	if e.raw == "" {
		got.raw = ""
	}
	if got != want {
		t.Errorf("the server saw\n%+v, want\n%+v", got, want)
	}
}

func (e exchange) want() seen {
	want := seen{
		method: e.method, path: e.path, query: e.query,
		contentType: e.contentType, accept: "application/vnd.kubernetes.protobuf,application/json",
		kind: e.kind, raw: e.raw,
	}
	if e.json {
		want.accept = "application/json, */*"
	}
	if !e.kind.Empty() && e.contentType == "" {
		want.contentType = runtime.ContentTypeProtobuf
	}
	return want
}

// stripKind copies an object without its kind, which decoding may or may not leave there.
func stripKind(obj runtime.Object) runtime.Object {
	obj = obj.DeepCopyObject()
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name}
}

func kindOf(gv schema.GroupVersion, kind string) schema.GroupVersionKind { return gv.WithKind(kind) }

func run(t *testing.T, exchanges []exchange) {
	for _, e := range exchanges {
		t.Run(e.name, e.run)
	}
}

func TestVerbs(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: named("a"), Spec: corev1.PodSpec{NodeName: "n"}}
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.Pod{*pod}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	manager := metav1.ApplyOptions{FieldManager: "me", Force: true}
	deleteOptions := kindOf(corev1.SchemeGroupVersion, "DeleteOptions")
	podKind := kindOf(corev1.SchemeGroupVersion, "Pod")
	timeout := int64(3)
	run(t, []exchange{
		{name: "create", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").Create(ctx, pod, metav1.CreateOptions{DryRun: []string{"All"}})
		}, method: "POST", path: "/api/v1/namespaces/ns/pods", query: "dryRun=All", kind: podKind},
		{name: "update", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").Update(ctx, pod, metav1.UpdateOptions{FieldManager: "me"})
		}, method: "PUT", path: "/api/v1/namespaces/ns/pods/a", query: "fieldManager=me", kind: podKind},
		{name: "update status", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		}, method: "PUT", path: "/api/v1/namespaces/ns/pods/a/status", kind: podKind},
		{name: "delete", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.CoreV1().Pods("ns").Delete(ctx, "a", *metav1.NewDeleteOptions(5))
		}, method: "DELETE", path: "/api/v1/namespaces/ns/pods/a", kind: deleteOptions},
		{name: "delete a collection", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.CoreV1().Pods("ns").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"})
		}, method: "DELETE", path: "/api/v1/namespaces/ns/pods", query: "labelSelector=a%3Db", kind: deleteOptions},
		{name: "get", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").Get(ctx, "a", metav1.GetOptions{ResourceVersion: "0"})
		}, method: "GET", path: "/api/v1/namespaces/ns/pods/a", query: "resourceVersion=0"},
		{name: "list", reply: list, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").List(ctx, metav1.ListOptions{Limit: 9})
		}, method: "GET", path: "/api/v1/namespaces/ns/pods", query: "limit=9"},
		{name: "list all namespaces", reply: list, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("").List(ctx, metav1.ListOptions{TimeoutSeconds: &timeout})
		}, method: "GET", path: "/api/v1/pods", query: "timeout=3s&timeoutSeconds=3"},
		{name: "patch", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").Patch(ctx, "a", types.MergePatchType, []byte(`{"a":1}`), metav1.PatchOptions{}, "status")
		}, method: "PATCH", path: "/api/v1/namespaces/ns/pods/a/status", contentType: "application/merge-patch+json", raw: `{"a":1}`},
		{name: "apply", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").Apply(ctx, applied{"a"}, manager)
		}, method: "PATCH", path: "/api/v1/namespaces/ns/pods/a", query: "fieldManager=me&force=true",
			contentType: "application/apply-patch+yaml", raw: `{"name":"a"}`},
		{name: "apply status", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").ApplyStatus(ctx, applied{"a"}, manager)
		}, method: "PATCH", path: "/api/v1/namespaces/ns/pods/a/status", query: "fieldManager=me&force=true",
			contentType: "application/apply-patch+yaml", raw: `{"name":"a"}`},
		{name: "no namespace", reply: node, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		}, method: "PUT", path: "/api/v1/nodes/n", kind: kindOf(corev1.SchemeGroupVersion, "Node")},
		{name: "delete in a group", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.AppsV1().Deployments("ns").Delete(ctx, "d", metav1.DeleteOptions{})
		}, method: "DELETE", path: "/apis/apps/v1/namespaces/ns/deployments/d", kind: kindOf(appsv1.SchemeGroupVersion, "DeleteOptions")},
	})
}

// applied is the least that can be applied.
type applied struct {
	Name string `json:"name"`
}

func (a applied) GetName() *string { return &a.Name }

var _ gentype.ApplyConfiguration = applied{}

func TestSubresources(t *testing.T) {
	scale := &autoscalingv1.Scale{ObjectMeta: named("d"), Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
	scaleKind := kindOf(autoscalingv1.SchemeGroupVersion, "Scale")
	token := &authenticationv1.TokenRequest{ObjectMeta: named("s"), Status: authenticationv1.TokenRequestStatus{Token: "t"}}
	pod := &corev1.Pod{ObjectMeta: named("a")}
	csr := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "c"}}
	review := &authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}}
	run(t, []exchange{
		{name: "get scale", reply: scale, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.AppsV1().Deployments("ns").GetScale(ctx, "d", metav1.GetOptions{})
		}, method: "GET", path: "/apis/apps/v1/namespaces/ns/deployments/d/scale"},
		{name: "update scale", reply: scale, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.AppsV1().StatefulSets("ns").UpdateScale(ctx, "d", scale, metav1.UpdateOptions{})
		}, method: "PUT", path: "/apis/apps/v1/namespaces/ns/statefulsets/d/scale", kind: scaleKind},
		{name: "update scale in core", reply: scale, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().ReplicationControllers("ns").UpdateScale(ctx, "d", scale, metav1.UpdateOptions{})
		}, method: "PUT", path: "/api/v1/namespaces/ns/replicationcontrollers/d/scale", kind: scaleKind},
		{name: "apply scale", reply: scale, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.AppsV1().ReplicaSets("ns").ApplyScale(ctx, "d", applied{"d"}, metav1.ApplyOptions{FieldManager: "me"})
		}, method: "PATCH", path: "/apis/apps/v1/namespaces/ns/replicasets/d/scale", query: "fieldManager=me&force=false",
			contentType: "application/apply-patch+yaml", raw: `{"name":"d"}`},
		{name: "create token", reply: token, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().ServiceAccounts("ns").CreateToken(ctx, "s", token, metav1.CreateOptions{})
		}, method: "POST", path: "/api/v1/namespaces/ns/serviceaccounts/s/token", kind: kindOf(authenticationv1.SchemeGroupVersion, "TokenRequest")},
		{name: "ephemeral containers", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").UpdateEphemeralContainers(ctx, "a", pod, metav1.UpdateOptions{})
		}, method: "PUT", path: "/api/v1/namespaces/ns/pods/a/ephemeralcontainers", kind: kindOf(corev1.SchemeGroupVersion, "Pod")},
		{name: "resize", reply: pod, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").UpdateResize(ctx, "a", pod, metav1.UpdateOptions{})
		}, method: "PUT", path: "/api/v1/namespaces/ns/pods/a/resize", kind: kindOf(corev1.SchemeGroupVersion, "Pod")},
		{name: "approval", reply: csr, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CertificatesV1().CertificateSigningRequests().UpdateApproval(ctx, "c", csr, metav1.UpdateOptions{})
		}, method: "PUT", path: "/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval",
			kind: kindOf(certificatesv1.SchemeGroupVersion, "CertificateSigningRequest")},
		{name: "only create", reply: review, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.AuthorizationV1().LocalSubjectAccessReviews("ns").Create(ctx, review, metav1.CreateOptions{})
		}, method: "POST", path: "/apis/authorization.k8s.io/v1/namespaces/ns/localsubjectaccessreviews",
			kind: kindOf(authorizationv1.SchemeGroupVersion, "LocalSubjectAccessReview")},
	})
}
