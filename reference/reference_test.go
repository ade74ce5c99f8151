package reference

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func coreScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

var podMeta = metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}

func TestReferences(t *testing.T) {
	scheme := coreScheme(t)
	widget := &unstructured.Unstructured{Object: map[string]any{
		"kind": "Widget", "apiVersion": "example.com/v2", "metadata": map[string]any{"name": "w", "uid": "u"},
	}}
	tests := []struct {
		name   string
		scheme *runtime.Scheme
		obj    runtime.Object
		want   corev1.ObjectReference
	}{
		{"the scheme knows the kind", scheme, &corev1.Pod{ObjectMeta: podMeta},
			corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}},
		{"the object says its kind", nil, &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v2"}, ObjectMeta: podMeta},
			corev1.ObjectReference{Kind: "Widget", APIVersion: "example.com/v2", Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}},
		{"a custom kind", nil, widget,
			corev1.ObjectReference{Kind: "Widget", APIVersion: "example.com/v2", Name: "w", UID: "u"}},
		{"a list", scheme, &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}},
			corev1.ObjectReference{Kind: "PodList", APIVersion: "v1", ResourceVersion: "9"}},
		{"a reference", nil, &corev1.ObjectReference{Name: "r"}, corev1.ObjectReference{Name: "r"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := GetReference(tt.scheme, tt.obj)
			if err != nil {
				t.Fatal(err)
			}
			if *got != tt.want {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
			part, err := GetPartialReference(tt.scheme, tt.obj, "spec.nodeName")
			if err != nil {
				t.Fatal(err)
			}
			tt.want.FieldPath = "spec.nodeName"
			if *part != tt.want {
				t.Errorf("got %+v, want %+v", *part, tt.want)
			}
		})
	}
}

func TestPartOfAReferenceLeavesItAsItIs(t *testing.T) {
	whole := &corev1.ObjectReference{Name: "r"}
	if same, err := GetReference(nil, whole); err != nil || same != whole {
		t.Errorf("got %p, %v, want the reference itself", same, err)
	}
	if _, err := GetPartialReference(nil, whole, "spec"); err != nil || whole.FieldPath != "" {
		t.Errorf("the reference became %+v, %v", whole, err)
	}
}

func TestWhatCannotBeReferredTo(t *testing.T) {
	scheme := coreScheme(t)
	for name, tt := range map[string]struct {
		scheme *runtime.Scheme
		obj    runtime.Object
		want   string
	}{
		"nil":                        {scheme, nil, ErrNilObject.Error()},
		"a nil pod":                  {scheme, (*corev1.Pod)(nil), ErrNilObject.Error()},
		"a nil reference":            {scheme, (*corev1.ObjectReference)(nil), ErrNilObject.Error()},
		"a kind nobody knows":        {scheme, &metav1.PartialObjectMetadata{}, "cannot tell the kind of a *v1.PartialObjectMetadata"},
		"no scheme":                  {nil, &corev1.Pod{}, "the *v1.Pod does not say its kind"},
		"an unstructured nothing":    {scheme, &unstructured.Unstructured{}, "cannot tell the kind"},
		"a thing without a metadata": {scheme, &corev1.PodExecOptions{}, "cannot refer to a *v1.PodExecOptions"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, get := range []func() (*corev1.ObjectReference, error){
				func() (*corev1.ObjectReference, error) { return GetReference(tt.scheme, tt.obj) },
				func() (*corev1.ObjectReference, error) { return GetPartialReference(tt.scheme, tt.obj, "x") },
			} {
				got, err := get()
				if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
					t.Errorf("got %+v, %v, want an error with %q", got, err, tt.want)
				}
				if strings.Contains(name, "nil") && !errors.Is(err, ErrNilObject) {
					t.Errorf("got %v, want ErrNilObject", err)
				}
			}
		})
	}
}
