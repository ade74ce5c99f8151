package workqueue

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
)

func TestEveryPieceIsDoneOnceWhateverTheNumbers(t *testing.T) {
	for _, workers := range []int{math.MinInt, -1, 0, 1, 3, 1000} {
		for _, pieces := range []int{math.MinInt, -1, 0, 1, 10, 1001} {
			for _, chunk := range []int{math.MinInt, -1, 0, 1, 7, 5000, math.MaxInt} {
				seen := make([]atomic.Int32, max(pieces, 0))
				ParallelizeUntil(t.Context(), workers, pieces, func(i int) { seen[i].Add(1) }, WithChunkSize(chunk))
				for i := range seen {
					if n := seen[i].Load(); n != 1 {
						t.Fatalf("%d workers, %d pieces, chunk %d: piece %d was done %d times", workers, pieces, chunk, i, n)
					}
				}
			}
		}
	}
}

func TestNilContextNeverEnds(t *testing.T) {
	var n atomic.Int32
	//lint:ignore SA1012 a nil context is what this is about
	ParallelizeUntil(nil, 4, 100, func(int) { n.Add(1) })
	if n.Load() != 100 {
		t.Errorf("%d of 100 pieces were done", n.Load())
	}
}

func TestCancelledContextBeginsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ParallelizeUntil(ctx, 4, 100, func(int) { t.Error("a piece was begun") })
}

func TestContextThatEndsStopsTheRest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int32
	ParallelizeUntil(ctx, 2, 1000, func(int) {
		n.Add(1)
		cancel()
	}, WithChunkSize(100))
	if n.Load() > 2 { // each worker had begun one at most
		t.Errorf("%d pieces were done", n.Load())
	}
}

func TestPanicInAPieceReachesTheCaller(t *testing.T) {
	var n atomic.Int32
	mustPanic(t, func() {
		ParallelizeUntil(t.Context(), 2, 1000, func(int) {
			n.Add(1)
			panic("broken piece")
		})
	}, "broken piece", "parallelize_test.go")
	if n.Load() > 2 {
		t.Errorf("%d pieces were begun", n.Load())
	}
	mustPanic(t, func() { ParallelizeUntil(t.Context(), 1, 1, nil) }, "nil pointer")
}

func TestAtMostTheGivenNumberOfWorkersRun(t *testing.T) {
	var running, most atomic.Int32
	ParallelizeUntil(t.Context(), 3, 300, func(int) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		running.Add(-1)
	})
	if most.Load() > 3 {
		t.Errorf("%d ran at once", most.Load())
	}
}
