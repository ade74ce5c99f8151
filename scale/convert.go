package scale

import (
	"fmt"

	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// ScaleConverter converts between the versions of scales.
type ScaleConverter struct {
	scheme *runtime.Scheme
	codecs serializer.CodecFactory
}

// NewScaleConverter returns a ScaleConverter.
func NewScaleConverter() *ScaleConverter {
	scheme := runtime.NewScheme()
	for version, scale := range map[schema.GroupVersion]runtime.Object{
		autoscalingv1.SchemeGroupVersion:     &autoscalingv1.Scale{},
		appsv1beta1.SchemeGroupVersion:       &appsv1beta1.Scale{},
		appsv1beta2.SchemeGroupVersion:       &appsv1beta2.Scale{},
		extensionsv1beta1.SchemeGroupVersion: &extensionsv1beta1.Scale{},
	} {
		scheme.AddKnownTypes(version, scale)
		metav1.AddToGroupVersion(scheme, version)
	}
	return &ScaleConverter{scheme: scheme, codecs: serializer.NewCodecFactory(scheme)}
}

// Scheme returns a scheme with all versions of scales.
func (c *ScaleConverter) Scheme() *runtime.Scheme { return c.scheme }

// Codecs returns the codecs of the scheme.
func (c *ScaleConverter) Codecs() serializer.CodecFactory { return c.codecs }

// ScaleVersions returns the versions of scales.
func (c *ScaleConverter) ScaleVersions() []schema.GroupVersion {
	return []schema.GroupVersion{autoscalingv1.SchemeGroupVersion, extensionsv1beta1.SchemeGroupVersion,
		appsv1beta1.SchemeGroupVersion, appsv1beta2.SchemeGroupVersion}
}

// ConvertToVersion returns a scale as one of another version.
func (c *ScaleConverter) ConvertToVersion(in runtime.Object, outVersion schema.GroupVersion) (runtime.Object, error) {
	hub, err := toAutoscaling(in)
	if err != nil {
		return nil, err
	}
	out, err := fromAutoscaling(hub, outVersion)
	if err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(outVersion.WithKind("Scale"))
	return out, nil
}

func toAutoscaling(in runtime.Object) (*autoscalingv1.Scale, error) {
	hub := &autoscalingv1.Scale{}
	switch in := in.(type) {
	case *autoscalingv1.Scale:
		return in.DeepCopy(), nil
	case *appsv1beta1.Scale:
		in = in.DeepCopy()
		hub.ObjectMeta, hub.Spec.Replicas, hub.Status.Replicas = in.ObjectMeta, in.Spec.Replicas, in.Status.Replicas
		hub.Status.Selector = selectorOf(in.Status.TargetSelector, in.Status.Selector)
	case *appsv1beta2.Scale:
		in = in.DeepCopy()
		hub.ObjectMeta, hub.Spec.Replicas, hub.Status.Replicas = in.ObjectMeta, in.Spec.Replicas, in.Status.Replicas
		hub.Status.Selector = selectorOf(in.Status.TargetSelector, in.Status.Selector)
	case *extensionsv1beta1.Scale:
		in = in.DeepCopy()
		hub.ObjectMeta, hub.Spec.Replicas, hub.Status.Replicas = in.ObjectMeta, in.Spec.Replicas, in.Status.Replicas
		hub.Status.Selector = selectorOf(in.Status.TargetSelector, in.Status.Selector)
	default:
		return nil, fmt.Errorf("a %T is not a scale", in)
	}
	return hub, nil
}

func fromAutoscaling(hub *autoscalingv1.Scale, version schema.GroupVersion) (runtime.Object, error) {
	set := setOf(hub.Status.Selector)
	switch version {
	case autoscalingv1.SchemeGroupVersion:
		return hub, nil
	case appsv1beta1.SchemeGroupVersion:
		return &appsv1beta1.Scale{ObjectMeta: hub.ObjectMeta, Spec: appsv1beta1.ScaleSpec{Replicas: hub.Spec.Replicas},
			Status: appsv1beta1.ScaleStatus{Replicas: hub.Status.Replicas, TargetSelector: hub.Status.Selector, Selector: set}}, nil
	case appsv1beta2.SchemeGroupVersion:
		return &appsv1beta2.Scale{ObjectMeta: hub.ObjectMeta, Spec: appsv1beta2.ScaleSpec{Replicas: hub.Spec.Replicas},
			Status: appsv1beta2.ScaleStatus{Replicas: hub.Status.Replicas, TargetSelector: hub.Status.Selector, Selector: set}}, nil
	case extensionsv1beta1.SchemeGroupVersion:
		return &extensionsv1beta1.Scale{ObjectMeta: hub.ObjectMeta, Spec: extensionsv1beta1.ScaleSpec{Replicas: hub.Spec.Replicas},
			Status: extensionsv1beta1.ScaleStatus{Replicas: hub.Status.Replicas, TargetSelector: hub.Status.Selector, Selector: set}}, nil
	}
	return nil, fmt.Errorf("there is no scale in %s", version)
}

// selectorOf returns the selector of an old version, which may have it in two forms.
func selectorOf(text string, set map[string]string) string {
	if text != "" || len(set) == 0 {
		return text
	}
	return labels.SelectorFromSet(set).String()
}

// setOf returns a selector as the map of old versions, or nil if it cannot be one.
func setOf(selector string) map[string]string {
	set, err := labels.ConvertSelectorToLabelsMap(selector)
	if err != nil || len(set) == 0 {
		return nil
	}
	return set
}
