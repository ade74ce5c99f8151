package pack

import (
	"runtime"
	"weak"
)

// cache puts a base that is not a root into the cache. While many objects come, the cache is larger than at rest, because to make an index
// takes as long as to pack an object. It is trimmed after a run of the garbage collector, and so also when no more objects come. It is
// called under mu.
func (p *Packer) cache(b *base, index *baseIndex) *baseIndex {
	index = p.recent.put(b, index)
	p.scheduleTrim()
	return index
}

// scheduleTrim has the cache trimmed after the next run of the garbage collector, if it is larger than at rest.
func (p *Packer) scheduleTrim() {
	if p.trimScheduled || p.recent.size <= p.restSize {
		return
	}
	p.trimScheduled = true
	// The sentinel is garbage from now on. A smaller one might share its block of memory with other objects, and live on.
	runtime.AddCleanup(new([32]byte), func(pointer weak.Pointer[Packer]) {
		if p := pointer.Value(); p != nil {
			p.trim()
		}
	}, weak.Make(p))
}

// trim is called after a run of the garbage collector.
func (p *Packer) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trimScheduled = false
	p.recent.trim(p.restSize)
	p.scheduleTrim()
}
