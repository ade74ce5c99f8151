package slotmap

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

func (s *openSet) has(i int) bool { return i/64 < len(s.words) && s.words[i/64]&(1<<(i%64)) != 0 }

// verify checks what must always hold of a map.
func (m *Map[K, V]) verify() error {
	cells, err := m.verifyIndex()
	if err != nil {
		return err
	}
	taken := uint32(0)
	for i, s := range m.segs {
		taken += s.taken
		if open := m.open.has(i); open != (int(s.taken) < len(s.entries)) {
			return fmt.Errorf("segment %d with %d of %d slots in use has open=%v", i, s.taken, len(s.entries), open)
		}
	}
	if cells != m.live || m.index.live != m.live || int(taken) != m.live {
		return fmt.Errorf("%d live entries, %d cells, %d in the index, %d slots in use", m.live, cells, m.index.live, taken)
	}
	return nil
}

func (m *Map[K, V]) verifyIndex() (live int, err error) {
	x := &m.index
	mask := uint32(len(x.cells) - 1)
	for i, c := range x.cells {
		if c.slot == 0 {
			continue
		}
		live++
		if e := m.At(c.slot - 1); e.next != liveMark || e.hash != c.hash {
			return 0, fmt.Errorf("cell %d names slot %d, which is free, or has another hash", i, c.slot-1)
		}
		for j := c.hash & mask; j != uint32(i); j = (j + 1) & mask {
			if x.cells[j].slot == 0 {
				return 0, fmt.Errorf("cell %d cannot be reached from the start of its probe sequence", i)
			}
		}
	}
	return live, nil
}

func TestMapAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New[int, int](rapid.IntRange(0, 60).Draw(t, "keep"))
		model := map[int]int{}
		// A poor hash makes runs of cells that collide, which is where open addressing goes wrong.
		spread := rapid.SampledFrom([]uint64{1, 3, 1 << 33}).Draw(t, "spread")
		hash := func(k int) uint64 { return uint64(k) * spread }
		key := rapid.IntRange(0, 100)
		t.Repeat(map[string]func(*rapid.T){
			"ensure": func(t *rapid.T) {
				k := key.Draw(t, "key")
				_, e, known := m.Ensure(hash(k), k)
				if want, ok := model[k]; known != ok || e.Val != want {
					t.Fatalf("Ensure(%d) gives %d, %v; the model has %d, %v", k, e.Val, known, want, ok)
				}
				e.Val--
				model[k] = e.Val
			},
			"remove": func(t *rapid.T) {
				k := key.Draw(t, "key")
				if slot, _, ok := m.Find(hash(k), k); ok {
					m.Remove(slot)
					delete(model, k)
				}
			},
			"remove all": func(t *rapid.T) {
				for k := range model {
					slot, _, _ := m.Find(hash(k), k)
					m.Remove(slot)
				}
				clear(model)
			},
			"": func(t *rapid.T) {
				if err := m.verify(); err != nil {
					t.Fatal(err)
				}
				compare(t, &m, model, hash)
			},
		})
	})
}

func compare(t *rapid.T, m *Map[int, int], model map[int]int, hash func(int) uint64) {
	seen := 0
	m.Range(0, math.MaxUint32, func(slot uint32, e *Entry[int, int]) {
		seen++
		if want, ok := model[e.Key]; !ok || e.Val != want || m.At(slot) != e {
			t.Fatalf("Range shows %d=%d at slot %d, the model has %d, %v", e.Key, e.Val, slot, want, ok)
		}
	})
	inUse := 0
	for slot := range uint32(300) {
		if m.Peek(slot) != nil {
			inUse++
		}
	}
	if inUse != len(model) {
		t.Fatalf("Peek shows %d entries, the model has %d", inUse, len(model))
	}
	if seen != len(model) || m.Len() != len(model) {
		t.Fatalf("Range shows %d entries, Len says %d, the model has %d", seen, m.Len(), len(model))
	}
	for k := range 110 {
		slot, e, ok := m.Find(hash(k), k)
		if ok && m.Peek(slot) != e {
			t.Fatalf("Peek(%d) does not show the entry of %d", slot, k)
		}
		if want, known := model[k]; ok != known || ok && e.Val != want {
			t.Fatalf("Find(%d) says %v, the model %v", k, ok, known)
		}
	}
}

// TestLargeMap grows and shrinks a map by many segments.
func TestLargeMap(t *testing.T) {
	var m Map[int, int]
	hash := func(k int) uint64 { return uint64(k) * 0x9E3779B97F4A7C15 >> 7 }
	const n = 100_000
	for k := range n {
		_, e, _ := m.Ensure(hash(k), k)
		e.Val = -k
		if k%5000 == 0 {
			if err := m.verify(); err != nil {
				t.Fatalf("after %d inserts: %v", k+1, err)
			}
		}
	}
	for k := range n {
		slot, e, ok := m.Find(hash(k), k)
		if !ok || e.Val != -k {
			t.Fatalf("key %d was not found", k)
		}
		m.Remove(slot)
		if k%5000 == 0 {
			if err := m.verify(); err != nil {
				t.Fatalf("after %d removals: %v", k+1, err)
			}
		}
	}
	if n := len(m.index.cells); n > minCells {
		t.Fatalf("the index of an empty map has %d cells", n)
	}
}

func TestLocateEverySlot(t *testing.T) {
	slot := uint32(0)
	for seg := range 40 {
		if base(seg) != int(slot) {
			t.Fatalf("segment %d begins at %d, base says %d", seg, slot, base(seg))
		}
		for off := range uint32(size(seg)) {
			if s, o := locate(slot); s != seg || o != off {
				t.Fatalf("slot %d is located at %d.%d, want %d.%d", slot, s, o, seg, off)
			}
			slot++
		}
	}
}

func TestPointersSurviveGrowth(t *testing.T) {
	var m Map[int, int]
	_, first, _ := m.Ensure(0, 0)
	for k := 1; k < 10_000; k++ {
		m.Ensure(uint64(k)*0x9E3779B97F4A7C15, k)
	}
	first.Val = 7
	if _, e, _ := m.Find(0, 0); e.Val != 7 {
		t.Fatal("the entry moved")
	}
}

func TestRangeInParts(t *testing.T) {
	var m Map[int, int]
	for k := range 1000 {
		m.Ensure(uint64(k)*0x9E3779B97F4A7C15, k)
	}
	seen := 0
	for from, more := uint32(0), true; more; from += 64 {
		more = m.Range(from, from+64, func(uint32, *Entry[int, int]) { seen++ })
	}
	if seen != 1000 {
		t.Fatalf("saw %d of 1000 entries", seen)
	}
}

func TestMemoryGoesBack(t *testing.T) {
	var m Map[int, [64]byte]
	before := liveHeap()
	for k := range 100_000 {
		m.Ensure(uint64(k)*0x9E3779B97F4A7C15, k)
	}
	for k := range 100_000 {
		slot, _, _ := m.Find(uint64(k)*0x9E3779B97F4A7C15, k)
		m.Remove(slot)
	}
	if grown := int64(liveHeap()) - int64(before); grown > 64<<10 {
		t.Fatalf("an emptied map of 100,000 entries holds %d bytes", grown)
	}
	runtime.KeepAlive(&m)
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func TestNoAllocationWithinKeptSize(t *testing.T) {
	m := New[int, int](1000)
	cycle := func() {
		for k := range 1000 {
			m.Ensure(uint64(k)*7919, k)
		}
		for k := range 1000 {
			slot, _, _ := m.Find(uint64(k)*7919, k)
			m.Remove(slot)
		}
	}
	cycle()
	if n := testing.AllocsPerRun(20, cycle); n != 0 {
		t.Fatalf("%v allocations a cycle", n)
	}
}
