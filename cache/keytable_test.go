package cache

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"vedette.dev/internal/testsize"
)

func TestKeyTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, model := newKeyTable(rapid.IntRange(0, 20).Draw(t, "room")), map[string]*entry{}
		// Few different hashes, also at the end of the table, make entries stand in each other's way.
		few := rapid.SampledFrom([]uint32{1, 2, 8, 1 << 10}).Draw(t, "hashes")
		count := rapid.SampledFrom([]int{10, 100}).Draw(t, "keys")
		var keys []string
		for i := 0; len(keys) < count; i++ {
			if key := fmt.Sprint(i); (table.hash(key)+2)%(1<<10) < few+2 {
				keys = append(keys, key)
			}
		}
		any := rapid.SampledFrom(keys)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				key := any.Draw(t, "key")
				if model[key] == nil {
					model[key] = newEntry(key, 0)
					table.add(model[key])
				}
			},
			"remove": func(t *rapid.T) {
				key := any.Draw(t, "key")
				if e := model[key]; e != nil {
					table.remove(e)
					delete(model, key)
				}
			},
			"remove most": func(t *rapid.T) {
				for key, e := range model {
					if len(model) == 1 {
						break
					}
					table.remove(e)
					delete(model, key)
				}
			},
			"": func(t *rapid.T) {
				if err := table.verify(); err != nil {
					t.Fatal(err)
				}
				for _, key := range keys {
					if got := table.find(key); got != model[key] {
						t.Fatalf("%q: found %p, want %p", key, got, model[key])
					}
				}
				all := map[string]*entry{}
				table.all(func(e *entry) { all[e.key] = e })
				if !maps.Equal(all, model) {
					t.Fatalf("all: %d entries, want %d", len(all), len(model))
				}
			},
		})
	})
}

func TestKeyTableGivesItsMemoryBack(t *testing.T) {
	k := newKeyTable(0)
	var entries []*entry
	for i := range testsize.Of(100_000, 10_000) {
		e := newEntry(fmt.Sprint(i), 0)
		entries = append(entries, e)
		k.add(e)
	}
	for _, e := range entries[100:] {
		k.remove(e)
	}
	mustNot(t, k.verify())
	if n := len(*k.slots.Load()); n > 2*shrinkFrom {
		t.Errorf("%d slots for %d entries", n, k.n)
	}
}

func TestKeyTableIsNeverFarTooLarge(t *testing.T) {
	k := newKeyTable(0)
	for i := range testsize.Of(100_000, 10_000) {
		k.add(newEntry(fmt.Sprint(i), 0))
		if n := len(*k.slots.Load()); n > max(fewSlots, 3*k.n) {
			t.Fatalf("%d slots for %d entries", n, k.n)
		}
	}
}

// two are types of which one must never be found in the place of the other.
type (
	anInt struct{ n int }
	aText struct{ n string }
)

// TestGetBesideAWriter has readers that take no lock see each step as a whole: two keys that are always written together, with objects
// whose types change.
func TestGetBesideAWriter(t *testing.T) {
	s := newTable(nil)
	write := func(n int) {
		var obj any = &anInt{n}
		if n%2 == 1 {
			obj = &aText{fmt.Sprint(n)}
		}
		steps := []ThreadSafeStoreTransaction{
			{Key: "first", Transaction: Transaction{Type: TransactionTypeUpdate, Object: obj}},
			{Key: fmt.Sprint("passing", n%700), Transaction: Transaction{Type: TransactionTypeUpdate, Object: obj}},
			{Key: fmt.Sprint("passing", (n+300)%700), Transaction: Transaction{Type: TransactionTypeDelete}},
			{Key: "second", Transaction: Transaction{Type: TransactionTypeUpdate, Object: obj}},
		}
		mustNot(t, s.apply(steps))
	}
	read := func(key string) (n int) {
		obj, ok := s.get(key)
		switch o := obj.(type) {
		case *anInt:
			n = o.n
		case *aText:
			_, _ = fmt.Sscan(o.n, &n)
		}
		if !ok {
			t.Errorf("%s is gone", key)
		}
		return n
	}
	write(0)
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := 0; !stop.Load(); {
				first := read("first")
				second := read("second")
				if first < last || second < first {
					t.Errorf("read %d, then %d and %d", last, first, second)
					return
				}
				last = second
			}
		})
	}
	for n := range 3_000 {
		write(n)
		if n%1000 == 999 {
			const many = 2 * shrinkFrom // the table grows, and shrinks
			for i := range many {
				mustNot(t, s.put(fmt.Sprint("many", i), &anInt{i}))
			}
			for i := range many {
				s.remove(fmt.Sprint("many", i), nil)
			}
			obj, _ := s.get("first") // and there are others
			mustNot(t, s.replace(maps.All(map[string]any{"first": obj, "second": obj}), 2, ""))
		}
	}
	stop.Store(true)
	readers.Wait()
	mustNot(t, s.verify())
}
