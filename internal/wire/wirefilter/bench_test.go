package wirefilter

import (
	_ "embed"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// podJSON is a pod of 10 KB, and of 6.2 KB in protobuf, as in a real cluster.
//
//go:embed testdata/pod.json
var podJSON []byte

// The five fields that a scheduler's cache of placed pods might keep.
var fiveFields = []string{"metadata.labels", "spec.nodeName", "status.phase", "spec.containers.image", "metadata.annotations[checksum/config]"}

func examplePod(tb testing.TB) (body []byte) {
	tb.Helper()
	var pod corev1.Pod
	if err := json.Unmarshal(podJSON, &pod); err != nil {
		tb.Fatal(err)
	}
	body, err := pod.Marshal()
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

func BenchmarkFilter(b *testing.B) {
	for _, c := range []struct {
		name   string
		make   func(any, ...string) (*Filter, error)
		fields []string
	}{
		{"keep five", Keep, fiveFields},
		{"keep phase", Keep, []string{"status.phase"}},
		{"drop one", Drop, []string{"metadata.managedFields"}},
	} {
		f, err := c.make(&corev1.Pod{}, c.fields...)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/protobuf", func(b *testing.B) { run(b, f.Protobuf, examplePod(b)) })
		b.Run(c.name+"/JSON", func(b *testing.B) { run(b, f.JSON, podJSON) })
	}
}

func run(b *testing.B, filter func(dst, src []byte) ([]byte, error), src []byte) {
	b.ReportAllocs()
	b.SetBytes(int64(len(src)))
	var dst []byte
	var err error
	for b.Loop() {
		if dst, err = filter(dst[:0], src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(dst)), "bytes-left")
}

// BenchmarkDecode is what is saved: decoding a pod with and without a filter before it.
func BenchmarkDecode(b *testing.B) {
	f, err := Keep(&corev1.Pod{}, fiveFields...)
	if err != nil {
		b.Fatal(err)
	}
	body := examplePod(b)
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var pod corev1.Pod
			if err := pod.Unmarshal(body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("filtered", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst, _ = f.Protobuf(dst[:0], body)
			var pod corev1.Pod
			if err := pod.Unmarshal(dst); err != nil {
				b.Fatal(err)
			}
		}
	})
}
