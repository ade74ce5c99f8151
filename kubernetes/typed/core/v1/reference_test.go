package v1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestReferenceTo(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}
	reference := &corev1.ObjectReference{Name: "r"}
	tests := []struct {
		name   string
		scheme *runtime.Scheme
		obj    runtime.Object
		want   corev1.ObjectReference
	}{
		{"the scheme knows the kind", scheme, &corev1.Pod{ObjectMeta: meta},
			corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}},
		{"the object says its kind", nil, &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v2"}, ObjectMeta: meta},
			corev1.ObjectReference{Kind: "Widget", APIVersion: "example.com/v2", Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}},
		{"a list", scheme, &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}},
			corev1.ObjectReference{Kind: "PodList", APIVersion: "v1", ResourceVersion: "9"}},
		{"a reference", nil, reference, *reference},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := referenceTo(tt.scheme, tt.obj)
			if err != nil {
				t.Fatal(err)
			}
			if *got != tt.want {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
	for name, obj := range map[string]runtime.Object{
		"nil":                    nil,
		"a kind nobody knows":    &metav1.PartialObjectMetadata{},
		"a thing without a name": &corev1.PodExecOptions{},
	} {
		if got, err := referenceTo(scheme, obj); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
}

func TestFieldLabel(t *testing.T) {
	if got := GetInvolvedObjectNameFieldLabel("v1"); got != "involvedObject.name" {
		t.Errorf("got %q", got)
	}
}
