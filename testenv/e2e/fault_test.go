package e2e

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/conformance"
	"vedette.dev/dynamic"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/testenv"
)

// A real server is made to fail as apitest does by faults. What clients see of it is written once, in package
// conformance; see TestFaultsAsOnTheRealServer in apitest.
func TestFaults(t *testing.T) {
	client := newClientset(t)
	ns := newNamespace(t, client)
	t.Run("401", func(t *testing.T) {
		config := adminConfig(t)
		config.BearerToken = "expired"
		conformance.SeeUnauthorized(t, config, ns)
	})
	t.Run("403", func(t *testing.T) {
		conformance.SeeForbidden(t, shared.Env(t).PlainRESTConfig(), ns)
	})
	t.Run("404", func(t *testing.T) {
		conformance.SeeMissingKind(t, adminConfig(t), ns, schema.GroupVersionResource{Group: "faults.example.com", Version: "v1", Resource: "gadgets"})
	})
	t.Run("409", func(t *testing.T) {
		maps := client.CoreV1().ConfigMaps(ns)
		first, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "contested"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		theirs := first.DeepCopy()
		theirs.Data = map[string]string{"k": "theirs"}
		if _, err := maps.Update(t.Context(), theirs, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		conformance.SeeConflict(t, adminConfig(t), ns, "contested", first.ResourceVersion)
		conformance.SeeAlreadyExists(t, adminConfig(t), ns, "contested")
	})
	t.Run("429", func(t *testing.T) {
		conformance.SeeTooManyRequests(t, rejected(t, client), ns)
	})
	t.Run("conversion-failed", func(t *testing.T) {
		conformance.SeeConversionFailed(t, adminConfig(t), ns, brokenKind(t, ns))
	})
}

// rejected is a configuration for a user who may do everything, if only there were a seat: priority and fairness has one for
// that user, which is taken, and no queue.
func rejected(t *testing.T, client kubernetes.Interface) *rest.Config {
	t.Helper()
	const user = "rejected"
	ctx, none := t.Context(), int32(0)
	_, err := client.FlowcontrolV1().PriorityLevelConfigurations().Create(ctx, &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &none,
				BorrowingLimitPercent:    &none,
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.FlowcontrolV1().FlowSchemas().Create(ctx, &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: user},
			MatchingPrecedence:         2, // as early as may be
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: user}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"}, ClusterScope: true,
				}},
			}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Subjects:   []rbacv1.Subject{{Kind: "User", Name: user, APIGroup: "rbac.authorization.k8s.io"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := adminConfig(t)
	config.Impersonate.UserName = user
	closing(t, config)
	takeSeat(t, config)
	waitUntilRejected(t, config)
	return config
}

// takeSeat makes a request that is under way until the test is over: the server waits for the rest of the body.
func takeSeat(t *testing.T, config *rest.Config) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var holding sync.WaitGroup
	t.Cleanup(func() { cancel(); holding.Wait() })
	holding.Go(func() {
		for ctx.Err() == nil { // it may be rejected itself
			body, more := io.Pipe()
			stop := context.AfterFunc(ctx, func() { more.CloseWithError(ctx.Err()) })
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, config.Host+"/api/v1/namespaces/default/configmaps", body)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			if resp, err := client.Do(req); err == nil {
				_ = resp.Body.Close()
			}
			stop()
			_ = more.Close()
		}
	})
}

// waitUntilRejected waits until the server has taken note of the new rules, for which it has no signal.
func waitUntilRejected(t *testing.T, config *rest.Config) {
	t.Helper()
	ctx := within(t, 30*time.Second)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var code int
		result := client.CoreV1().RESTClient().Get().Resource("configmaps").Namespace("default").MaxRetries(0).Do(ctx).StatusCode(&code)
		if code == 429 {
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the last answer was %d, %v", code, result.Error())
		}
	}
}

// brokenKind is a custom kind, in a version that takes a conversion by a webhook that does not answer. There is one object, a.
func brokenKind(t *testing.T, ns string) schema.GroupVersionResource {
	t.Helper()
	ctx := within(t, 30*time.Second)
	client, err := dynamic.NewForConfig(closing(t, adminConfig(t)))
	if err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	if err := crd.UnmarshalJSON([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"gadgets.broken.example.com"},
		"spec":{"group":"broken.example.com","scope":"Namespaced","names":{"kind":"Gadget","plural":"gadgets"},
			"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
				"clientConfig":{"url":"https://127.0.0.1:1/convert"}}},
			"versions":[
				{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
				{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)); err != nil {
		t.Fatal(err)
	}
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := crds.Create(ctx, crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stored := schema.GroupVersionResource{Group: "broken.example.com", Version: "v1", Resource: "gadgets"}
	gadget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "broken.example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": "a"},
	}}
	for { // it is served a little later
		_, err := client.Resource(stored).Namespace(ns).Create(ctx, gadget, metav1.CreateOptions{})
		if err == nil {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
	stored.Version = "v2"
	return stored
}

// These disturb others, and have a server of their own.
func TestFaultsOfTheWholeServer(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{"WatchList": false}})
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	ns := newNamespace(t, client)
	made, err := client.CoreV1().ConfigMaps(ns).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("no-initial-events", func(t *testing.T) { conformance.SeeNoInitialEvents(t, env.RESTConfig(), ns) })
	t.Run("cut", func(t *testing.T) {
		conformance.SeeCut(t, env.RESTConfig(), ns, env.KillAPIServer)
		conformance.SeeRefused(t, env.RESTConfig(), ns)
	})
	t.Run("410", func(t *testing.T) {
		if err := env.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().ConfigMaps(ns).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := env.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := env.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		conformance.SeeExpired(t, env.RESTConfig(), ns, made.ResourceVersion)
	})
}
