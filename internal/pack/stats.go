package pack

import "sync/atomic"

// stats says what a packer has done, and what it holds.
type stats struct {
	// objects is the number of objects that were packed. They had bytesIn, and take bytesOut without their bases if all of them are
	// still held, which the packer does not know.
	objects, bytesIn, bytesOut int64

	// bases is the number of bases that objects or the packer hold, as far as the garbage collector has found out. They take baseBytes.
	bases, baseBytes int64

	// cached is the number of bases that have an index, and cacheBytes the size of the indexes.
	cached, cacheBytes int64
}

// stats returns the counters and the sizes of the caches. Counts that belong together may be an object apart while other goroutines pack.
func (p *Packer) stats() stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return stats{
		objects: p.counters.objects.Load(), bytesIn: p.counters.in.Load(), bytesOut: p.counters.out.Load(),
		bases: p.counters.bases.Load(), baseBytes: p.counters.baseBytes.Load(),
		cached:     int64(p.recent.lru.Len() + p.roots.lru.Len()),
		cacheBytes: int64(p.recent.size + p.roots.size),
	}
}

// counters are those of the stats that Packer.mu does not guard.
type counters struct {
	objects, in, out atomic.Int64
	bases, baseBytes atomic.Int64
}

// add counts an object of this length.
func (c *counters) add(length int, x Packed) {
	c.objects.Add(1)
	c.in.Add(int64(length))
	c.out.Add(int64(x.Size()))
}

// Held returns how many objects were packed and the bytes that they take, of which some may be gone, and the bytes of what the objects
// have in common: bases and their indexes.
func (p *Packer) Held() (objects, bytes, common int64) {
	s := p.stats()
	return s.objects, s.bytesOut, s.baseBytes + s.cacheBytes
}
