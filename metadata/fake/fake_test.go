package fake_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/kubernetes/scheme"
	"vedette.dev/metadata/fake"
	clienttesting "vedette.dev/testing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ctx         = context.Background()
	deployments = appsv1.SchemeGroupVersion.WithResource("deployments")
)

func deployment(name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", Labels: map[string]string{"name": name}},
	}
}

func TestMetadata(t *testing.T) {
	whole := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "whole", Namespace: "ns"}}
	client := fake.NewSimpleMetadataClient(scheme.Scheme, deployment("d"), whole)
	on := client.Resource(deployments).Namespace("ns")
	if got, err := on.Get(ctx, "d", metav1.GetOptions{}); err != nil || got.Labels["name"] != "d" || got.UID != "" || got.ResourceVersion != "" || !got.CreationTimestamp.IsZero() {
		t.Errorf("%v, %v", got, err)
	}
	for selector, want := range map[string]int{"": 2, "name=d": 1, "name=none": 0} {
		if list, err := client.Resource(deployments).List(ctx, metav1.ListOptions{LabelSelector: selector}); err != nil || len(list.Items) != want || want == 0 && list.Items != nil {
			t.Errorf("%q: %v, %v", selector, list, err)
		}
	}
	if got, err := on.Patch(ctx, "d", types.MergePatchType, []byte(`{"metadata":{"labels":{"more":"yes"}}}`), metav1.PatchOptions{}); err != nil || got.Labels["more"] != "yes" {
		t.Errorf("%v, %v", got, err)
	}
	w, err := on.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for _, want := range []string{"d", "whole"} {
		if e := <-w.ResultChan(); e.Type != watch.Added || e.Object.(*metav1.PartialObjectMetadata).Name != want {
			t.Errorf("%v, want %s", e, want)
		}
	}
	if err := on.Delete(ctx, "d", metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)}); err != nil {
		t.Error(err)
	}
	if e := <-w.ResultChan(); e.Type != watch.Deleted {
		t.Errorf("%v", e)
	}
	if _, err := on.Get(ctx, "d", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	last := client.Actions()[6].(clienttesting.DeleteAction)
	if *last.GetDeleteOptions().PropagationPolicy != metav1.DeletePropagationForeground {
		t.Errorf("%#v", last)
	}
	obj, err := client.Tracker().Get(deployments, "ns", "whole")
	if err != nil || obj.(*metav1.PartialObjectMetadata).Kind != "Deployment" {
		t.Errorf("%v, %v", obj, err)
	}
}

func TestCreateFake(t *testing.T) {
	client := fake.NewSimpleMetadataClient(fake.NewTestScheme())
	on := client.Resource(deployments).Namespace("ns").(fake.MetadataClient)
	created, err := on.CreateFake(deployment("d"), metav1.CreateOptions{})
	if err != nil || created.Name != "d" || created.ResourceVersion != "" {
		t.Fatal(created, err)
	}
	created.Labels = nil
	if updated, err := on.UpdateFake(created, metav1.UpdateOptions{}); err != nil || updated.ResourceVersion != "" || updated.Labels != nil {
		t.Errorf("%v, %v", updated, err)
	}
	if a := client.Actions()[0].(clienttesting.CreateAction); a.GetObject().(*metav1.PartialObjectMetadata).Name != "d" {
		t.Errorf("%#v", a)
	}
}

func TestReactors(t *testing.T) {
	client := fake.NewSimpleMetadataClient(fake.NewTestScheme())
	boom := errors.New("boom")
	client.PrependReactor("get", "deployments", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if name := a.(clienttesting.GetAction).GetName(); name != "bad" {
			return true, deployment(name), nil
		}
		return true, nil, boom
	})
	client.PrependReactor("list", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{*deployment("x")}}, nil
	})
	if got, err := client.Resource(deployments).Namespace("ns").Get(ctx, "good", metav1.GetOptions{}); err != nil || got.Name != "good" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := client.Resource(deployments).Namespace("ns").Get(ctx, "bad", metav1.GetOptions{}); !errors.Is(err, boom) {
		t.Error(err)
	}
	if list, err := client.Resource(deployments).List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 || list.Items[0].Name != "x" {
		t.Errorf("%v, %v", list, err)
	}
}
