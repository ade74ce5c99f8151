package kinds

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// BenchmarkPod is what every write of a pod pays here.
func BenchmarkPod(b *testing.B) {
	k, _ := NewRegistry().Lookup(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	pod := k.New()
	if err := json.Unmarshal([]byte(`{"metadata":{"name":"p","namespace":"n"},"spec":{"containers":[{"name":"c","image":"i"}]}}`), pod); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		obj := pod.DeepCopyObject()
		k.Prepare(obj, nil, Create)
		if errs := k.Validate(obj, nil, Create); len(errs) > 0 {
			b.Fatal(errs)
		}
		k.Fields(obj)
	}
}
