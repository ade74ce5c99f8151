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
		p := New(Config{CacheBytes: sizes.Draw(t, "cache bytes"), BurstBytes: sizes.Draw(t, "burst bytes")})
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
				group := uint64(rapid.IntRange(0, len(parents)).Draw(t, "group")) // it may be a wrong one
				given := bytes.Clone(src)
				all = append(all, kept{p.Pack(src, group), given})
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

func TestGroupsBecomeSmall(t *testing.T) {
	const groups, members = 30, 20
	for name, form := range forms {
		p, made := New(Config{}), newPods(1)
		var all []Packed
		for g := range groups {
			for range members {
				all = append(all, p.Pack(form(t, made.run(made.pod(g))), uint64(g+1)))
			}
		}
		s := p.stats()
		if s.objects != groups*members || s.bases < groups || s.bases > groups+2 {
			t.Errorf("%s: %+v, want a base for each group", name, s)
		}
		if held := s.bytesOut + s.baseBytes; held > s.bytesIn/6 {
			t.Errorf("%s: %d bytes of %d are held", name, held, s.bytesIn)
		}
		// Bases have much in common with each other.
		if s.baseBytes > s.bytesIn/members/2 {
			t.Errorf("%s: %d bases take %d bytes, of %d", name, s.bases, s.baseBytes, s.bytesIn/members)
		}
		runtime.KeepAlive(all)
	}
}

// The first pod of a group had not started. When the others run, one of them takes its place.
func TestABaseThatDoesNotFitIsReplaced(t *testing.T) {
	p, made := New(Config{}), newPods(1)
	held := []Packed{p.Pack(protobuf(t, made.pod(1)), 1)}
	for range 10 {
		held = append(held, p.Pack(protobuf(t, made.run(made.pod(1))), 1))
	}
	last := held[len(held)-1]
	if last.base == held[0].base || last.Size() > last.Len()/5 {
		t.Errorf("the last takes %d of %d bytes", last.Size(), last.Len())
	}
}

// Objects of a group that have nothing in common take room, but few of them become bases.
func TestGroupOfDissimilarObjects(t *testing.T) {
	for _, group := range []uint64{0, 1} {
		p, r := New(Config{}), newPods(1).r
		var held []Packed
		for range 1000 {
			noise := make([]byte, 1000)
			for i := range noise {
				noise[i] = byte(r.Uint32())
			}
			held = append(held, p.Pack(noise, group))
		}
		if s := p.stats(); s.bases > 200 {
			t.Errorf("group %d: there are %d bases", group, s.bases)
		}
		runtime.KeepAlive(held)
	}
}

func TestObjectsWithoutGroup(t *testing.T) {
	for name, form := range forms {
		p, made := New(Config{}), newPods(1)
		for g := range 20 {
			for range 20 {
				p.Pack(form(t, made.run(made.pod(g))), 0)
			}
		}
		if s := p.stats(); s.bytesOut > s.bytesIn/5 {
			t.Errorf("%s: %d bytes of %d are held", name, s.bytesOut, s.bytesIn)
		}
	}
}

func TestBasesGoWithTheirObjects(t *testing.T) {
	p, made := New(Config{CacheBytes: 1 << 18, BurstBytes: 1}), newPods(1)
	groups := testsize.Of(2000, 400)
	held := make([]Packed, groups)
	var want [][]byte
	for g := range groups {
		src := protobuf(t, made.run(made.pod(g)))
		p.Pack(src, uint64(g+1))
		held[g] = p.Pack(src, uint64(g+1))
		want = append(want, src)
	}
	s := p.stats()
	if s.bases != int64(groups) || s.cacheBytes > 1<<18 {
		t.Fatalf("%+v, want %d bases", s, groups)
	}
	clear(held[20:])
	eventually(t, "bases are held that no object uses", func() bool {
		now := p.stats()
		p.mu.Lock()
		defer p.mu.Unlock()
		return now.bases <= 20+now.cached && now.baseBytes < s.baseBytes/4 && len(p.groups) == int(now.bases)
	})
	for g, x := range held[:20] {
		if got, err := x.AppendTo(nil); err != nil || !bytes.Equal(got, want[g]) {
			t.Fatalf("group %d: %v, or not the same", g, err)
		}
	}
	p.verify(t)
}

// The first two objects of a group come at the same time: each is made a base, and the second is packed against the first
// instead, whether that has an index (as a root) or not.
func TestGroupHasOneBase(t *testing.T) {
	p, made := New(Config{}), newPods(1)
	for group := 1; group <= 2; group++ {
		first, second := protobuf(t, made.run(made.pod(group))), protobuf(t, made.run(made.pod(group)))
		x := p.makeBase(new(encoder), first, uint64(group), nil)
		if root := x.base.root == nil; root != (group == 1) {
			t.Fatalf("group %d: root is %v", group, root)
		}
		y := p.makeBase(new(encoder), second, uint64(group), nil)
		if x.base != y.base || p.stats().bases != int64(group) {
			t.Errorf("there are %d bases, want one for each group", p.stats().bases)
		}
		for x, want := range map[Packed][]byte{x: first, y: second} {
			if got, err := x.AppendTo(nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v, or not the same", err)
			}
		}
	}
}

// A group that comes back after its base was evicted has the base cached again with its second object, not with the first: that
// may be the only one.
func TestBaseIsCachedAgain(t *testing.T) {
	p, made := New(Config{CacheBytes: 1 << 16, BurstBytes: 1}), newPods(1)
	var held []Packed
	add := func(group int) *base {
		x := p.Pack(protobuf(t, made.run(made.pod(group))), uint64(group))
		held = append(held, x)
		return x.base
	}
	for g := range 100 {
		if b := add(g + 1); g > 0 && b.index.Load() != nil {
			t.Errorf("the base of group %d is cached before there is a second object", g+1)
		}
		if b := add(g + 1); b.index.Load() == nil {
			t.Errorf("the base of group %d is not cached after two objects", g+1)
		}
	}
	for _, group := range []int{50, 51, 52} {
		if b := add(group); b.index.Load() != nil {
			t.Errorf("the base of group %d is cached after the first object", group)
		}
	}
	if b := add(51); b.index.Load() == nil {
		t.Error("the base is not cached after the second object")
	}
	add(60) // uses the encoder's own index, which must not be in the cache
	p.verify(t)
	runtime.KeepAlive(held)
}

// An encoder waits in a pool for its next object. It must not hold bases there.
func TestEncoderHoldsNothing(t *testing.T) {
	p, made := New(Config{}), newPods(1)
	e := new(encoder)
	for range 3 {
		p.pack(e, protobuf(t, made.run(made.pod(1))), 0)
	}
	if e.candidates != [len(e.candidates)]candidate{} || e.src != nil || e.base != nil || e.out != nil {
		t.Error("the encoder holds an object or a base")
	}
}

func TestManyPackAtOnce(t *testing.T) {
	p := New(Config{CacheBytes: 1 << 17, BurstBytes: 1 << 18})
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
	for _, src := range []string{"", "x", "12345678", strings.Repeat("x", minBase-1)} {
		x := p.Pack([]byte(src), 1)
		if got, err := x.AppendTo(nil); err != nil || string(got) != src || x.Len() != len(src) {
			t.Errorf("got %q (%d), %v; want %q", got, x.Len(), err, src)
		}
	}
	if s := p.stats(); s.bases != 0 || s.objects != 4 {
		t.Errorf("%+v", s)
	}
	if got, err := (Packed{}).AppendTo(nil); err != nil || got != nil || (Packed{}).Len() != 0 {
		t.Errorf("the zero object is %q, %v", got, err)
	}
}

func TestConfigNamesTheField(t *testing.T) {
	for want, c := range map[string]Config{"Config.CacheBytes is -1": {CacheBytes: -1}, "Config.BurstBytes is -2": {BurstBytes: -2}} {
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
