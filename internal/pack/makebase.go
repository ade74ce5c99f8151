package pack

import (
	"bytes"
	"runtime"
	"unsafe"
	"weak"
)

// makeBase makes src a base, that of its group in place of old if it has a group. If another goroutine has made a base of the group in the
// meantime, src is packed against that.
func (p *Packer) makeBase(e *encoder, src []byte, group uint64, old *base) Packed {
	data, root := p.packBase(e, src)
	b := &base{data: data, root: root}
	if b.aging.start(len(src)); old != nil {
		b.aging.succeed(&old.aging, len(src))
	}
	// A group may have no second object. Only roots, and bases without a group, must be cached to be found.
	var index *baseIndex
	if root == nil || group == 0 {
		index = newIndex(bytes.Clone(src))
	}
	if other := p.register(b, index, group, old); other != nil {
		if index = other.index.Load(); index == nil {
			index = &e.index
			if err := other.fill(index); err != nil {
				return Packed{data: e.pack(nil, src)}
			}
		}
		return Packed{data: e.pack(index, src), base: other}
	}
	return Packed{base: b}
}

// packBase packs src against the root that is most like it, and returns the bytes of the root. If none is like it, src becomes a root.
func (p *Packer) packBase(e *encoder, src []byte) (data string, root []byte) {
	if _, index := p.nearest(e, src, &p.roots); index != nil {
		if data := e.packBytes(index, src); len(data) <= len(src)*rootPercent/100 {
			p.countRoot(index)
			return string(data), index.bytes
		}
	}
	return e.pack(nil, src), nil
}

// rootPercent is the largest part of its length that a base may take if it is packed against a root.
const rootPercent = 45

// countRoot counts the bytes of a root that other bases are made of, for as long as they are held.
func (p *Packer) countRoot(index *baseIndex) {
	if index.counted.Swap(true) {
		return
	}
	size := int64(cap(index.bytes))
	p.counters.baseBytes.Add(size)
	packer := weak.Make(p) // a cleanup that held the packer would hold the root too, which is in its cache
	runtime.AddCleanup(&index.bytes[0], func(size int64) {
		if p := packer.Value(); p != nil {
			p.counters.baseBytes.Add(-size)
		}
	}, size)
}

// register adds a base, and its index if it has one, unless its group has a base that is not old. It then returns that one.
func (p *Packer) register(b *base, index *baseIndex, group uint64, old *base) *base {
	p.mu.Lock()
	defer p.mu.Unlock()
	pointer := weak.Make(b)
	if group != 0 {
		if other := p.groups[group].Value(); other != nil && other != old {
			return other
		}
		p.groups[group] = pointer
	}
	size := b.size()
	p.counters.bases.Add(1)
	p.counters.baseBytes.Add(int64(size))
	packer := weak.Make(p) // as in countRoot
	runtime.AddCleanup(b, func(group uint64) {
		if p := packer.Value(); p != nil {
			p.unregister(group, pointer, size)
		}
	}, group)
	b.missed = p.clock
	if index != nil && b.root == nil {
		p.roots.put(b, index)
	} else if index != nil {
		p.cache(b, index)
	}
	return nil
}

// unregister is called when the garbage collector has taken a base.
func (p *Packer) unregister(group uint64, pointer weak.Pointer[base], size int) {
	p.counters.bases.Add(-1)
	p.counters.baseBytes.Add(-int64(size))
	p.mu.Lock()
	defer p.mu.Unlock()
	if group != 0 && p.groups[group] == pointer {
		delete(p.groups, group)
	}
}

// size returns the memory of a base without its index.
func (b *base) size() int { return int(unsafe.Sizeof(*b)) + len(b.data) }
