package e2e

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/gentype"
	"vedette.dev/retry"
)

func TestClientset(t *testing.T) {
	ctx := t.Context()
	client := newClientset(t)
	ns := newNamespace(t, client)
	pods := client.CoreV1().Pods(ns)

	pod, err := pods.Create(ctx, newPod("a", map[string]string{"app": "web"}), metav1.CreateOptions{FieldManager: "e2e"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pods.Create(ctx, newPod("a", nil), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("created twice: %v", err)
	}
	old := pod.DeepCopy()
	pod.Labels["more"] = "yes"
	if pod, err = pods.Update(ctx, pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := pods.Update(ctx, old, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("updated an old version: %v", err)
	}
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := pods.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		fresh.Labels["retried"] = "yes"
		_, err = pods.Update(ctx, fresh, metav1.UpdateOptions{})
		return err
	}); err != nil {
		t.Error(err)
	}
	pod.Status.Phase, pod.ResourceVersion = corev1.PodRunning, ""
	if pod, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil || pod.Status.Phase != corev1.PodRunning {
		t.Errorf("%+v, %v", pod.Status, err)
	}
	if pod, err = pods.Patch(ctx, "a", types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"patched":"yes"}}}`), metav1.PatchOptions{}); err != nil || pod.Labels["patched"] != "yes" {
		t.Errorf("%v, %v", pod.Labels, err)
	}
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web", FieldSelector: "status.phase=Running"})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("%d pods, %v", len(list.Items), err)
	}
	if err := pods.Delete(ctx, "a", *metav1.NewDeleteOptions(0)); err != nil {
		t.Error(err)
	}
	createPods(t, client, ns, 3)
	if err := pods.DeleteCollection(ctx, *metav1.NewDeleteOptions(0), metav1.ListOptions{LabelSelector: "odd=0"}); err != nil {
		t.Error(err)
	}
	if list, err := pods.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("%d pods left, %v", len(list.Items), err)
	}
}

func TestClientsetWatch(t *testing.T) {
	ctx := within(t, time.Minute)
	client := newClientset(t)
	ns := newNamespace(t, client)
	w, err := client.CoreV1().ConfigMaps(ns).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if _, err := client.CoreV1().ConfigMaps(ns).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{"a": "b"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	event := <-w.ResultChan()
	if c, ok := event.Object.(*corev1.ConfigMap); !ok || event.Type != watch.Added || c.Data["a"] != "b" {
		t.Errorf("%+v", event)
	}
}

func newDeployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: newPod("x", nil).Spec},
		},
	}
}

// What is not create, read, update and delete.
func TestSubresourcesAndExtras(t *testing.T) {
	ctx := t.Context()
	client := newClientset(t)
	ns := newNamespace(t, client)

	deployments := client.AppsV1().Deployments(ns)
	if _, err := deployments.Create(ctx, newDeployment("d"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	scale, err := deployments.GetScale(ctx, "d", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 5
	if scale, err = deployments.UpdateScale(ctx, "d", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 5 {
		t.Errorf("scale %+v, %v", scale, err)
	}

	if _, err := client.CoreV1().ServiceAccounts(ns).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "sa"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(ns).CreateToken(ctx, "sa", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil || token.Status.Token == "" {
		t.Errorf("token: %v", err)
	}

	createPods(t, client, ns, 2)
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "pod-000"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node"}}
	if err := client.CoreV1().Pods(ns).Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if pod, err := client.CoreV1().Pods(ns).Get(ctx, "pod-000", metav1.GetOptions{}); err != nil || pod.Spec.NodeName != "node" {
		t.Errorf("bound to %q, %v", pod.Spec.NodeName, err)
	}
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "pod-001", Namespace: ns}}
	if err := client.CoreV1().Pods(ns).EvictV1(ctx, eviction); err != nil {
		t.Error(err)
	}
	if _, err := client.CoreV1().Pods(ns).GetLogs("pod-000", &corev1.PodLogOptions{}).DoRaw(ctx); err == nil {
		t.Error("a pod on a node that does not exist has logs")
	}

	namespace, err := client.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if namespace, err = client.CoreV1().Namespaces().Finalize(ctx, namespace, metav1.UpdateOptions{}); err != nil || namespace.Name != ns {
		t.Errorf("finalize: %v", err)
	}
	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: ns}, InvolvedObject: corev1.ObjectReference{Namespace: ns, Name: "x", Kind: "Pod"}, Reason: "Because"}
	if _, err := client.CoreV1().Events("").CreateWithEventNamespaceWithContext(ctx, event); err != nil {
		t.Error(err)
	}
}

// Server-side apply, with a configuration that is made of an object; two managers that want the same field collide.
func TestApply(t *testing.T) {
	ctx := t.Context()
	client := newClientset(t)
	ns := newNamespace(t, client)
	d := newDeployment("applied")
	replicas := int32(2)
	d.Spec.Replicas = &replicas
	cfg, err := gentype.Apply(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.AppsV1().Deployments(ns).Apply(ctx, cfg, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil || *got.Spec.Replicas != 2 {
		t.Fatalf("%v", err)
	}
	replicas = 3
	if cfg, err = gentype.Apply(d, appsv1.SchemeGroupVersion.WithKind("Deployment")); err != nil {
		t.Fatal(err)
	}
	_, err = client.AppsV1().Deployments(ns).Apply(ctx, cfg, metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(err) {
		t.Errorf("the second manager: %v", err)
	}
	if got, err = client.AppsV1().Deployments(ns).Apply(ctx, cfg, metav1.ApplyOptions{FieldManager: "two", Force: true}); err != nil || *got.Spec.Replicas != 3 {
		t.Errorf("by force: %v", err)
	}
}

// A cut connection ends a watch; the next request finds the server again.
func TestServerGoesAway(t *testing.T) {
	env := shared.Env(t)
	ctx := within(t, 2*time.Minute)
	client := newClientset(t)
	w, err := client.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	<-w.ResultChan() // the watch is on
	env.KillAPIServer()
	for range w.ResultChan() {
	}
	if _, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{}); err == nil {
		t.Error("a dead server answers")
	}
	if err := env.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil || !slices.ContainsFunc(list.Items, func(n corev1.Namespace) bool { return n.Name == "default" }) {
		t.Errorf("%v", err)
	}
}
