package jsoncheck

import (
	_ "embed"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

//go:embed testdata/pod.json
var podText []byte

func podPlan(t testing.TB) *Plan {
	t.Helper()
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func BenchmarkPod(b *testing.B) {
	plan := podPlan(b)
	var content map[string]any
	if err := utiljson.Unmarshal(podText, &content); err != nil {
		b.Fatal(err)
	}
	sorted, err := json.Marshal(content) // as custom resources are
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name string
		good func([]byte) bool
	}{
		{"Valid", Valid},
		{"Check", plan.Check},
		{"Check-sorted", func([]byte) bool { return plan.Check(sorted) }},
		{"encoding-json-Valid", json.Valid},
		{"decode-into-Pod", func(data []byte) bool { return utiljson.Unmarshal(data, &corev1.Pod{}) == nil }},
		{"decode-into-map", func(data []byte) bool { return utiljson.Unmarshal(data, &map[string]any{}) == nil }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(podText)))
			b.ReportAllocs()
			for b.Loop() {
				if !way.good(podText) {
					b.Fatal("no")
				}
			}
		})
	}
}
