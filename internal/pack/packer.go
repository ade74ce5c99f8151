package pack

import (
	"fmt"
	"math"
	"sync"
	"weak"
)

// Config says how a [Packer] works. The zero value is good for most.
type Config struct {
	// WindowBytes is how much memory the packer may use to have references at hand. Other references have to be made
	// ready when an object of their family comes, which takes as long as packing. The default is 4 MiB: some 200
	// families of pods. An object that is longer than a sixteenth of it is packed for itself.
	WindowBytes int
	// BurstBytes is how much it may use while many objects come: what was used since the last run of the garbage
	// collector but one. The default is 64 MiB. Less than WindowBytes is as much as WindowBytes.
	BurstBytes int
}

func (c Config) validate() error {
	if c.WindowBytes < 0 {
		return fmt.Errorf("pack: Config.WindowBytes is %d; it must not be negative (0 is the default, 4 MiB)", c.WindowBytes)
	}
	if c.BurstBytes < 0 {
		return fmt.Errorf("pack: Config.BurstBytes is %d; it must not be negative (0 is the default, 64 MiB)", c.BurstBytes)
	}
	return nil
}

const (
	defaultWindowBytes = 4 << 20
	defaultBurstBytes  = 64 << 20

	// maxRoots is how many references there are to pack other references against.
	maxRoots = maxCandidates
	// maxCandidates is among how many references of a shelf one is looked for that is like an object.
	maxCandidates = 8

	// An object that is shorter is no reference: the bookkeeping would take more than it saves.
	minReference = 256
)

// Packer packs objects of one kind, or of several kinds that have much in common. Use [New]. It may be used by many
// goroutines.
type Packer struct {
	maxReference int

	mu       sync.Mutex
	families map[uint64]weak.Pointer[reference]
	hot      shelf
	roots    shelf
	luck     luck
	clock    int64 // counts objects of families
	rest     int   // is the size that hot goes back to
	trims    bool  // says that hot will be trimmed when the collector has run

	encoders sync.Pool
	stats    counters
}

// New makes a packer. It panics if the config is wrong.
func New(c Config) *Packer {
	if err := c.validate(); err != nil {
		panic(err)
	}
	if c.WindowBytes == 0 {
		c.WindowBytes = defaultWindowBytes
	}
	if c.BurstBytes == 0 {
		c.BurstBytes = defaultBurstBytes
	}
	return &Packer{
		maxReference: c.WindowBytes / 16,
		families:     map[uint64]weak.Pointer[reference]{},
		rest:         c.WindowBytes / 2,
		hot:          shelf{maxSize: max(c.WindowBytes/2, c.BurstBytes), maxCount: math.MaxInt},
		roots:        shelf{maxSize: c.WindowBytes / 2, maxCount: maxRoots},
		luck:         luck{credit: maxLuck},
		encoders:     sync.Pool{New: func() any { return new(encoder) }},
	}
}

// Pack packs an object, and does not keep src.
//
// Objects of one family are much alike, such as pods of a ReplicaSet: hash what they have in common, for example the
// UID of their owner. A family that turns out to be not alike costs room, but nothing else. Zero is for objects of
// which nothing is known: the packer then looks among the references that it used last.
func (p *Packer) Pack(src []byte, family uint64) Packed {
	e := p.encoders.Get().(*encoder)
	defer p.encoders.Put(e)
	x := p.pack(e, src, family)
	p.stats.packed(len(src), x)
	return x
}

func (p *Packer) pack(e *encoder, src []byte, family uint64) Packed {
	if len(src) == 0 {
		return Packed{}
	}
	if len(src) > p.maxReference {
		return Packed{data: e.pack(nil, src)}
	}
	ref, w := p.find(e, src, family)
	if ref == nil && family != 0 && len(src) >= minReference {
		return p.become(e, src, family, nil)
	}
	data := e.packBytes(w, src)
	if p.keeps(ref, len(src), len(data), family) {
		return Packed{data: string(data), ref: ref}
	}
	return p.become(e, src, family, ref)
}

// keeps says whether an object that became this small against ref stays that way, or is to become a reference.
func (p *Packer) keeps(ref *reference, length, size int, family uint64) bool {
	if length < minReference {
		return true
	}
	if family != 0 {
		return ref.wear.add(length, size)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.luck.keeps(length, size)
}

// find returns the reference for an object, with its window, or nil.
func (p *Packer) find(e *encoder, src []byte, family uint64) (*reference, *window) {
	if family == 0 {
		return p.nearest(e, src, &p.hot, &p.roots)
	}
	ref, w, again := p.lookUp(family)
	if ref == nil || w != nil {
		return ref, w
	}
	w = &e.own
	if again {
		w = new(window)
	}
	if err := ref.fill(w); err != nil {
		return nil, nil // the object becomes the next reference
	}
	if !again {
		return ref, w
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return ref, p.putHot(ref, w)
}

// lookUp returns the reference of a family, and its window if that is on a shelf. If it is not, again says whether it
// is worth a place there: there is room, or it would still be on the shelf if it had been put there the last time.
// Otherwise objects of many families that come in no order would take each other's places, and find none.
func (p *Packer) lookUp(family uint64) (ref *reference, w *window, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	if ref = p.families[family].Value(); ref == nil {
		return nil, nil, false
	}
	if ref.shelf != nil {
		return ref, ref.shelf.put(ref, nil), false
	}
	again = p.hot.size < p.hot.maxSize/2 || p.clock-ref.missed <= p.hot.capacity()
	ref.missed = p.clock
	return ref, nil, again
}

// nearest returns the reference that has most in common with src, of those that were used last on these shelves, or
// nil if none has anything.
func (p *Packer) nearest(e *encoder, src []byte, shelves ...*shelf) (*reference, *window) {
	p.mu.Lock()
	among := e.among[:0]
	for _, s := range shelves {
		among = s.first(maxCandidates, among)
	}
	p.mu.Unlock()
	defer clear(among) // an encoder that waits for its next object keeps nothing alive
	best := e.choose(src, among)
	if best.ref == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := best.ref.shelf; s != nil {
		s.put(best.ref, best.window)
	}
	return best.ref, best.window
}
