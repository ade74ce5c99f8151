package cache

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"vedette.dev/internal/machinetest"
)

type ranked struct {
	key  string
	rank int
}

func rankedKey(obj any) (string, error) {
	r, ok := obj.(ranked)
	if !ok {
		return "", errBad
	}
	return r.key, nil
}

func newRanked() *Heap {
	return NewHeap(rankedKey, func(a, b any) bool { return a.(ranked).rank < b.(ranked).rank })
}

func TestHeapDoesWhatItsModelDoes(t *testing.T) {
	machinetest.Check(t, func() machinetest.Machine { return &heapMachine{heap: newRanked(), model: map[string]int{}} })
}

type heapMachine struct {
	heap   *Heap
	model  map[string]int
	failed error
}

func (m *heapMachine) Step(c machinetest.Chooser) {
	r := ranked{string(rune('a' + c.Pick(12))), c.Pick(20)}
	_, there := m.model[r.key]
	switch c.Pick(6) {
	case 0, 1:
		m.note(m.heap.Add(r))
		m.model[r.key] = r.rank
	case 2:
		m.note(m.heap.AddIfNotPresent(r))
		if !there {
			m.model[r.key] = r.rank
		}
	case 3:
		if err := m.heap.Delete(r); (err == nil) != there {
			m.failed = fmt.Errorf("Delete returned %v", err)
		}
		delete(m.model, r.key)
	case 4:
		other := ranked{string(rune('a' + c.Pick(12))), c.Pick(20)}
		m.note(m.heap.BulkAdd([]any{r, other}))
		m.model[r.key] = r.rank
		m.model[other.key] = other.rank
	case 5:
		m.pop()
	}
}

func (m *heapMachine) pop() {
	if len(m.model) == 0 {
		return
	}
	obj, err := m.heap.Pop()
	m.note(err)
	got := obj.(ranked)
	for key, rank := range m.model {
		if rank < got.rank || m.model[got.key] != got.rank {
			m.failed = fmt.Errorf("popped %v before %s, %d", got, key, rank)
		}
	}
	delete(m.model, got.key)
}

func (m *heapMachine) note(err error) {
	if err != nil {
		m.failed = err
	}
}

func (m *heapMachine) Check() error {
	if m.failed != nil {
		return m.failed
	}
	if len(m.heap.List()) != len(m.model) || len(m.heap.ListKeys()) != len(m.model) {
		return fmt.Errorf("%d objects, want %d", len(m.heap.List()), len(m.model))
	}
	for key, rank := range m.model {
		if got, ok, _ := m.heap.GetByKey(key); !ok || got != any(ranked{key, rank}) {
			return fmt.Errorf("%s is %v, want %d", key, got, rank)
		}
	}
	return m.heap.verify()
}

func TestHeapWaitsAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRanked()
		type result struct {
			obj any
			err error
		}
		popped := make(chan result)
		pop := func() {
			obj, err := h.Pop()
			popped <- result{obj, err}
		}
		go pop()
		synctest.Wait()
		mustNot(t, h.BulkAdd([]any{ranked{"b", 2}, ranked{"a", 1}}))
		wantEqual(t, "first", <-popped, result{obj: ranked{"a", 1}})
		h.Close()
		wantEqual(t, "closed", h.IsClosed(), true)
		wantError(t, h.Add(ranked{"c", 3}), "heap is closed")
		go pop()
		wantEqual(t, "left behind", <-popped, result{obj: ranked{"b", 2}})
		go pop()
		wantError(t, (<-popped).err, "heap is closed")
		wantError(t, h.Delete(ranked{"c", 3}), "object not found")
	})
}

func TestHeapAddsWhatComesBeforeAnObjectWithoutAKey(t *testing.T) {
	h := newRanked()
	wantError(t, h.BulkAdd([]any{ranked{"a", 1}, "bad", ranked{"b", 2}}), "couldn't create key")
	keys := h.ListKeys()
	slices.Sort(keys)
	wantEqual(t, "keys", keys, []string{"a"})
	_, _, err := h.Get("bad")
	wantError(t, err, "couldn't create key")
}
