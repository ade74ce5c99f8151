package pack

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"vedette.dev/internal/testsize"
)

func TestPackerKeepsEveryObject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SampledFrom([]int{0, 1, 1 << 13, 1 << 15, 1 << 17})
		p := New(Config{WindowBytes: sizes.Draw(t, "window bytes"), BurstBytes: sizes.Draw(t, "burst bytes")})
		parents := rapid.SliceOfN(anyObject(), 1, 5).Draw(t, "parents")
		type kept struct {
			x   Packed
			src []byte
		}
		var all []kept
		t.Repeat(map[string]func(*rapid.T){
			"pack": func(t *rapid.T) {
				parent := rapid.IntRange(0, len(parents)-1).Draw(t, "parent")
				src := anyRelative(parents[parent]).Draw(t, "object")
				family := uint64(rapid.IntRange(0, len(parents)).Draw(t, "family")) // it may be a wrong one
				given := bytes.Clone(src)
				all = append(all, kept{p.Pack(src, family), given})
				clear(src) // it was not kept
			},
			"unpack": func(t *rapid.T) {
				if len(all) == 0 {
					return
				}
				k := all[rapid.IntRange(0, len(all)-1).Draw(t, "object")]
				got, err := k.x.AppendTo(nil)
				if err != nil || !bytes.Equal(got, k.src) || k.x.Len() != len(k.src) {
					t.Fatalf("got %q (%d), %v; want %q", got, k.x.Len(), err, k.src)
				}
			},
			"": func(t *rapid.T) { p.verify(t) },
		})
	})
}

func TestFamiliesBecomeSmall(t *testing.T) {
	const families, members = 30, 20
	for name, form := range forms {
		p, made := New(Config{}), newPods(1)
		var all []Packed
		for f := range families {
			for range members {
				all = append(all, p.Pack(form(t, made.run(made.pod(f))), uint64(f+1)))
			}
		}
		s := p.Stats()
		if s.Objects != families*members || s.References < families || s.References > families+2 {
			t.Errorf("%s: %+v, want a reference a family", name, s)
		}
		if held := s.BytesOut + s.ReferenceBytes; held > s.BytesIn/6 {
			t.Errorf("%s: %d bytes of %d are held", name, held, s.BytesIn)
		}
		// References have much in common with each other.
		if s.ReferenceBytes > s.BytesIn/members/2 {
			t.Errorf("%s: %d references take %d bytes, of %d", name, s.References, s.ReferenceBytes, s.BytesIn/members)
		}
		runtime.KeepAlive(all)
	}
}

// The first pod of a family had not started. When the others run, one of them takes its place.
func TestReferenceThatDoesNotFitIsReplaced(t *testing.T) {
	p, made := New(Config{}), newPods(1)
	held := []Packed{p.Pack(protobuf(t, made.pod(1)), 1)}
	for range 10 {
		held = append(held, p.Pack(protobuf(t, made.run(made.pod(1))), 1))
	}
	last := held[len(held)-1]
	if last.ref == held[0].ref || last.Size() > last.Len()/5 {
		t.Errorf("the last takes %d of %d bytes", last.Size(), last.Len())
	}
}

// A family of objects that have nothing in common takes room, but few references.
func TestFamilyThatIsNotAlike(t *testing.T) {
	for _, family := range []uint64{0, 1} {
		p, r := New(Config{}), newPods(1).r
		var held []Packed
		for range 1000 {
			noise := make([]byte, 1000)
			for i := range noise {
				noise[i] = byte(r.Uint32())
			}
			held = append(held, p.Pack(noise, family))
		}
		if s := p.Stats(); s.References > 200 {
			t.Errorf("family %d: there are %d references", family, s.References)
		}
		runtime.KeepAlive(held)
	}
}

func TestObjectsWithoutFamily(t *testing.T) {
	for name, form := range forms {
		p, made := New(Config{}), newPods(1)
		for f := range 20 {
			for range 20 {
				p.Pack(form(t, made.run(made.pod(f))), 0)
			}
		}
		if s := p.Stats(); s.BytesOut > s.BytesIn/5 {
			t.Errorf("%s: %d bytes of %d are held", name, s.BytesOut, s.BytesIn)
		}
	}
}

func TestReferencesGoWithTheirObjects(t *testing.T) {
	p, made := New(Config{WindowBytes: 1 << 18, BurstBytes: 1}), newPods(1)
	families := testsize.Of(2000, 400)
	held := make([]Packed, families)
	var want [][]byte
	for f := range families {
		src := protobuf(t, made.run(made.pod(f)))
		p.Pack(src, uint64(f+1))
		held[f] = p.Pack(src, uint64(f+1))
		want = append(want, src)
	}
	s := p.Stats()
	if s.References != int64(families) || s.WindowBytes > 1<<18 {
		t.Fatalf("%+v, want %d references", s, families)
	}
	clear(held[20:])
	eventually(t, "references are held that nobody uses", func() bool {
		now := p.Stats()
		p.mu.Lock()
		defer p.mu.Unlock()
		return now.References <= 20+now.Windows && now.ReferenceBytes < s.ReferenceBytes/4 && len(p.families) == int(now.References)
	})
	for f, x := range held[:20] {
		if got, err := x.AppendTo(nil); err != nil || !bytes.Equal(got, want[f]) {
			t.Fatalf("family %d: %v, or not the same", f, err)
		}
	}
	p.verify(t)
}

// Two first objects of a family come at once: both become a reference, and the second is packed against the first
// instead, whether that has a window (as a root) or not.
func TestFamilyHasOneReference(t *testing.T) {
	p, made := New(Config{}), newPods(1)
	for family := 1; family <= 2; family++ {
		first, second := protobuf(t, made.run(made.pod(family))), protobuf(t, made.run(made.pod(family)))
		x := p.become(new(encoder), first, uint64(family), nil)
		if root := x.ref.base == nil; root != (family == 1) {
			t.Fatalf("family %d: root is %v", family, root)
		}
		y := p.become(new(encoder), second, uint64(family), nil)
		if x.ref != y.ref || p.Stats().References != int64(family) {
			t.Errorf("there are %d references, want one a family", p.Stats().References)
		}
		for x, want := range map[Packed][]byte{x: first, y: second} {
			if got, err := x.AppendTo(nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v, or not the same", err)
			}
		}
	}
}

// A family that comes back after its window is gone gets one again with its second object, not with the first: that
// may be the only one.
func TestWindowComesBack(t *testing.T) {
	p, made := New(Config{WindowBytes: 1 << 16, BurstBytes: 1}), newPods(1)
	var held []Packed
	add := func(family int) *reference {
		x := p.Pack(protobuf(t, made.run(made.pod(family))), uint64(family))
		held = append(held, x)
		return x.ref
	}
	for f := range 100 {
		if r := add(f + 1); f > 0 && r.hot.Load() != nil {
			t.Errorf("family %d has a window before it has a second object", f+1)
		}
		if r := add(f + 1); r.hot.Load() == nil {
			t.Errorf("family %d has no window after two objects", f+1)
		}
	}
	for _, family := range []int{50, 51, 52} {
		if r := add(family); r.hot.Load() != nil {
			t.Errorf("family %d has a window after its first object", family)
		}
	}
	if r := add(51); r.hot.Load() == nil {
		t.Error("no window after the second object")
	}
	add(60) // uses the encoder's own window, which must not be that of the shelf
	p.verify(t)
	runtime.KeepAlive(held)
}

// An encoder waits in a pool for its next object. It must not hold references there.
func TestEncoderHoldsNothing(t *testing.T) {
	p, made := New(Config{}), newPods(1)
	e := new(encoder)
	for range 3 {
		p.pack(e, protobuf(t, made.run(made.pod(1))), 0)
	}
	if e.among != [len(e.among)]candidate{} || e.src != nil || e.ref != nil || e.out != nil {
		t.Error("the encoder holds an object or a reference")
	}
}

func TestManyPackAtOnce(t *testing.T) {
	p := New(Config{WindowBytes: 1 << 17, BurstBytes: 1 << 18})
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			made := newPods(uint64(g))
			var held []Packed
			var want [][]byte
			for i := range 200 {
				src := protobuf(t, made.run(made.pod(i%7)))
				held, want = append(held, p.Pack(src, uint64(i%7))), append(want, src)
				k := made.r.IntN(len(held))
				if got, err := held[k].AppendTo(nil); err != nil || !bytes.Equal(got, want[k]) {
					t.Errorf("object %d of %d: %v, or not the same", k, g, err)
				}
			}
		})
	}
	all.Wait()
	p.verify(t)
}

func TestZeroAndTiny(t *testing.T) {
	p := New(Config{})
	for _, src := range []string{"", "x", "12345678", strings.Repeat("x", minReference-1)} {
		x := p.Pack([]byte(src), 1)
		if got, err := x.AppendTo(nil); err != nil || string(got) != src || x.Len() != len(src) {
			t.Errorf("got %q (%d), %v; want %q", got, x.Len(), err, src)
		}
	}
	if s := p.Stats(); s.References != 0 || s.Objects != 4 {
		t.Errorf("%+v", s)
	}
	if got, err := (Packed{}).AppendTo(nil); err != nil || got != nil || (Packed{}).Len() != 0 {
		t.Errorf("the zero object is %q, %v", got, err)
	}
}

func TestConfigNamesTheField(t *testing.T) {
	for want, c := range map[string]Config{"Config.WindowBytes is -1": {WindowBytes: -1}, "Config.BurstBytes is -2": {BurstBytes: -2}} {
		func() {
			defer func() {
				if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}()
			New(c)
		}()
	}
}
