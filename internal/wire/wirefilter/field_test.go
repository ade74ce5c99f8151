package wirefilter

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func fieldPod() *corev1.Pod {
	yes, uid := true, int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "a", Labels: map[string]string{"app": "web", "none": ""}, Generation: 7,
			OwnerReferences: []metav1.OwnerReference{{Name: "one", Controller: &yes}, {Name: "two"}},
			Finalizers:      []string{"x/y", "z"},
		},
		Spec: corev1.PodSpec{
			NodeName: "node", HostNetwork: true, SecurityContext: &corev1.PodSecurityContext{RunAsUser: &uid},
			Containers: []corev1.Container{
				{Name: "c", Image: "i", Ports: []corev1.ContainerPort{{ContainerPort: 80}, {ContainerPort: 81}},
					Resources:     corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("100m")}},
					LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(8)}}}},
				{Name: "d", Image: "j"},
			},
		},
	}
}

func TestFieldValues(t *testing.T) {
	for path, want := range map[string]string{
		"metadata.name":                                 "a",
		"metadata.namespace":                            "|",
		"metadata.generation":                           "7",
		"metadata.labels[app]":                          "web",
		"metadata.labels[none]":                         "|",
		"metadata.labels[other]":                        "",
		"metadata.annotations[x]":                       "",
		"metadata.finalizers":                           "x/y,z",
		"metadata.ownerReferences.name":                 "one,two",
		"metadata.ownerReferences.controller":           "true",
		"spec.nodeName":                                 "node",
		"spec.hostNetwork":                              "true",
		"spec.securityContext.runAsUser":                "0",
		"spec.affinity.podAffinity":                     "error",
		"spec.priority":                                 "|",
		"spec.containers.image":                         "i,j",
		"spec.containers.ports.containerPort":           "80,81",
		"spec.containers.resources.limits[cpu]":         "100m",
		"spec.containers.livenessProbe.httpGet.port":    "8",
		"spec.tolerations.key":                          "",
		"spec.containers":                               "error",
		"metadata.labels":                               "error",
		"spec.nodename":                                 "error",
		"spec.os.name":                                  "|",
		"spec.volumes.configMap.name":                   "",
		"status.containerStatuses.state.waiting.reason": "",
	} {
		pod := fieldPod()
		got := fieldText(NewField(pod, path))(pod)
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
		if want == "error" {
			continue
		}
		data, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal(data, &u.Object); err != nil {
			t.Fatal(err)
		}
		unknown := want == "" && !strings.Contains(path, "[") // it is not known to be a list
		if got := fieldText(NewField(u, path))(u); got != want && !(unknown && got == "|") {
			t.Errorf("%s of the unstructured object: got %s, want %s", path, got, want)
		}
		// The bytes of this field alone have the same values.
		filter, err := Keep(pod, path)
		if err != nil {
			t.Fatal(err)
		}
		message, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if message, err = filter.Protobuf(nil, message); err != nil {
			t.Fatal(err)
		}
		less := &corev1.Pod{}
		if err := less.Unmarshal(message); err != nil {
			t.Fatal(err)
		}
		if got := fieldText(NewField(less, path))(less); got != want {
			t.Errorf("%s of the filtered object: got %s, want %s", path, got, want)
		}
	}
}

// fieldText returns the values of a field as one text, "|" for an empty value.
func fieldText(f *Field, err error) func(obj any) string {
	return func(obj any) string {
		if err != nil {
			return "error"
		}
		values, err := f.Values(obj)
		if err != nil {
			return "error"
		}
		for i, v := range values {
			if v == "" {
				values[i] = "|"
			}
		}
		return strings.Join(values, ",")
	}
}

func TestFieldOfMapValues(t *testing.T) {
	type inner struct {
		A string `json:"a"`
	}
	type kind struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		M                 map[string]inner `json:"m"`
	}
	obj := &kind{M: map[string]inner{"x": {"1"}}}
	if got := fieldText(NewField(obj, "m.a"))(obj); got != "1" {
		t.Errorf("got %s", got)
	}
	if got := fieldText(NewField(obj, "m[x].a"))(obj); got != "1" {
		t.Errorf("got %s", got)
	}
	if got := fieldText(NewField(obj, "kind"))(obj); got != "|" {
		t.Errorf("got %s", got)
	}
}

func TestFieldOfOtherObjects(t *testing.T) {
	f, err := NewField(&corev1.Pod{}, "spec.nodeName")
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range []any{nil, "x", (*corev1.Pod)(nil), &corev1.Node{}, &unstructured.Unstructured{}} {
		if values, err := f.Values(obj); err == nil {
			t.Errorf("%T: got %v", obj, values)
		}
	}
	u, err := NewField(&unstructured.Unstructured{}, "spec.host")
	if err != nil {
		t.Fatal(err)
	}
	if values, err := u.Values(&networkingv1.Ingress{}); err == nil {
		t.Errorf("got %v", values)
	}
	if values, _ := u.Values(&unstructured.Unstructured{}); !reflect.DeepEqual(values, []string{""}) {
		t.Errorf("got %v", values)
	}
	odd := &unstructured.Unstructured{Object: map[string]any{"spec": "text"}}
	if values, _ := u.Values(odd); !reflect.DeepEqual(values, []string{""}) {
		t.Errorf("got %v", values)
	}
}
