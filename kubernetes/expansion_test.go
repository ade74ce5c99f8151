package kubernetes_test

import (
	"context"
	"strings"
	"testing"

	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
)

func TestExpansions(t *testing.T) {
	binding := &corev1.Binding{ObjectMeta: named("a"), Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
	eviction := &policyv1.Eviction{ObjectMeta: named("a")}
	oldEviction := &policyv1beta1.Eviction{ObjectMeta: named("a")}
	v1Eviction, v1beta1Eviction := kindOf(policyv1.SchemeGroupVersion, "Eviction"), kindOf(policyv1beta1.SchemeGroupVersion, "Eviction")
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	csr := &certificatesv1beta1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "c"}}
	tail := int64(9)
	run(t, []exchange{
		{name: "bind", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.CoreV1().Pods("ns").Bind(ctx, binding, metav1.CreateOptions{FieldManager: "me"})
		}, method: "POST", path: "/api/v1/namespaces/ns/pods/a/binding", query: "fieldManager=me",
			kind: kindOf(corev1.SchemeGroupVersion, "Binding")},
		{name: "evict", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.CoreV1().Pods("ns").EvictV1(ctx, eviction)
		}, method: "POST", path: "/api/v1/namespaces/ns/pods/a/eviction", kind: v1Eviction},
		{name: "evict v1beta1", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.CoreV1().Pods("ns").EvictV1beta1(ctx, oldEviction)
		}, method: "POST", path: "/api/v1/namespaces/ns/pods/a/eviction", kind: v1beta1Eviction},
		{name: "evict the old way", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			//lint:ignore SA1019 It is here to be tested.
			return nil, c.CoreV1().Pods("ns").Evict(ctx, oldEviction)
		}, method: "POST", path: "/api/v1/namespaces/ns/pods/a/eviction", kind: v1beta1Eviction},
		{name: "evict by policy", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.PolicyV1().Evictions("").Evict(ctx, eviction)
		}, method: "POST", path: "/api/v1/namespaces/ns/pods/a/eviction", kind: v1Eviction},
		{name: "evict by policy v1beta1", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.PolicyV1beta1().Evictions("").Evict(ctx, oldEviction)
		}, method: "POST", path: "/api/v1/namespaces/ns/pods/a/eviction", kind: v1beta1Eviction},
		{name: "logs", json: true, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").GetLogs("a", &corev1.PodLogOptions{Container: "c", TailLines: &tail}).DoRaw(ctx)
		}, method: "GET", path: "/api/v1/namespaces/ns/pods/a/log", query: "container=c&tailLines=9"},
		{name: "proxy to a pod", json: true, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Pods("ns").ProxyGet("https", "a", "8443", "/healthz", map[string]string{"k": "v"}).DoRaw(ctx)
		}, method: "GET", path: "/api/v1/namespaces/ns/pods/https:a:8443/proxy/healthz", query: "k=v"},
		{name: "proxy to a service", json: true, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Services("ns").ProxyGet("", "s", "", "metrics", nil).DoRaw(ctx)
		}, method: "GET", path: "/api/v1/namespaces/ns/services/s/proxy/metrics"},
		{name: "finalize", reply: namespace, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Namespaces().Finalize(ctx, namespace, metav1.UpdateOptions{})
		}, method: "PUT", path: "/api/v1/namespaces/ns/finalize", kind: kindOf(corev1.SchemeGroupVersion, "Namespace")},
		{name: "patch a node's status", reply: node, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Nodes().PatchStatus(ctx, "n", []byte("{}"))
		}, method: "PATCH", path: "/api/v1/nodes/n/status", contentType: "application/strategic-merge-patch+json", raw: "{}"},
		{name: "approval v1beta1", reply: csr, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CertificatesV1beta1().CertificateSigningRequests().UpdateApproval(ctx, csr, metav1.UpdateOptions{})
		}, method: "PUT", path: "/apis/certificates.k8s.io/v1beta1/certificatesigningrequests/c/approval",
			kind: kindOf(certificatesv1beta1.SchemeGroupVersion, "CertificateSigningRequest")},
		{name: "rollback", call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return nil, c.ExtensionsV1beta1().Deployments("ns").Rollback(ctx, &extensionsv1beta1.DeploymentRollback{Name: "d"}, metav1.CreateOptions{})
		}, method: "POST", path: "/apis/extensions/v1beta1/namespaces/ns/deployments/d/rollback",
			kind: kindOf(extensionsv1beta1.SchemeGroupVersion, "DeploymentRollback")},
	})
}

func TestEvents(t *testing.T) {
	event := &corev1.Event{ObjectMeta: named("e"), Reason: "Because"}
	kind := kindOf(corev1.SchemeGroupVersion, "Event")
	old := &eventsv1beta1.Event{ObjectMeta: named("e")}
	oldKind := kindOf(eventsv1beta1.SchemeGroupVersion, "Event")
	list := &corev1.EventList{Items: []corev1.Event{*event}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "u"}}
	const patch = "application/strategic-merge-patch+json"
	// The sink calls the methods without a context, and those call the ones with one.
	sink := func(c *kubernetes.Clientset) *typedcorev1.EventSinkImpl {
		return &typedcorev1.EventSinkImpl{Interface: c.CoreV1().Events("")}
	}
	run(t, []exchange{
		{name: "create", reply: event, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) { return sink(c).Create(event) },
			method: "POST", path: "/api/v1/namespaces/ns/events", kind: kind},
		{name: "update", reply: event, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) { return sink(c).Update(event) },
			method: "PUT", path: "/api/v1/namespaces/ns/events/e", kind: kind},
		{name: "patch", reply: event, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) {
			return sink(c).Patch(event, []byte("{}"))
		}, method: "PATCH", path: "/api/v1/namespaces/ns/events/e", contentType: patch, raw: "{}"},
		{name: "search", reply: list, call: func(ctx context.Context, c *kubernetes.Clientset) (any, error) {
			return c.CoreV1().Events("ns").SearchWithContext(ctx, scheme.Scheme, pod)
		}, method: "GET", path: "/api/v1/namespaces/ns/events",
			query: "fieldSelector=involvedObject.kind%3DPod%2CinvolvedObject.name%3Da%2CinvolvedObject.namespace%3Dns%2CinvolvedObject.uid%3Du"},
		{name: "search by reference", reply: list, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) {
			//lint:ignore SA1019 It is here to be tested.
			return c.CoreV1().Events("").Search(nil, &corev1.ObjectReference{Namespace: "ns", Name: "a"})
		}, method: "GET", path: "/api/v1/events", query: "fieldSelector=involvedObject.name%3Da%2CinvolvedObject.namespace%3Dns"},
		{name: "create v1beta1", reply: old, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) {
			return c.EventsV1beta1().Events("").CreateWithEventNamespace(old)
		}, method: "POST", path: "/apis/events.k8s.io/v1beta1/namespaces/ns/events", kind: oldKind},
		{name: "update v1beta1", reply: old, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) {
			return c.EventsV1beta1().Events("ns").UpdateWithEventNamespace(old)
		}, method: "PUT", path: "/apis/events.k8s.io/v1beta1/namespaces/ns/events/e", kind: oldKind},
		{name: "patch v1beta1", reply: old, call: func(_ context.Context, c *kubernetes.Clientset) (any, error) {
			return c.EventsV1beta1().Events("ns").PatchWithEventNamespace(old, []byte("{}"))
		}, method: "PATCH", path: "/apis/events.k8s.io/v1beta1/namespaces/ns/events/e", contentType: patch, raw: "{}"},
	})
}

func TestMisuseIsToldBeforeAnythingIsSent(t *testing.T) {
	s := newServer(t)
	c := s.clientset(t)
	event := &corev1.Event{ObjectMeta: named("e")}
	old := &eventsv1beta1.Event{ObjectMeta: named("e")}
	elsewhere, elsewhereOld := c.CoreV1().Events("other"), c.EventsV1beta1().Events("other")
	for name, call := range map[string]func() error{
		"cannot create an event": func() error { _, err := elsewhere.CreateWithEventNamespaceWithContext(t.Context(), event); return err },
		"cannot update an event": func() error { _, err := elsewhere.UpdateWithEventNamespaceWithContext(t.Context(), event); return err },
		"cannot patch an event": func() error {
			_, err := elsewhere.PatchWithEventNamespaceWithContext(t.Context(), event, nil)
			return err
		},
		"cannot create an event ": func() error { _, err := elsewhereOld.CreateWithEventNamespace(old); return err },
		"cannot update an event ": func() error { _, err := elsewhereOld.UpdateWithEventNamespace(old); return err },
		"cannot patch an event ":  func() error { _, err := elsewhereOld.PatchWithEventNamespace(old, nil); return err },
		"cannot find events":      func() error { _, err := elsewhere.SearchWithContext(t.Context(), scheme.Scheme, event); return err },
		"does not say its kind":   func() error { _, err := elsewhere.SearchWithContext(t.Context(), nil, event); return err },
		"it is nil":               func() error { _, err := elsewhere.SearchWithContext(t.Context(), nil, nil); return err },
		"an empty namespace": func() error {
			return c.CoreV1().Pods("").EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: named("a")})
		},
		"the configuration is nil": func() error {
			_, err := c.AppsV1().Deployments("ns").ApplyScale(t.Context(), "d", nil, metav1.ApplyOptions{})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("got the error %v, want one with %q", err, name)
		}
	}
	if len(s.all) > 0 {
		t.Errorf("the server saw %+v", s.all)
	}
}
