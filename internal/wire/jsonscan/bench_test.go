package jsonscan

import (
	"os"
	"testing"
)

// BenchmarkSkip goes over a pod as an API server writes it.
func BenchmarkSkip(b *testing.B) {
	data, err := os.ReadFile("../jsoncheck/testdata/pod.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if Skip(data) < 0 {
			b.Fatal("not a value")
		}
	}
}
