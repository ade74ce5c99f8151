package conformance

import (
	"net/http"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func binding(name, node string) *corev1.Binding {
	return &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}
}

var subresources = []behaviour{
	{"the scale of a deployment shows its replicas and selector", func(e *env) {
		d := e.createDeployment(deployment("a"))
		s, err := e.deployments().GetScale(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if s.Name != "a" || s.UID != d.UID || s.ResourceVersion != d.ResourceVersion || s.Spec.Replicas != 2 || s.Status.Selector != "app=a" {
			e.Errorf("%+v", s)
		}
	}},
	{"a change of the scale changes the deployment", func(e *env) {
		e.createDeployment(deployment("a"))
		s, err := e.deployments().GetScale(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		s.Spec.Replicas = 5
		s, err = e.deployments().UpdateScale(e.ctx, "a", s, metav1.UpdateOptions{})
		e.must(err)
		d, err := e.deployments().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if s.Spec.Replicas != 5 || *d.Spec.Replicas != 5 || d.Generation != 2 || d.ResourceVersion != s.ResourceVersion {
			e.Errorf("%+v, %+v", s, d.ObjectMeta)
		}
	}},
	{"a scale can be patched", func(e *env) {
		e.createDeployment(deployment("a"))
		a := e.ask("PATCH", "/apis/apps/v1/namespaces/"+e.ns+"/deployments/a/scale", `{"spec":{"replicas":7}}`, "Content-Type", "application/merge-patch+json")
		e.must(a.err)
		if got := e.object(a); got["kind"] != "Scale" || got["apiVersion"] != "autoscaling/v1" || at(got, "spec", "replicas") != 7.0 {
			e.Errorf("%v", got)
		}
	}},
	{"a scale of an old version is refused with a conflict", func(e *env) {
		e.createDeployment(deployment("a"))
		s := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "1"}}
		_, err := e.deployments().UpdateScale(e.ctx, "a", s, metav1.UpdateOptions{})
		want := conflict("deployments", "a", modified)
		want.group = "apps"
		e.refused(err, want)
	}},
	{"a scale below zero is invalid", func(e *env) {
		e.createDeployment(deployment("a"))
		s := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: autoscalingv1.ScaleSpec{Replicas: -1}}
		_, err := e.deployments().UpdateScale(e.ctx, "a", s, metav1.UpdateOptions{})
		want := invalid("Scale", "a", cause{metav1.CauseTypeFieldValueInvalid, "spec.replicas"})
		want.group = "autoscaling"
		e.refused(err, want)
	}},
	{"the scale of what is not there is not found", func(e *env) {
		_, err := e.deployments().GetScale(e.ctx, "none", metav1.GetOptions{})
		want := notFound("deployments", "none")
		want.group, want.message = "apps", `deployments.apps "none" not found`
		e.refused(err, want)
	}},
	{"the status can be read alone", func(e *env) {
		d := e.createDeployment(deployment("a"))
		got := e.get("/apis/apps/v1/namespaces/" + e.ns + "/deployments/a/status")
		if got["kind"] != "Deployment" || at(got, "metadata", "uid") != string(d.UID) || got["spec"] == nil {
			e.Errorf("%v", got)
		}
	}},
	{"a binding puts a pod on a node, once", func(e *env) {
		e.createPod(pod("a"))
		e.must(e.pods().Bind(e.ctx, binding("a", "node-1"), metav1.CreateOptions{}))
		p, err := e.pods().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if p.Spec.NodeName != "node-1" || len(p.Status.Conditions) != 1 || p.Status.Conditions[0].Type != corev1.PodScheduled || p.Status.Conditions[0].Status != corev1.ConditionTrue {
			e.Errorf("%q, %+v", p.Spec.NodeName, p.Status.Conditions)
		}
		err = e.pods().Bind(e.ctx, binding("a", "node-2"), metav1.CreateOptions{})
		e.refused(err, conflict("pods/binding", "a", `pod a is already assigned to node "node-1"`))
		e.refused(e.pods().Bind(e.ctx, binding("none", "node-1"), metav1.CreateOptions{}), notFound("pods", "none"))
	}},
	{"an eviction deletes a pod", func(e *env) {
		e.createPod(pod("a"))
		e.must(e.pods().EvictV1(e.ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: e.ns}}))
		_, err := e.pods().Get(e.ctx, "a", metav1.GetOptions{})
		e.refused(err, notFound("pods", "a"))
		e.refused(e.pods().EvictV1(e.ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: e.ns}}), notFound("pods", "a"))
	}},
	{"a disruption budget holds an eviction off", func(e *env) {
		p := pod("a")
		p.Labels = map[string]string{"app": "a"}
		p = e.createPod(p)
		p.Status.Phase = corev1.PodRunning // a pending pod may always go
		_, err := e.pods().UpdateStatus(e.ctx, p, metav1.UpdateOptions{})
		e.must(err)
		_, err = e.kube.PolicyV1().PodDisruptionBudgets(e.ns).Create(e.ctx, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b"},
			Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: p.Labels}}}, metav1.CreateOptions{})
		e.must(err)
		a := e.ask("POST", "/api/v1/namespaces/"+e.ns+"/pods/a/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}}`)
		e.refused(a.err, refusal{code: http.StatusTooManyRequests, reason: metav1.StatusReasonTooManyRequests,
			message: "Cannot evict pod as it would violate the pod's disruption budget.", causes: []cause{{policyv1.DisruptionBudgetCause, ""}}})
	}},
	{"an ephemeral container can be added to a pod that runs", func(e *env) {
		p := e.createPod(pod("a"))
		p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "busybox"}}}
		p, err := e.pods().UpdateEphemeralContainers(e.ctx, "a", p, metav1.UpdateOptions{})
		e.must(err)
		if len(p.Spec.EphemeralContainers) != 1 || p.Spec.EphemeralContainers[0].Name != "debug" {
			e.Errorf("%+v", p.Spec.EphemeralContainers)
		}
	}},
	{"a service account has tokens", func(e *env) {
		accounts := e.kube.CoreV1().ServiceAccounts(e.namespace())
		_, err := accounts.Create(e.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		e.must(err)
		token, err := accounts.CreateToken(e.ctx, "a", &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: seconds(600)}}, metav1.CreateOptions{})
		e.must(err)
		if strings.Count(token.Status.Token, ".") != 2 || token.Status.ExpirationTimestamp.IsZero() || *token.Spec.ExpirationSeconds != 600 {
			e.Errorf("%+v", token)
		}
		_, err = accounts.CreateToken(e.ctx, "none", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		e.refused(err, notFound("serviceaccounts", "none"))
	}},
	{"one that is not served is not found", func(e *env) {
		e.create(configMap("a"))
		for _, name := range []string{"/status", "/scale", "/odd"} {
			a := e.ask("GET", e.configMapsPath()+"/a"+name, "")
			e.refused(a.err, refusal{code: http.StatusNotFound, reason: metav1.StatusReasonNotFound, message: "the server could not find the requested resource"})
		}
	}},
}
