package pack

import "testing"

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates on its own account")
	}
	p, made := New(Config{}), newPods(1)
	src := protobuf(t, made.run(made.pod(1)))
	p.Pack(src, 1)
	src = protobuf(t, made.run(made.pod(1)))
	x := p.Pack(src, 1)
	if n := testing.AllocsPerRun(100, func() { p.Pack(src, 1) }); n > 1.5 {
		t.Errorf("Pack allocates %.1f times, want once", n)
	}
	room := make([]byte, 0, len(src))
	if n := testing.AllocsPerRun(100, func() { _, _ = x.AppendTo(room) }); n > 0.5 {
		t.Errorf("AppendTo allocates %.1f times, want never", n)
	}
}

func BenchmarkPack(b *testing.B) {
	for name, form := range forms {
		b.Run(name, func(b *testing.B) {
			p, all := New(Config{}), groupOf(b, form)
			b.ReportAllocs()
			b.SetBytes(int64(len(all[0])))
			for i := 0; b.Loop(); i++ {
				p.Pack(all[i%len(all)], 1)
			}
			s := p.stats()
			b.ReportMetric(float64(s.bytesOut)/float64(s.objects), "packed-B")
		})
	}
}

func BenchmarkUnpack(b *testing.B) {
	for name, form := range forms {
		b.Run(name, func(b *testing.B) {
			p, all := New(Config{}), groupOf(b, form)
			var packed []Packed
			for _, src := range all {
				packed = append(packed, p.Pack(src, 1))
			}
			room := make([]byte, 0, 1<<16)
			b.ReportAllocs()
			b.SetBytes(int64(len(all[0])))
			for i := 0; b.Loop(); i++ {
				if _, err := packed[i%len(packed)].AppendTo(room); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func groupOf(b *testing.B, form form) [][]byte {
	made := newPods(1)
	all := make([][]byte, 100)
	for i := range all {
		all[i] = form(b, made.run(made.pod(7)))
	}
	return all
}
