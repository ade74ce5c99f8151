package gentype_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/gentype"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
	clienttesting "vedette.dev/testing"
)

// deploymentApply is what applyconfiguration-gen writes, as far as apply needs it.
type deploymentApply struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Spec       map[string]any `json:"spec,omitempty"`
	Status     map[string]any `json:"status,omitempty"`
	name       *string
}

func (d *deploymentApply) GetName() *string { return d.name }

func applyOf(name string) *deploymentApply {
	labels := map[string]any{"app": "a"}
	return &deploymentApply{APIVersion: "apps/v1", Kind: "Deployment", Metadata: map[string]any{"name": name}, name: &name,
		Spec: map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": map[string]any{"metadata": map[string]any{"labels": labels},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}}}}
}

// deployments is the interface that client-gen writes for a kind.
type deployments interface {
	Create(context.Context, *appsv1.Deployment, metav1.CreateOptions) (*appsv1.Deployment, error)
	Update(context.Context, *appsv1.Deployment, metav1.UpdateOptions) (*appsv1.Deployment, error)
	UpdateStatus(context.Context, *appsv1.Deployment, metav1.UpdateOptions) (*appsv1.Deployment, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	Get(context.Context, string, metav1.GetOptions) (*appsv1.Deployment, error)
	List(context.Context, metav1.ListOptions) (*appsv1.DeploymentList, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*appsv1.Deployment, error)
	Apply(context.Context, *deploymentApply, metav1.ApplyOptions) (*appsv1.Deployment, error)
	ApplyStatus(context.Context, *deploymentApply, metav1.ApplyOptions) (*appsv1.Deployment, error)
}

func newDeployment() *appsv1.Deployment         { return &appsv1.Deployment{} }
func newDeploymentList() *appsv1.DeploymentList { return &appsv1.DeploymentList{} }

var (
	deploymentResource = appsv1.SchemeGroupVersion.WithResource("deployments")
	deploymentKind     = appsv1.SchemeGroupVersion.WithKind("Deployment")
)

// realDeployments is the client that client-gen writes, of a server.
func realDeployments(t *testing.T, namespace string) deployments {
	server, err := apitest.Start(apitest.Config{CreateNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	config := server.RESTConfig()
	config.GroupVersion, config.APIPath = &appsv1.SchemeGroupVersion, "/apis"
	config.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Client.CloseIdleConnections)
	return gentype.NewClientWithListAndApply[*appsv1.Deployment, *appsv1.DeploymentList, *deploymentApply](
		"deployments", client, scheme.ParameterCodec, namespace, newDeployment, newDeploymentList, gentype.PrefersProtobuf[*appsv1.Deployment]())
}

// fakeDeployments is the client of a fake clientset that client-gen writes.
func fakeDeployments(t *testing.T, namespace string) (deployments, *clienttesting.Fake) {
	fake := &clienttesting.Fake{}
	tracker := clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())
	fake.AddReactor("*", "*", clienttesting.ObjectReaction(tracker))
	fake.AddWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := tracker.Watch(action.GetResource(), action.GetNamespace(), action.(clienttesting.WatchActionImpl).ListOptions)
		return true, w, err
	})
	return gentype.NewFakeClientWithListAndApply[*appsv1.Deployment, *appsv1.DeploymentList, *deploymentApply](
		fake, namespace, deploymentResource, deploymentKind, newDeployment, newDeploymentList,
		func(dst, src *appsv1.DeploymentList) { dst.ListMeta = src.ListMeta },
		func(list *appsv1.DeploymentList) []*appsv1.Deployment { return gentype.ToPointerSlice(list.Items) },
		func(list *appsv1.DeploymentList, items []*appsv1.Deployment) {
			list.Items = gentype.FromPointerSlice(items)
		}), fake
}

// TestClientGen: a client of client-gen and its fake do the same.
func TestClientGen(t *testing.T) {
	t.Run("real", func(t *testing.T) { useDeployments(t, realDeployments(t, "ns")) })
	t.Run("fake", func(t *testing.T) {
		client, fake := fakeDeployments(t, "ns")
		useDeployments(t, client)
		var verbs []string
		for _, a := range fake.Actions() {
			if a.GetNamespace() != "ns" || a.GetResource() != deploymentResource {
				t.Errorf("%#v", a)
			}
			verb := a.GetVerb()
			if a.GetSubresource() != "" {
				verb += "/" + a.GetSubresource()
			}
			verbs = append(verbs, verb)
		}
		want := []string{"list", "patch", "patch/status", "get", "update", "update/status", "patch", "create", "list", "watch", "delete"}
		if !slices.Equal(verbs, want) {
			t.Errorf("actions %q, want %q", verbs, want)
		}
	})
}

func useDeployments(t *testing.T, client deployments) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	check := func(what string, ok bool, got any, err error) {
		t.Helper()
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", what, got, err)
		}
	}
	list, err := client.List(ctx, metav1.ListOptions{})
	check("empty list", len(list.Items) == 0, list, err)
	d, err := client.Apply(ctx, applyOf("a"), metav1.ApplyOptions{FieldManager: "m", Force: true})
	check("apply", d.Name == "a" && d.Namespace == "ns", d, err)
	status := applyOf("a")
	status.Spec, status.Status = nil, map[string]any{"readyReplicas": 3}
	d, err = client.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "m", Force: true})
	check("apply status", d.Name == "a", d, err)
	d, err = client.Get(ctx, "a", metav1.GetOptions{})
	check("get", d.Name == "a", d, err)
	d.Labels = map[string]string{"color": "red"}
	d, err = client.Update(ctx, d, metav1.UpdateOptions{})
	check("update", d.Labels["color"] == "red", d, err)
	d.Status.Replicas = 5
	d, err = client.UpdateStatus(ctx, d, metav1.UpdateOptions{})
	check("update status", d.Status.Replicas == 5, d, err)
	d, err = client.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"annotations":{"x":"y"}}}`), metav1.PatchOptions{})
	check("patch", d.Annotations["x"] == "y", d, err)
	other := d.DeepCopy()
	other.ObjectMeta = metav1.ObjectMeta{Name: "b"}
	d, err = client.Create(ctx, other, metav1.CreateOptions{})
	check("create", d.Name == "b", d, err)
	list, err = client.List(ctx, metav1.ListOptions{LabelSelector: "color=red"})
	check("list", len(list.Items) == 1 && list.Items[0].Name == "a" && list.ResourceVersion != "", list, err)
	w, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	check("watch", w != nil, w, err)
	defer w.Stop()
	err = client.Delete(ctx, "b", metav1.DeleteOptions{})
	check("delete", true, nil, err)
	select {
	case e := <-w.ResultChan():
		check("event", e.Type == watch.Deleted && e.Object.(*appsv1.Deployment).Name == "b", e, nil)
	case <-ctx.Done():
		t.Fatal("no event")
	}
}

func TestClientGenErrors(t *testing.T) {
	real := realDeployments(t, "ns")
	client, fake := fakeDeployments(t, "ns")
	for name, client := range map[string]deployments{"real": real, "fake": client} {
		if _, err := client.Apply(t.Context(), nil, metav1.ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: apply of nil: %v", name, err)
		}
		if _, err := client.ApplyStatus(t.Context(), &deploymentApply{}, metav1.ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("%s: apply without a name: %v", name, err)
		}
		if d, err := client.Get(t.Context(), "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) || d == nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if err := real.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"}); err != nil {
		t.Error(err)
	}
	// As in client-go, the tracker does not delete collections; what no reactor handles succeeds.
	if err := client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"}); err != nil {
		t.Error(err)
	}
	mine := errors.New("mine")
	fake.PrependReactor("delete-collection", "deployments", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return a.(clienttesting.DeleteCollectionActionImpl).ListOptions.LabelSelector == "a=b", nil, mine
	})
	if err := client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"}); err != mine {
		t.Error(err)
	}
	fake.PrependReactor("*", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.Pod{}, nil
	})
	if d, err := client.Get(t.Context(), "a", metav1.GetOptions{}); d == nil || err == nil || !strings.Contains(err.Error(), "*v1.Pod") {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := client.List(t.Context(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "*v1.Pod") {
		t.Error(err)
	}
}

func TestFakeClient(t *testing.T) {
	fake := &clienttesting.Fake{}
	c := gentype.NewFakeClient(fake, "ns", deploymentResource, deploymentKind, newDeployment)
	if c.Namespace() != "ns" || c.Kind() != deploymentKind || c.Resource() != deploymentResource || c.Fake != fake {
		t.Errorf("%+v", c)
	}
	if d, err := c.Get(t.Context(), "a", metav1.GetOptions{}); err != nil || d == nil || d.Name != "" {
		t.Errorf("without a reactor: %v, %v", d, err)
	}
	apply := gentype.NewFakeClientWithApply[*appsv1.Deployment, *deploymentApply](fake, "ns", deploymentResource, deploymentKind, newDeployment)
	if _, err := apply.Apply(t.Context(), applyOf("x"), metav1.ApplyOptions{FieldManager: "m"}); err != nil {
		t.Error(err)
	}
	patch, ok := fake.Actions()[1].(clienttesting.PatchActionImpl)
	if !ok || patch.PatchType != types.ApplyPatchType || patch.Name != "x" || patch.PatchOptions.FieldManager != "m" {
		t.Errorf("%#v", fake.Actions())
	}
	if _, err := c.Watch(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a watch that no reactor handles succeeds")
	}
}

func TestPointerSlices(t *testing.T) {
	if gentype.ToPointerSlice[int](nil) != nil || gentype.FromPointerSlice[int](nil) != nil {
		t.Error("nil did not stay nil")
	}
	values := []int{1, 2}
	pointers := gentype.ToPointerSlice(values)
	*pointers[0] = 3
	if values[0] != 3 || !slices.Equal(gentype.FromPointerSlice(pointers), []int{3, 2}) {
		t.Errorf("%v", values)
	}
	if got := gentype.ToPointerSlice([]int{}); got == nil || len(got) != 0 {
		t.Errorf("%#v", got)
	}
}
