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
	n := 0
	for i, c := range w.near.cells {
		if i > 0 && c.before(w.near.cells[(i-1)/arity]) {
			return fmt.Errorf("cell %d of near leaves before its parent", i)
		}
		if w.holds(c) {
			n++
			if c.due >= w.horizon {
				return fmt.Errorf("slot %d is near, but due at %d, horizon %d", c.slot, c.due, w.horizon)
			}
		}
	}
	for l := range w.levels {
		for b, bucket := range w.levels[l].buckets {
			if used := w.levels[l].used&(1<<b) != 0; used != (bucket.head != 0) {
				return fmt.Errorf("bucket %d.%d: used is %v", l, b, used)
			}
			prev := uint32(0)
			for s := bucket.head; s != 0; s = w.timers.Timer(s - 1).next {
				t := w.timers.Timer(s - 1)
				n++
				if t.prev != prev || t.place != inLevels+uint16(l*buckets+b) {
					return fmt.Errorf("slot %d is linked wrongly", s-1)
				}
				if start := w.start(l, b); t.due < w.horizon || t.due < start {
					return fmt.Errorf("slot %d is due at %d, in a bucket that starts at %d, horizon %d", s-1, t.due, start, w.horizon)
				}
				prev = s
			}
			if bucket.tail != prev {
				return fmt.Errorf("bucket %d.%d: tail is %d, want %d", l, b, bucket.tail, prev)
			}
		}
	}
	if n != w.n {
		return fmt.Errorf("%d slots found, %d counted", n, w.n)
	}
	return nil
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
				s, ok := w.Pop(now)
				if want := len(model) > 0 && model[0].due <= now; ok != want || ok && s != model[0].slot {
					t.Fatalf("Pop at %d gives %d, %v; the model has %v", now, s, ok, model)
				}
				if ok {
					model = model[1:]
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

// TestNextComesCloser: whoever sleeps until Next and looks again gets there in few steps, however far away it is.
func TestNextComesCloser(t *testing.T) {
	for _, due := range []int64{1, width, 1 << 40, 1<<62 + 12345, Never - 1} {
		w := New(new(slice))
		w.Set(0, due)
		steps := 0
		for w.Next() < due {
			w.Advance(w.Next())
			if steps++; steps > levels+1 {
				t.Fatalf("due at %d: Next is still %d after %d steps", due, w.Next(), steps)
			}
		}
	}
}

func TestMemoryGoesBack(t *testing.T) {
	w := New(new(slice))
	for s := range uint32(200_000) {
		w.Set(s, 1)
		w.Set(s, 0) // near, and a cell left behind
		w.Advance(2)
	}
	for range 200_000 {
		if _, ok := w.Pop(2); !ok {
			t.Fatal("a slot is missing")
		}
	}
	if _, ok := w.Pop(2); ok || w.Len() != 0 || cap(w.near.cells) > 2*keepCells {
		t.Fatalf("after 200,000 slots came and went, %d are there and %d cells held", w.Len(), cap(w.near.cells))
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
	if slot, ok := w.Pop(3); !ok || slot != 0 {
		t.Fatalf("Pop gives %d, %v; want 0", slot, ok)
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
			got, popped := w.Pop(now)
			if popped != ok || ok && got != want {
				t.Fatalf("step %d: Pop gives %d, %v; want %d, %v", step, got, popped, want, ok)
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
