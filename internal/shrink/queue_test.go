package shrink

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueue compares a queue with a slice, and checks that it holds nothing of what was taken out.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[*int]
		var model []*int
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.SampledFrom([]int{1, 3, 2 * keepRoom}).Draw(t, "n") {
					n++
					e := n
					q.Push(&e)
					model = append(model, &e)
				}
			},
			"pop": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip("it is empty")
				}
				if got := q.Pop(); got != model[0] {
					t.Fatalf("got %d, want %d", *got, *model[0])
				}
				model = model[1:]
			},
			"drop": func(t *rapid.T) {
				n := rapid.IntRange(0, len(model)).Draw(t, "n")
				q.Drop(n)
				model = model[n:]
			},
			"take": func(t *rapid.T) {
				if got := q.Take(); !slices.Equal(got, model) {
					t.Fatalf("got %d elements, want %d", len(got), len(model))
				}
				model = nil
			},
			"": func(t *rapid.T) {
				if q.Len() != len(model) || !slices.Equal(q.All(), model) {
					t.Fatalf("%d elements, want %d", q.Len(), len(model))
				}
				for _, e := range q.elems[:q.head] {
					if e != nil {
						t.Fatal("an element that was taken out is held")
					}
				}
				if q.Len() == 0 && cap(q.elems) > keepRoom {
					t.Fatalf("room for %d elements in an empty queue", cap(q.elems))
				}
			},
		})
	})
}
