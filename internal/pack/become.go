package pack

import (
	"bytes"
	"runtime"
	"unsafe"
	"weak"
)

// become makes src a reference, of its family if it has one, in the place of old. If somebody else was faster, src is
// packed against theirs.
func (p *Packer) become(e *encoder, src []byte, family uint64, old *reference) Packed {
	data, base := p.packReference(e, src)
	r := &reference{data: data, base: base}
	if r.wear.first(len(src)); old != nil {
		r.wear.follow(&old.wear, len(src))
	}
	// A family may have no second object. Only roots, and references that have no other name, must be on a shelf to
	// be found.
	var w *window
	if base == nil || family == 0 {
		w = newWindow(bytes.Clone(src))
	}
	if other := p.adopt(r, w, family, old); other != nil {
		if w = other.hot.Load(); w == nil {
			w = &e.own
			if err := other.fill(w); err != nil {
				return Packed{data: e.pack(nil, src)}
			}
		}
		return Packed{data: e.pack(w, src), ref: other}
	}
	return Packed{ref: r}
}

// packReference packs src against the root that is most like it, and returns the bytes of the root. If none is like
// it, src will be a root.
func (p *Packer) packReference(e *encoder, src []byte) (data string, base []byte) {
	if _, w := p.nearest(e, src, &p.roots); w != nil {
		if data := e.packBytes(w, src); len(data) <= len(src)*rootPart/100 {
			p.base(w)
			return string(data), w.bytes
		}
	}
	return e.pack(nil, src), nil
}

// base counts the bytes of a root that others are made of, for as long as they are held.
func (p *Packer) base(w *window) {
	if w.isBase.Swap(true) {
		return
	}
	size := int64(cap(w.bytes))
	p.stats.refBytes.Add(size)
	packer := weak.Make(p) // it has the root on a shelf, so that neither would go if the cleanup held it
	runtime.AddCleanup(&w.bytes[0], func(size int64) {
		if p := packer.Value(); p != nil {
			p.stats.refBytes.Add(-size)
		}
	}, size)
}

// rootPart is how much of its length, in percent, a reference may take that is packed against a root.
const rootPart = 45

// adopt takes a reference, and its window if it has one, unless its family has a reference by now that is not old. It
// then returns that one.
func (p *Packer) adopt(r *reference, w *window, family uint64, old *reference) *reference {
	p.mu.Lock()
	defer p.mu.Unlock()
	pointer := weak.Make(r)
	if family != 0 {
		if other := p.families[family].Value(); other != nil && other != old {
			return other
		}
		p.families[family] = pointer
	}
	size := r.size()
	p.stats.references.Add(1)
	p.stats.refBytes.Add(int64(size))
	packer := weak.Make(p) // as in base
	runtime.AddCleanup(r, func(family uint64) {
		if p := packer.Value(); p != nil {
			p.forget(family, pointer, size)
		}
	}, family)
	r.missed = p.clock
	if w != nil && r.base == nil {
		p.roots.put(r, w)
	} else if w != nil {
		p.putHot(r, w)
	}
	return nil
}

// forget is called when a reference is gone.
func (p *Packer) forget(family uint64, pointer weak.Pointer[reference], size int) {
	p.stats.references.Add(-1)
	p.stats.refBytes.Add(-int64(size))
	p.mu.Lock()
	defer p.mu.Unlock()
	if family != 0 && p.families[family] == pointer {
		delete(p.families, family)
	}
}

// size is the memory that it takes without its window.
func (r *reference) size() int { return int(unsafe.Sizeof(*r)) + len(r.data) }
