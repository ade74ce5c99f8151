package scale_test

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest"
	"vedette.dev/discovery"
	"vedette.dev/dynamic"
	"vedette.dev/restmapper"
	"vedette.dev/scale"
	"vedette.dev/scale/fake"
	clienttesting "vedette.dev/testing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var deployments = schema.GroupResource{Group: "apps", Resource: "deployments"}

func TestServer(t *testing.T) {
	server, err := apitest.Start(apitest.Config{CreateNamespaces: true, InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	replicas := int32(1)
	if err := server.Put(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}); err != nil {
		t.Fatal(err)
	}
	config := server.RESTConfig()
	d := discovery.NewDiscoveryClientForConfigOrDie(config)
	groups, err := restmapper.GetAPIGroupResources(d)
	if err != nil {
		t.Fatal(err)
	}
	resolver := scale.NewDiscoveryScaleKindResolver(d)
	getter, err := scale.NewForConfig(config, restmapper.NewDiscoveryRESTMapper(groups), dynamic.LegacyAPIPathResolverFunc, resolver)
	if err != nil || config.GroupVersion != nil {
		t.Fatal(err, config.GroupVersion)
	}
	scales := getter.Scales("default")
	s, err := scales.Get(t.Context(), deployments, "web", metav1.GetOptions{})
	if err != nil || s.Spec.Replicas != 1 || s.Status.Selector != "a=b" || s.APIVersion != "autoscaling/v1" {
		t.Fatalf("%+v, %v", s, err)
	}
	s.Spec.Replicas = 3
	if s, err = scales.Update(t.Context(), deployments, s, metav1.UpdateOptions{}); err != nil || s.Spec.Replicas != 3 {
		t.Fatalf("%+v, %v", s, err)
	}
	s.ResourceVersion = "1"
	if _, err := scales.Update(t.Context(), deployments, s, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Error(err)
	}
	s, err = scales.Patch(t.Context(), appsv1.SchemeGroupVersion.WithResource("deployments"), "web", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{})
	if err != nil || s.Spec.Replicas != 5 {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := scales.Get(t.Context(), deployments, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if _, err := scales.Get(t.Context(), schema.GroupResource{Resource: "cheddars"}, "x", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "cheddars") {
		t.Error(err)
	}
	if _, err := scales.Update(t.Context(), schema.GroupResource{Resource: "pods"}, s, metav1.UpdateOptions{}); err == nil || !strings.Contains(err.Error(), "no scale") {
		t.Error(err)
	}
	if _, err := scales.Update(t.Context(), deployments, nil, metav1.UpdateOptions{}); err == nil {
		t.Error("a nil scale was sent")
	}
}

func TestConvert(t *testing.T) {
	c := scale.NewScaleConverter()
	hub := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "x", Labels: map[string]string{"l": "m"}},
		Spec: autoscalingv1.ScaleSpec{Replicas: 2}, Status: autoscalingv1.ScaleStatus{Replicas: 1, Selector: "a=b"}}
	for _, version := range c.ScaleVersions() {
		other, err := c.ConvertToVersion(hub, version)
		if err != nil {
			t.Fatal(version, err)
		}
		if gvk := other.GetObjectKind().GroupVersionKind(); gvk != version.WithKind("Scale") {
			t.Error(gvk)
		}
		data, err := runtime.Encode(c.Codecs().LegacyCodec(version), other)
		if err != nil {
			t.Fatal(version, err)
		}
		decoded, err := runtime.Decode(c.Codecs().UniversalDeserializer(), data)
		if err != nil {
			t.Fatal(version, err)
		}
		back, err := c.ConvertToVersion(decoded, autoscalingv1.SchemeGroupVersion)
		if err != nil {
			t.Fatal(version, err)
		}
		if got := back.(*autoscalingv1.Scale); got.Name != "x" || got.Labels["l"] != "m" || got.Spec != hub.Spec || got.Status != hub.Status {
			t.Errorf("%s: %+v", version, got)
		}
	}
	old, err := c.ConvertToVersion(hub, appsv1beta1.SchemeGroupVersion)
	if err != nil || old.(*appsv1beta1.Scale).Status.Selector["a"] != "b" {
		t.Errorf("%v, %v", old, err)
	}
	from, err := c.ConvertToVersion(&extensionsv1beta1.Scale{Status: extensionsv1beta1.ScaleStatus{Selector: map[string]string{"c": "d"}}}, autoscalingv1.SchemeGroupVersion)
	if err != nil || from.(*autoscalingv1.Scale).Status.Selector != "c=d" {
		t.Errorf("%v, %v", from, err)
	}
	if _, err := c.ConvertToVersion(&corev1.Pod{}, autoscalingv1.SchemeGroupVersion); err == nil {
		t.Error("a pod is a scale")
	}
	if _, err := c.ConvertToVersion(hub, corev1.SchemeGroupVersion); err == nil {
		t.Error("there is a scale in core/v1")
	}
}

func TestFake(t *testing.T) {
	f := &fake.FakeScaleClient{}
	mine := errors.New("mine")
	f.AddReactor("get", "deployments/scale", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 7}}, nil
	})
	f.AddReactor("update", "deployments", func(a clienttesting.Action) (bool, runtime.Object, error) { return true, nil, mine })
	f.AddReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) { return true, &corev1.Pod{}, nil })
	scales := f.Scales("ns")
	if s, err := scales.Get(t.Context(), deployments, "web", metav1.GetOptions{}); err != nil || s.Spec.Replicas != 7 {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := scales.Update(t.Context(), deployments, &autoscalingv1.Scale{}, metav1.UpdateOptions{}); err != mine {
		t.Error(err)
	}
	if _, err := scales.Patch(t.Context(), deployments.WithVersion("v1"), "web", types.MergePatchType, nil, metav1.PatchOptions{}); err == nil || !strings.Contains(err.Error(), "*v1.Pod") {
		t.Error(err)
	}
	for _, a := range f.Actions() {
		if a.GetSubresource() != "scale" || a.GetNamespace() != "ns" {
			t.Errorf("%#v", a)
		}
	}
}

// asked counts the requests for resources.
type asked struct {
	discovery.ServerResourcesInterface
	times int
}

func (a *asked) ServerResourcesForGroupVersion(string) (*metav1.APIResourceList, error) {
	a.times++
	return &metav1.APIResourceList{APIResources: []metav1.APIResource{{Name: "widgets", Kind: "Widget"}, {Name: "widgets/scale", Kind: "Scale"}}}, nil
}

func TestResolverAsksOnce(t *testing.T) {
	a := &asked{}
	resolver := scale.NewDiscoveryScaleKindResolver(a)
	widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	for range 3 {
		if kind, err := resolver.ScaleForResource(widgets); err != nil || kind != widgets.GroupVersion().WithKind("Scale") {
			t.Errorf("%v, %v", kind, err)
		}
	}
	if a.times != 1 {
		t.Errorf("asked %d times", a.times)
	}
}
