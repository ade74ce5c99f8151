package patch

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/kinds"
)

// benchPod is a pod of some 8 KB with the accounts of a controller, a kubelet and a user.
func benchPod(b *testing.B, p Patcher, kind *kinds.Kind) runtime.Object {
	b.Helper()
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace, pod.UID, pod.ResourceVersion = "pod", "default", "u", "7"
	pod.Labels = map[string]string{"app": "web"}
	for i := range 3 {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i), Image: "registry.example/app:1"}
		for j := range 20 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", j), Value: "some value"})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	obj, err := p.Track(nil, pod, kind, "", "controller")
	if err != nil {
		b.Fatal(err)
	}
	obj, _, err = p.Patch(obj, Request{
		Kind: kind, Subresource: "status", Type: types.StrategicMergePatchType, Manager: "kubelet",
		Body: []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"Initialized","status":"True"}]}}`),
	})
	if err != nil {
		b.Fatal(err)
	}
	return obj
}

func BenchmarkPod(b *testing.B) {
	registry := kinds.NewRegistry()
	kind, _ := registry.Lookup(corev1.SchemeGroupVersion.WithResource("pods"))
	p := New(registry)
	pod := benchPod(b, p, kind)
	bodies := map[types.PatchType]string{
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/labels/a","value":"b"}]`,
		types.MergePatchType:          `{"metadata":{"labels":{"a":"b"}}}`,
		types.StrategicMergePatchType: `{"metadata":{"labels":{"a":"b"}}}`,
		types.ApplyYAMLPatchType:      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod","labels":{"a":"b"}},"spec":{"containers":[{"name":"c0","image":"registry.example/app:1"}]}}`,
	}
	for kindOfPatch, body := range bodies {
		b.Run(string(kindOfPatch)[len("application/"):], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := p.Patch(pod, Request{Kind: kind, Type: kindOfPatch, Body: []byte(body), Manager: "user"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Track(nil, pod, kind, "", "user"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		data, err := json.Marshal(pod)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, _, err := p.Decode(kind, "", data, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTypes is what the first write to a version costs a process.
func BenchmarkTypes(b *testing.B) {
	registry := kinds.NewRegistry()
	for _, gv := range []schema.GroupVersion{{Version: "v1"}, {Group: "apps", Version: "v1"}, {Group: "batch", Version: "v1"}, {Group: "coordination.k8s.io", Version: "v1"}} {
		document, _ := registry.OpenAPI(gv)
		b.Run(gv.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := typesOf(document); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
