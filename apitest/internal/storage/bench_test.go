package storage

import (
	"fmt"
	"testing"
)

func BenchmarkFill(b *testing.B) {
	for b.Loop() {
		s := New(0)
		for i := range 100_000 {
			if _, err := s.Create(pods, fmt.Sprintf("default/pod-%06d", i*7919%100_000), node("x")); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/write")
}

func BenchmarkUpdateAmong100000(b *testing.B) {
	s := New(0)
	items := make([]*Item, 100_000)
	for i := range items {
		items[i], _ = s.Create(pods, fmt.Sprintf("default/pod-%06d", i), node("x"))
	}
	object := node("x")
	i := 0
	for b.Loop() {
		n := i * 7919 % len(items)
		items[n], _ = s.Update(pods, items[n], object)
		i++
	}
}

func BenchmarkWalk100000(b *testing.B) {
	s := New(0)
	for i := range 100_000 {
		_, _ = s.Create(pods, fmt.Sprintf("default/pod-%06d", i), node("x"))
	}
	for b.Loop() {
		snapshot, _ := s.Snapshot(pods, 0)
		count := 0
		for range snapshot.Items("default", "") {
			count++
		}
		if count != 100_000 {
			b.Fatal(count)
		}
	}
}
