package table

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"vedette.dev/internal/shrink"
	"vedette.dev/internal/testsize"
)

func TestKeyTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, model := newKeyTable(rapid.IntRange(0, 20).Draw(t, "room")), map[string]*entry{}
		// Few different hashes, also at the end of the table, make entries compete for slots.
		few := rapid.SampledFrom([]uint32{1, 2, 8, 1 << 10}).Draw(t, "hashes")
		count := rapid.SampledFrom([]int{10, 100}).Draw(t, "keys")
		var names []string
		for i := 0; len(names) < count; i++ {
			if key := fmt.Sprint(i); (keys.hash(key)+2)%(1<<10) < few+2 {
				names = append(names, key)
			}
		}
		any := rapid.SampledFrom(names)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				key := any.Draw(t, "key")
				if model[key] == nil {
					model[key] = newEntry(key, 0)
					keys.add(model[key])
				}
			},
			"remove": func(t *rapid.T) {
				key := any.Draw(t, "key")
				if e := model[key]; e != nil {
					keys.remove(e)
					delete(model, key)
				}
			},
			"remove most": func(t *rapid.T) {
				for key, e := range model {
					if len(model) == 1 {
						break
					}
					keys.remove(e)
					delete(model, key)
				}
			},
			"": func(t *rapid.T) {
				if err := keys.verify(); err != nil {
					t.Fatal(err)
				}
				for _, key := range names {
					if got := keys.find(key); got != model[key] {
						t.Fatalf("%q: found %p, want %p", key, got, model[key])
					}
				}
				all := map[string]*entry{}
				keys.each(func(e *entry) { all[e.key] = e })
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
	if n := len(*k.slots.Load()); n > 2*shrink.Min {
		t.Errorf("%d slots for %d entries", n, k.n)
	}
}

func TestKeyTableIsNeverFarTooLarge(t *testing.T) {
	k := newKeyTable(0)
	for i := range testsize.Of(100_000, 10_000) {
		k.add(newEntry(fmt.Sprint(i), 0))
		if n := len(*k.slots.Load()); n > max(minSlots, 3*k.n) {
			t.Fatalf("%d slots for %d entries", n, k.n)
		}
	}
}
