package queue

import (
	"sync/atomic"
	"testing"
)

func TestIndexOfReadsBackTheKey(t *testing.T) {
	for _, i := range []int{0, 7, 100, 12_345, 99_999_999} {
		if got := indexOf(keyOf(i)); got != i {
			t.Errorf("indexOf(%q) = %d, want %d", keyOf(i), got, i)
		}
	}
	if got, want := keyOf(12_312), "namespace-12/deployment-name-00012312"; got != want {
		t.Errorf("keyOf(12312) = %q, want %q", got, want)
	}
	if got, want := namespaceOf(keyOf(12_312)), "namespace-12"; got != want {
		t.Errorf("namespaceOf = %q, want %q", got, want)
	}
}

// BenchmarkBookkeeping is what checking adds to each key, by driver. It has to stay far below
// what the queues themselves need.
func BenchmarkBookkeeping(b *testing.B) {
	const n = 1000
	keys := makeKeys(n)
	b.Run("distinct", func(b *testing.B) {
		tally := newTally(n, b.N)
		for i := range b.N {
			tally.note(indexOf(keys[i%n]))
		}
	})
	b.Run("hot-producer", func(b *testing.B) {
		states := make([]hotState, n)
		for i := range b.N {
			states[i%n].written.Add(1)
		}
	})
	b.Run("hot-worker", func(b *testing.B) {
		h := &hot{queue: idle{}, states: make([]hotState, n), perKey: 1}
		for i := range b.N {
			h.handle(0, keys[i%n])
		}
	})
	b.Run("parallel-counter", func(b *testing.B) {
		var shared atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				shared.Add(-1)
			}
		})
	})
}

// idle is a queue that costs nothing.
type idle struct{ workQueue }

func (idle) Done(string) {}
