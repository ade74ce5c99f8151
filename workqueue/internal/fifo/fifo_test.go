package fifo

import (
	"runtime"
	"testing"
	"weak"

	"pgregory.net/rapid"
)

func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		var model []int
		next := 0
		count := rapid.SampledFrom([]int{1, 3, chunkSize - 1, chunkSize, chunkSize + 1, 3 * chunkSize})
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range count.Draw(t, "n") {
					q.Push(next)
					model = append(model, next)
					next++
				}
			},
			"pop": func(t *rapid.T) {
				for range min(count.Draw(t, "n"), len(model)) {
					if got := q.Pop(); got != model[0] {
						t.Fatalf("popped %d, want %d", got, model[0])
					}
					model = model[1:]
				}
			},
			"": func(t *rapid.T) {
				if q.Len() != len(model) {
					t.Fatalf("Len is %d, want %d", q.Len(), len(model))
				}
			},
		})
	})
}

func TestPoppedElementsAreFree(t *testing.T) {
	var q Queue[*[128]byte]
	p := new([128]byte)
	w := weak.Make(p)
	q.Push(p)
	q.Push(nil)
	q.Pop()
	p = nil
	runtime.GC()
	if w.Value() != nil {
		t.Fatal("the queue still holds what was popped")
	}
	runtime.KeepAlive(&q)
}

func TestShortQueueAllocatesNothing(t *testing.T) {
	var q Queue[uint32]
	for range chunkSize + 1 {
		q.Push(1)
	}
	n := testing.AllocsPerRun(10_000, func() {
		q.Push(1)
		q.Pop()
	})
	if n != 0 {
		t.Fatalf("%v allocations an element", n)
	}
}
