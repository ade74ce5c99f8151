package dueheap

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// verify checks what must always hold of a heap.
func (h *Heap) verify() error {
	for i, c := range h.cells {
		if i > 0 && c.before(h.cells[(i-1)/2]) {
			return fmt.Errorf("cell %d leaves before its parent", i)
		}
		if h.at[c.slot] != uint32(i)+1 {
			return fmt.Errorf("slot %d is at %d, but remembered at %d", c.slot, i, h.at[c.slot]-1)
		}
	}
	return nil
}

type ranked struct {
	slot uint32
	rank int64
}

func TestHeapAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Heap
		var model []ranked
		slot := rapid.Uint32Range(0, 40)
		rank := rapid.Int64Range(-3, 3)
		drop := func(s uint32) {
			model = slices.DeleteFunc(model, func(r ranked) bool { return r.slot == s })
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				s, r := slot.Draw(t, "slot"), rank.Draw(t, "rank")
				h.Set(s, r)
				drop(s)
				model = append(model, ranked{s, r})
				slices.SortStableFunc(model, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
			},
			"remove": func(t *rapid.T) {
				s := slot.Draw(t, "slot")
				h.Remove(s)
				drop(s)
			},
			"": func(t *rapid.T) { check(t, &h, model) },
		})
	})
}

func check(t *rapid.T, h *Heap, model []ranked) {
	if err := h.verify(); err != nil {
		t.Fatal(err)
	}
	slot, rank, ok := h.Min()
	if ok != (len(model) > 0) || h.Len() != len(model) {
		t.Fatalf("Len is %d, want %d", h.Len(), len(model))
	}
	if ok && (ranked{slot, rank}) != model[0] {
		t.Fatalf("Min is slot %d at %d, want %v", slot, rank, model[0])
	}
	for _, r := range model {
		if got, ok := h.Rank(r.slot); !ok || got != r.rank {
			t.Fatalf("Rank(%d) is %d, %v; want %d", r.slot, got, ok, r.rank)
		}
	}
}

func TestSequenceMayWrap(t *testing.T) {
	h := Heap{seq: ^uint32(0) - 1}
	for s := range uint32(4) {
		h.Set(s, 0)
	}
	for want := range uint32(4) {
		if got, _, _ := h.Min(); got != want {
			t.Fatalf("got slot %d, want %d: equal ranks must leave in the order in which they came", got, want)
		}
		h.Remove(want)
	}
}

func TestMemoryGoesBack(t *testing.T) {
	var h Heap
	heap := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	for s := range uint32(200_000) {
		h.Set(s, int64(s*2654435761))
	}
	for range 200_000 {
		s, _, _ := h.Min()
		h.Remove(s)
	}
	if grown := int64(heap()) - int64(before); grown > 64<<10 {
		t.Fatalf("an emptied heap of 200,000 slots holds %d bytes", grown)
	}
	runtime.KeepAlive(&h)
}
