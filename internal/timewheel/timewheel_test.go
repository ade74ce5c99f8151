package timewheel

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"vedette.dev/internal/dueheap"
)

// slice holds timers by slot.
type slice struct{ timers []*Timer }

func (s *slice) Timer(slot uint32) *Timer {
	for int(slot) >= len(s.timers) {
		s.timers = append(s.timers, new(Timer))
	}
	return s.timers[slot]
}

// verify checks what must always hold of a wheel.
func (w *Wheel) verify() error {
	n, stale := 0, 0
	count := func(c cell) {
		if w.holds(c) {
			n++
		} else {
			stale++
		}
	}
	for i, c := range w.near.rest {
		if i > 0 && c.before(w.near.rest[(i-1)/arity]) {
			return fmt.Errorf("cell %d of near leaves before its parent", i)
		}
	}
	for i, c := range w.near.row[w.near.head:] {
		if i > 0 && c.before(w.near.row[w.near.head+i-1]) {
			return fmt.Errorf("cell %d of near leaves before the one in front of it", i)
		}
	}
	for _, c := range w.near.all() {
		count(c)
		if c.due >= w.horizon {
			return fmt.Errorf("slot %d is near, but due at %d, horizon %d", c.slot, c.due, w.horizon)
		}
	}
	for l := range w.levels {
		for b, bucket := range w.levels[l].buckets {
			if used := w.levels[l].used&(1<<b) != 0; used != (bucket.first != nil) {
				return fmt.Errorf("bucket %d.%d: used is %v", l, b, used)
			}
			for chunk := bucket.first; chunk != nil; chunk = chunk.next {
				for _, c := range chunk.cells[:chunk.n] {
					count(c)
					if start := w.start(l, b); c.due < w.horizon || c.due < start || c.due < bucket.min {
						return fmt.Errorf("slot %d is due at %d, in a bucket that starts at %d with %d, horizon %d",
							c.slot, c.due, start, bucket.min, w.horizon)
					}
				}
			}
		}
	}
	if n != w.n || stale != w.stale {
		return fmt.Errorf("%d slots and %d stale cells found, %d and %d counted", n, stale, w.n, w.stale)
	}
	if stale > n+keepCells || n == 0 && stale > 0 {
		return fmt.Errorf("%d stale cells beside %d slots", stale, n)
	}
	return nil
}

// pop takes out one slot.
func (w *Wheel) pop(now int64) (slot uint32, ok bool) {
	var one [1]uint32
	n := w.PopDue(now, one[:])
	return one[0], n == 1
}

type entry struct {
	slot uint32
	due  int64
}

func TestWheelAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := New(new(slice))
		var model []entry // in the order in which they must leave
		now := int64(0)
		slot := rapid.Uint32Range(0, 30)
		delay := rapid.OneOf(
			rapid.Int64Range(0, 3),
			rapid.Int64Range(0, 3*width),
			rapid.Int64Range(0, 200*width),
			rapid.Int64Range(60*width, 70*width),
			rapid.Int64Range(0, 5000*width),
			rapid.Custom(func(t *rapid.T) int64 { return int64(1) << rapid.IntRange(0, 62).Draw(t, "bits") }),
			rapid.Just(int64(math.MaxInt64)),
		)
		drop := func(s uint32) {
			model = slices.DeleteFunc(model, func(e entry) bool { return e.slot == s })
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				s, due := slot.Draw(t, "slot"), now+delay.Draw(t, "delay")
				if due < now {
					due = Never - 1
				}
				w.Set(s, due)
				drop(s)
				model = append(model, entry{s, due})
				slices.SortStableFunc(model, func(a, b entry) int { return cmp.Compare(a.due, b.due) })
			},
			"remove": func(t *rapid.T) {
				s := slot.Draw(t, "slot")
				w.Remove(s)
				drop(s)
			},
			"advance": func(t *rapid.T) { w.Advance(now) },
			"time passes": func(t *rapid.T) {
				if then := now + delay.Draw(t, "time"); then > now && then < Never/2 {
					now = then
				}
			},
			"pop": func(t *rapid.T) {
				slots := make([]uint32, rapid.IntRange(1, 5).Draw(t, "room"))
				slots = slots[:w.PopDue(now, slots)]
				for _, s := range slots {
					if len(model) == 0 || model[0].due > now || s != model[0].slot {
						t.Fatalf("PopDue at %d gives %v; the model has %v", now, slots, model)
					}
					model = model[1:]
				}
				if len(slots) < cap(slots) && len(model) > 0 && model[0].due <= now {
					t.Fatalf("PopDue at %d leaves %v", now, model[0])
				}
			},
			"": func(t *rapid.T) {
				if err := w.verify(); err != nil {
					t.Fatal(err)
				}
				if w.Len() != len(model) {
					t.Fatalf("Len is %d, want %d", w.Len(), len(model))
				}
				if next := w.Next(); len(model) > 0 && next > model[0].due || len(model) == 0 && next != Never {
					t.Fatalf("Next is %d, but %v", next, model)
				}
				for _, e := range model {
					if due, ok := w.timers.Timer(e.slot).Due(); !ok || due != e.due {
						t.Fatalf("Due(%d) is %d, %v; want %d", e.slot, due, ok, e.due)
					}
				}
			},
		})
	})
}

// TestNextIsExact: whoever sleeps until Next sleeps once, however far away it is.
func TestNextIsExact(t *testing.T) {
	for _, due := range []int64{1, width, 1 << 40, 1<<62 + 12345, Never - 1} {
		w := New(new(slice))
		w.Set(0, due)
		w.Set(1, Never-1)
		if w.Next() != due {
			t.Fatalf("due at %d: Next is %d", due, w.Next())
		}
	}
}

func TestMemoryGoesBack(t *testing.T) {
	w := New(new(slice))
	for s := range uint32(200_000) {
		w.Set(s, 1<<40)
		w.Set(s, 0) // near, and a cell left behind
		w.Advance(2)
	}
	for range 200_000 {
		if _, ok := w.pop(2); !ok {
			t.Fatal("a slot is missing")
		}
	}
	if _, ok := w.pop(2); ok || w.Len() != 0 || cap(w.near.row) > keepRow || cap(w.near.rest) > 2*keepCells || w.spare.n > keepChunks {
		t.Fatalf("after 200,000 slots came and went, %d are there and %d cells held", w.Len(), cap(w.near.row)+cap(w.near.rest))
	}
	if err := w.verify(); err != nil {
		t.Fatal(err)
	}
}

// TestStaleCellsDoNotPileUp: a slot that is moved or taken out again and again, while another waits.
func TestStaleCellsDoNotPileUp(t *testing.T) {
	w := New(new(slice))
	w.Set(0, 1<<50)
	for i := range int64(100_000) {
		w.Set(1, 1<<50-i)
		w.Set(2, i%(4*width))
		w.Remove(2)
		if i%1000 == 0 {
			if err := w.verify(); err != nil {
				t.Fatalf("after %d rounds: %v", i, err)
			}
		}
	}
}

// TestFarBehind: all of very many slots are due before the first of them is taken out. Those that were removed leave more
// stale cells than are taken out at a time.
func TestFarBehind(t *testing.T) {
	w := New(new(slice))
	const n, removed = 100_000, 3 * popAtOnce
	due := func(slot uint32) int64 { return int64(slot) * 1000 }
	for s := range uint32(n) {
		w.Set(s, due(s))
	}
	for s := range uint32(removed) {
		w.Remove(s)
	}
	slots := make([]uint32, 4*popAtOnce)
	for next := removed; next < n; {
		got := w.PopDue(due(n), slots)
		if want := min(len(slots), n-next); got != want {
			t.Fatalf("%d slots were taken out, there is room for %d and %d are due", got, len(slots), n-next)
		}
		for _, s := range slots[:got] {
			if int(s) != next {
				t.Fatalf("slot %d came, want %d", s, next)
			}
			next++
		}
		if cap(w.near.row) > keepRow {
			t.Fatalf("with %d slots left, there is room for %d cells that are due soon", w.Len(), cap(w.near.row))
		}
	}
}

func TestNoAllocationInTheSteadyState(t *testing.T) {
	w := New(new(slice))
	now := int64(0)
	var slots [8]uint32
	step := func() {
		for s := range uint32(500) {
			w.Set(s, now+int64(s)*width)
		}
		w.Remove(3)
		now += 600 * width
		for w.PopDue(now, slots[:]) > 0 {
		}
	}
	step()
	if n := testing.AllocsPerRun(50, step); n != 0 {
		t.Fatalf("%v allocations a round", n)
	}
}

// TestSlotMayVanish: a slot that was taken out may not even exist any more when its cell comes up.
func TestSlotMayVanish(t *testing.T) {
	timers := new(slice)
	w := New(timers)
	w.Advance(width)
	w.Set(5, 1)
	w.Remove(5)
	w.Set(0, 2)
	timers.timers[5] = nil
	if slot, ok := w.pop(3); !ok || slot != 0 {
		t.Fatalf("PopDue gives %d, %v; want 0", slot, ok)
	}
}

// TestLongRunAgainstHeap lets time flow over thousands of buckets and levels, with many timers under way at once.
func TestLongRunAgainstHeap(t *testing.T) {
	w := New(new(slice))
	var h dueheap.Heap
	random := rand.New(rand.NewPCG(1, 2))
	now := int64(1) << 41
	for step := range 300_000 {
		slot := random.Uint32N(2000)
		due := now + random.Int64N(int64(1)<<random.IntN(34))
		w.Set(slot, due)
		h.Set(slot, due)
		now += random.Int64N(200_000)
		for {
			want, at, ok := h.Min()
			ok = ok && at <= now
			if next := w.Next(); ok && next > at {
				t.Fatalf("step %d: Next is %d, but slot %d is due at %d", step, next, want, at)
			}
			got, popped := w.pop(now)
			if popped != ok || ok && got != want {
				t.Fatalf("step %d: PopDue gives %d, %v; want %d, %v", step, got, popped, want, ok)
			}
			if !ok {
				break
			}
			h.Remove(want)
		}
	}
	if err := w.verify(); err != nil {
		t.Fatal(err)
	}
}
