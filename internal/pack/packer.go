package pack

import (
	"fmt"
	"math"
	"sync"
	"weak"
)

// Config configures a [Packer]. The zero value is good for most programs.
type Config struct {
	// CacheBytes is the memory for the base caches. For a base that is not cached, an index has to be made when an object of its group
	// comes, which takes as long as packing. The default is 4 MiB: some 200 groups of pods. An object that is longer than a sixteenth
	// of it is packed without a base.
	CacheBytes int
	// BurstBytes is the memory for the base caches while many objects come: bases that were used since the last run of the garbage
	// collector but one stay cached. The default is 64 MiB. Less than CacheBytes is as much as CacheBytes.
	BurstBytes int
}

func (c Config) validate() error {
	if c.CacheBytes < 0 {
		return fmt.Errorf("pack: Config.CacheBytes is %d; it must not be negative (0 is the default, 4 MiB)", c.CacheBytes)
	}
	if c.BurstBytes < 0 {
		return fmt.Errorf("pack: Config.BurstBytes is %d; it must not be negative (0 is the default, 64 MiB)", c.BurstBytes)
	}
	return nil
}

const (
	defaultCacheBytes = 4 << 20
	defaultBurstBytes = 64 << 20

	// maxRoots is the number of bases that other bases are packed against.
	maxRoots = maxCandidates
	// maxCandidates is the number of bases of a cache among which one is looked for that is like an object.
	maxCandidates = 8

	// minBase is the length from which on an object may become a base. For a shorter one, the bookkeeping would take more than it saves.
	minBase = 256
)

// Packer packs objects of one kind, or of several kinds that have much in common. It may be used by any number of goroutines. Use [New].
type Packer struct {
	maxBase int // the longest object that is packed against a base, or becomes one

	mu            sync.Mutex
	groups        map[uint64]weak.Pointer[base] // the base of each template group
	recent        baseCache                     // bases that are not roots
	roots         baseCache
	sampling      sampling
	clock         int64 // the number of objects with a group that were looked up
	restSize      int   // the size that recent is trimmed to
	trimScheduled bool  // recent is trimmed after the next run of the garbage collector

	encoders sync.Pool
	counters counters
}

// New returns a new Packer. It panics if the config is invalid.
func New(c Config) *Packer {
	if err := c.validate(); err != nil {
		panic(err)
	}
	if c.CacheBytes == 0 {
		c.CacheBytes = defaultCacheBytes
	}
	if c.BurstBytes == 0 {
		c.BurstBytes = defaultBurstBytes
	}
	return &Packer{
		maxBase:  c.CacheBytes / 16,
		groups:   map[uint64]weak.Pointer[base]{},
		restSize: c.CacheBytes / 2,
		recent:   baseCache{maxSize: max(c.CacheBytes/2, c.BurstBytes), maxCount: math.MaxInt},
		roots:    baseCache{maxSize: c.CacheBytes / 2, maxCount: maxRoots},
		sampling: sampling{credit: maxCredit},
		encoders: sync.Pool{New: func() any { return new(encoder) }},
	}
}

// Pack returns src as a packed object. It does not keep src.
//
// Objects of one template group are much alike, such as the pods of a ReplicaSet: group is a hash of something that they have in common, for
// example the UID of their owner. Objects of one group that are not alike take more room, and nothing else. Zero is for objects of
// which nothing is known: the packer then looks among the bases that it used last.
func (p *Packer) Pack(src []byte, group uint64) Packed {
	e := p.encoders.Get().(*encoder)
	defer p.encoders.Put(e)
	x := p.pack(e, src, group)
	p.counters.add(len(src), x)
	return x
}

func (p *Packer) pack(e *encoder, src []byte, group uint64) Packed {
	if len(src) == 0 {
		return Packed{}
	}
	if len(src) > p.maxBase {
		return Packed{data: e.pack(nil, src)}
	}
	b, index := p.find(e, src, group)
	if b == nil && group != 0 && len(src) >= minBase {
		return p.makeBase(e, src, group, nil)
	}
	data := e.packBytes(index, src)
	if p.keeps(b, len(src), len(data), group) {
		return Packed{data: string(data), base: b}
	}
	return p.makeBase(e, src, group, b)
}

// keeps reports whether an object of this length stays as it was packed against b, in size bytes. If not, it is to become a base.
func (p *Packer) keeps(b *base, length, size int, group uint64) bool {
	if length < minBase {
		return true
	}
	if group != 0 {
		return b.aging.add(length, size)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sampling.keeps(length, size)
}

// find returns the base for an object, with its index, or nil.
func (p *Packer) find(e *encoder, src []byte, group uint64) (*base, *baseIndex) {
	if group == 0 {
		return p.nearest(e, src, &p.recent, &p.roots)
	}
	b, index, admit := p.lookUp(group)
	if b == nil || index != nil {
		return b, index
	}
	index = &e.index
	if admit {
		index = new(baseIndex)
	}
	if err := b.fill(index); err != nil {
		return nil, nil // the object becomes the next base
	}
	if !admit {
		return b, index
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return b, p.cache(b, index)
}

// lookUp returns the base of a group, and its index if it is cached. If it is not, admit reports whether it is to be cached: there is
// room, or it would still be in the cache if it had been put there the last time. Otherwise objects of many groups that come in no order
// would evict each other's bases, and find none.
func (p *Packer) lookUp(group uint64) (b *base, index *baseIndex, admit bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	if b = p.groups[group].Value(); b == nil {
		return nil, nil, false
	}
	if b.cache != nil {
		return b, b.cache.put(b, nil), false
	}
	admit = p.recent.size < p.recent.maxSize/2 || p.clock-b.missed <= p.recent.capacity()
	b.missed = p.clock
	return b, nil, admit
}

// nearest returns the base that has most in common with src, of those that were used last in some caches, or nil if none has anything in
// common with it.
func (p *Packer) nearest(e *encoder, src []byte, caches ...*baseCache) (*base, *baseIndex) {
	p.mu.Lock()
	candidates := e.candidates[:0]
	for _, c := range caches {
		candidates = c.first(maxCandidates, candidates)
	}
	p.mu.Unlock()
	defer clear(candidates) // an encoder in the pool must keep nothing alive
	best := e.choose(src, candidates)
	if best.base == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := best.base.cache; c != nil {
		c.put(best.base, best.index)
	}
	return best.base, best.index
}
