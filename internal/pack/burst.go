package pack

import (
	"runtime"
	"weak"
)

// putHot puts a reference on the hot shelf. While many objects come, that has more on it than at rest: to make the
// window of a reference takes as long as to pack an object. What is too much goes when the collector has run, and so
// also when no objects come any more. The packer's lock is held.
func (p *Packer) putHot(r *reference, w *window) *window {
	w = p.hot.put(r, w)
	p.trimLater()
	return w
}

// trimLater has the hot shelf trimmed when the collector has run, if it has too much on it.
func (p *Packer) trimLater() {
	if p.trims || p.hot.size <= p.rest {
		return
	}
	p.trims = true
	// The sentinel is garbage from now on. A smaller one might share its piece of memory with others, and live on.
	runtime.AddCleanup(new([32]byte), func(pointer weak.Pointer[Packer]) {
		if p := pointer.Value(); p != nil {
			p.collected()
		}
	}, weak.Make(p))
}

// collected is called when the collector has run.
func (p *Packer) collected() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trims = false
	p.hot.trim(p.rest)
	p.trimLater()
}
