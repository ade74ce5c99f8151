package pack

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// While objects of many families come in turns, each family keeps its window, although there is no room for them at rest. When
// no more come, the collector takes back what is too much.
func TestBurst(t *testing.T) {
	const rest, families = 1 << 17, 100
	p, made := New(Config{WindowBytes: 2 * rest}), newPods(1)
	var held []Packed
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it runs when it is told to
	for round := range 6 {
		for f := range families {
			held = append(held, p.Pack(protobuf(t, made.run(made.pod(f))), uint64(f+1)))
		}
		if round == 1 {
			if s := p.Stats(); s.Windows < families {
				t.Fatalf("%d windows after two rounds, want one a family: %d", s.Windows, families)
			}
		}
		if round > 1 { // all were used since the last time
			p.collected()
			if s := p.Stats(); s.Windows < families {
				t.Fatalf("%d windows while they are in use, want %d", s.Windows, families)
			}
		}
	}
	p.verify(t)
	eventually(t, "windows stay that nobody uses", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.hot.size <= rest && !p.trims
	})
	p.verify(t)
	runtime.KeepAlive(held)
}

func TestAPackerIsNotHeldByWhatTrimsIt(t *testing.T) {
	gone := make(chan struct{})
	func() {
		p, made := New(Config{WindowBytes: 1 << 16}), newPods(1)
		for f := range 20 {
			src := protobuf(t, made.run(made.pod(f)))
			p.Pack(src, uint64(f+1))
			p.Pack(src, uint64(f+1))
		}
		if !p.trims {
			t.Error("there is nothing to trim")
		}
		runtime.AddCleanup(p, func(gone chan struct{}) { close(gone) }, gone)
	}()
	eventually(t, "the packer is held", func() bool {
		select {
		case <-gone:
			return true
		default:
			return false
		}
	})
}
