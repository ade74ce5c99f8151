package pack

import "sync/atomic"

// Stats are what a packer has done, and what it holds.
type Stats struct {
	// Objects were packed since the packer was made; they had BytesIn, and take BytesOut without their references, if
	// all of them are still held. A packer does not know which are.
	Objects, BytesIn, BytesOut int64

	// References are held by objects or by the packer, as the garbage collector last saw it, and take ReferenceBytes.
	References, ReferenceBytes int64

	// Windows are references that are ready to be copied from, and take WindowBytes more.
	Windows, WindowBytes int64
}

// Stats returns them. Counts that belong together may be an object apart while others pack.
func (p *Packer) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Objects: p.stats.objects.Load(), BytesIn: p.stats.in.Load(), BytesOut: p.stats.out.Load(),
		References: p.stats.references.Load(), ReferenceBytes: p.stats.refBytes.Load(),
		Windows:     int64(p.hot.recent.Len() + p.roots.recent.Len()),
		WindowBytes: int64(p.hot.size + p.roots.size),
	}
}

// counters are those of the stats that the packer's lock does not guard.
type counters struct {
	objects, in, out     atomic.Int64
	references, refBytes atomic.Int64
}

func (c *counters) packed(length int, x Packed) {
	c.objects.Add(1)
	c.in.Add(int64(length))
	c.out.Add(int64(x.Size()))
}
