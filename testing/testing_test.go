package testing_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/kubernetes/scheme"
	clienttesting "vedette.dev/testing"
)

var pods = corev1.SchemeGroupVersion.WithResource("pods")

// A fake client of one's own: a Fake, a tracker, and a reaction.
func TestFakeOfOnesOwn(t *testing.T) {
	var fake clienttesting.Fake
	tracker := clienttesting.NewObjectTracker(scheme.Scheme, nil)
	fake.AddReactor("*", "*", clienttesting.ObjectReaction(tracker))
	do := func(action clienttesting.Action) (*corev1.Pod, error) {
		t.Helper()
		obj, err := fake.Invokes(action, &corev1.Pod{})
		pod, _ := obj.(*corev1.Pod)
		return pod, err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "a", Labels: map[string]string{"x": "y"}}}
	if created, err := do(clienttesting.NewCreateAction(pods, "a", pod)); err != nil || created.Name != "p" || created.UID != "" {
		t.Fatal(created, err)
	}
	for _, kind := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
		patched, err := do(clienttesting.NewPatchAction(pods, "a", "p", kind, []byte(`{"metadata":{"labels":{"x":null,"by":"patch"}}}`)))
		if err != nil || patched.Labels["by"] != "patch" || patched.Labels["x"] != "" {
			t.Errorf("%s: %v, %v", kind, patched, err)
		}
	}
	if patched, err := do(clienttesting.NewPatchAction(pods, "a", "p", types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/labels/by"}]`))); err != nil || len(patched.Labels) != 0 {
		t.Errorf("%v, %v", patched, err)
	}
	applied := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"by":"apply"}}}`)
	if got, err := do(clienttesting.NewPatchAction(pods, "a", "p", types.ApplyYAMLPatchType, applied)); err != nil || got.Labels["by"] != "apply" {
		t.Errorf("%v, %v", got, err)
	}
	pod.Labels = map[string]string{"by": "update"}
	if got, err := do(clienttesting.NewUpdateAction(pods, "a", pod)); err != nil || got.Labels["by"] != "update" {
		t.Errorf("%v, %v", got, err)
	}
	list, err := fake.Invokes(clienttesting.NewListAction(pods, corev1.SchemeGroupVersion.WithKind("Pod"), "a", metav1.ListOptions{}), nil)
	if err != nil || len(list.(*corev1.PodList).Items) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := do(clienttesting.NewDeleteAction(pods, "a", "p")); err != nil {
		t.Error(err)
	}
	if _, err := do(clienttesting.NewGetAction(pods, "a", "p")); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if obj, err := fake.Invokes(clienttesting.NewDeleteCollectionAction(pods, "a", metav1.ListOptions{}), pod); obj != pod || err != nil {
		t.Errorf("an action without a reactor: %v, %v", obj, err)
	}
	if got := len(fake.Actions()); got != 10 {
		t.Errorf("%d actions", got)
	}
}

// A reactor cannot change what was recorded, and hears nothing of what others did to the action.
func TestActionsAreCopies(t *testing.T) {
	var fake clienttesting.Fake
	boom := errors.New("boom")
	fake.AddReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		a.(clienttesting.CreateAction).GetObject().(*corev1.Pod).Name = "changed"
		return false, nil, nil
	})
	fake.AddReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if a.(clienttesting.CreateAction).GetObject().(*corev1.Pod).Name != "p" {
			return true, nil, boom
		}
		return true, a.(clienttesting.CreateAction).GetObject(), nil
	})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	obj, err := fake.Invokes(clienttesting.NewCreateAction(pods, "a", pod), nil)
	if err != nil || obj == runtime.Object(pod) {
		t.Errorf("%v, %v", obj, err)
	}
	if a := fake.Actions()[0].(clienttesting.CreateAction); a.GetObject().(*corev1.Pod).Name != "p" || a.GetObject() == runtime.Object(pod) {
		t.Errorf("%#v", a)
	}
	if _, err := fake.InvokesWatch(clienttesting.NewWatchAction(pods, "a", metav1.ListOptions{})); err == nil {
		t.Error("a watch without a reactor")
	}
	if fake.InvokesProxy(clienttesting.NewProxyGetAction(pods, "a", "http", "p", "80", "/", nil)) != nil {
		t.Error("an answer without a reactor")
	}
}

func TestBadSelectorsPanic(t *testing.T) {
	for _, opts := range []any{metav1.ListOptions{LabelSelector: "a b"}, metav1.ListOptions{FieldSelector: "a"}, 7} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v was taken", opts)
				}
			}()
			clienttesting.ExtractFromListOptions(opts)
		}()
	}
}
