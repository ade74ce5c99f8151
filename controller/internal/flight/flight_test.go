package flight

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func fixed(budget int) func() int { return func() int { return budget } }

func TestNotesOfAKeyComeBackInTheirOrder(t *testing.T) {
	r := New(fixed(1 << 20))
	tracks := []*Track{r.Track(), r.Track()}
	now := time.Now()
	for i := range 10 {
		tracks[i%2].Add(7, Note{At: now.Add(time.Duration(i)), Event: uint8(i)})
		tracks[i%2].Add(15, Note{At: now, Event: 99})
	}
	r.AddFailure(7, Note{At: now.Add(4500 * time.Microsecond), Event: 50, Took: time.Hour}, "it failed")
	notes := r.Notes(7)
	if len(notes) != 11 {
		t.Fatalf("%d notes, want 11", len(notes))
	}
	for i := range 10 {
		if notes[i].Event != uint8(i) {
			t.Errorf("note %d is %+v", i, notes[i])
		}
	}
	last := notes[10]
	if last.Event != 50 || last.Took != time.Hour || !last.At.Equal(now.Add(4500*time.Microsecond)) {
		t.Errorf("the last note is %+v", last)
	}
	if text := r.Text(7); text != "it failed" {
		t.Errorf("text %q", text)
	}
}

func TestFailuresOutliveOtherNotes(t *testing.T) {
	r := New(fixed(64 << 10))
	r.AddFailure(1, Note{Event: 1}, "broken")
	tracks := []*Track{r.Track(), r.Track(), r.Track()}
	for i := range uint64(1_000_000) {
		tracks[i%3].Add(i%10_000+2, Note{Event: 2})
	}
	if notes := r.Notes(1); len(notes) != 1 || r.Text(1) != "broken" {
		t.Errorf("after a million other notes there is left: %v, %q", notes, r.Text(1))
	}
	if size := r.Size(); size > 64<<10 {
		t.Errorf("it takes %d bytes, and may take %d", size, 64<<10)
	}
}

func TestTheNewestWordsAreKept(t *testing.T) {
	r := New(fixed(64 << 10))
	for i := range uint64(100_000) {
		r.AddFailure(i, Note{}, fmt.Sprintf("%d %s", i, strings.Repeat("ä", 1000)))
	}
	if size := r.Size(); size > 64<<10 {
		t.Errorf("it takes %d bytes, and may take %d", size, 64<<10)
	}
	if text := r.Text(99_999); !strings.HasPrefix(text, "99999 ä") || len(text) > maxText+3 {
		t.Errorf("the last text is %q", text)
	}
	if r.Text(0) != "" {
		t.Error("the first text is still there")
	}
}

// A ring is as good as the end of a list.
func TestRingAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(0, 1<<16).Draw(t, "budget")
		var r ring
		var all []uint64
		for i := range rapid.IntRange(0, 2000).Draw(t, "count") {
			if i%500 == 0 {
				budget = rapid.IntRange(0, 1<<16).Draw(t, "next budget")
			}
			if r.wantsToGrow() && (r.isEmpty() || r.size()+r.growth() <= budget) {
				r.grow()
			}
			r.add(record{hash: uint64(i)})
			all = append(all, uint64(i))
		}
		var got []uint64
		for rec := range r.each() {
			got = append(got, rec.hash)
		}
		if len(got) < min(len(all), firstRecords) {
			t.Fatalf("%d records of %d are left", len(got), len(all))
		}
		for i, hash := range got {
			if want := all[len(all)-len(got)+i]; hash != want {
				t.Fatalf("record %d is %d, want %d", i, hash, want)
			}
		}
	})
}

// The texts are those that came last, as many as fit.
func TestTextsAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 4000).Draw(t, "limit")
		var kept texts
		type pair struct {
			hash  uint64
			words string
		}
		var model []pair
		remove := func(hash uint64) {
			for i, p := range model {
				if p.hash == hash {
					model = append(model[:i:i], model[i+1:]...)
					return
				}
			}
		}
		size := func() (sum int) {
			for _, p := range model {
				sum += len(p.words) + textOverhead
			}
			return sum
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			hash := rapid.Uint64Range(0, 30).Draw(t, "hash")
			if rapid.IntRange(0, 5).Draw(t, "drop") == 0 {
				kept.drop(hash)
				remove(hash)
				continue
			}
			words := rapid.StringN(0, 10, 40).Draw(t, "words")
			if kept.get(hash) != words || kept.byHash[hash].number == 0 {
				remove(hash)
				model = append(model, pair{hash, words})
				for size() > limit && len(model) > 1 {
					model = model[1:]
				}
			}
			kept.put(hash, words, limit)
		}
		if kept.size != size() || len(kept.byHash) != len(model) {
			t.Fatalf("%d texts of %d bytes, want %d of %d", len(kept.byHash), kept.size, len(model), size())
		}
		for _, p := range model {
			if got := kept.get(p.hash); got != p.words {
				t.Fatalf("text of %d is %q, want %q", p.hash, got, p.words)
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	track := New(fixed(1 << 20)).Track()
	now := time.Now()
	for i := 0; b.Loop(); i++ {
		track.Add(uint64(i), Note{At: now, Event: 1})
	}
}
