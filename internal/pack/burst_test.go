package pack

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// While objects of many groups come in turns, the base of each group stays cached, although there is no room for them at rest. When no
// more objects come, the cache is trimmed.
func TestBurst(t *testing.T) {
	const rest, groups = 1 << 17, 100
	p, made := New(Config{CacheBytes: 2 * rest}), newPods(1)
	var held []Packed
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the test calls it
	for round := range 6 {
		for g := range groups {
			held = append(held, p.Pack(protobuf(t, made.run(made.pod(g))), uint64(g+1)))
		}
		if round == 1 {
			if s := p.stats(); s.cached < groups {
				t.Fatalf("%d bases are cached after two rounds, want one for each group: %d", s.cached, groups)
			}
		}
		if round > 1 { // all were used since the last time
			p.trim()
			if s := p.stats(); s.cached < groups {
				t.Fatalf("%d bases are cached while they are in use, want %d", s.cached, groups)
			}
		}
	}
	p.verify(t)
	eventually(t, "unused bases stay cached", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.recent.size <= rest && !p.trimScheduled
	})
	p.verify(t)
	runtime.KeepAlive(held)
}

func TestAScheduledTrimDoesNotHoldThePacker(t *testing.T) {
	gone := make(chan struct{})
	func() {
		p, made := New(Config{CacheBytes: 1 << 16}), newPods(1)
		for g := range 20 {
			src := protobuf(t, made.run(made.pod(g)))
			p.Pack(src, uint64(g+1))
			p.Pack(src, uint64(g+1))
		}
		if !p.trimScheduled {
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
