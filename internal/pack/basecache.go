package pack

import "container/list"

// baseCache is an LRU cache of bases that have an index. Packer.mu guards it.
type baseCache struct {
	lru      list.List // of *base, the last used first
	size     int       // of the indexes, in bytes
	maxSize  int
	maxCount int
	round    int64 // the number of trims
}

// put adds a base with its index or, if it is in a cache already, makes it the last used one there. It returns the index that is in use,
// which is another one if another goroutine has made one in the meantime.
func (c *baseCache) put(b *base, index *baseIndex) *baseIndex {
	if b.cache != nil {
		b.cache.lru.MoveToFront(b.elem)
		b.round = b.cache.round
		return b.index.Load()
	}
	b.index.Store(index)
	b.cache, b.elem, b.round = c, c.lru.PushFront(b), c.round
	c.size += index.size()
	for c.lru.Len() > 1 && (c.size > c.maxSize || c.lru.Len() > c.maxCount) {
		c.evict(c.lru.Back().Value.(*base))
	}
	return index
}

// capacity returns about how many bases have room.
func (c *baseCache) capacity() int64 {
	return int64(c.lru.Len()) * int64(c.maxSize) / int64(max(c.size, 1))
}

// trim evicts the bases that were not used since the last trim but one, down to a size.
func (c *baseCache) trim(size int) {
	for c.size > size {
		b := c.lru.Back().Value.(*base)
		if c.round-b.round < 2 {
			break
		}
		c.evict(b)
	}
	c.round++
}

func (c *baseCache) evict(b *base) {
	c.lru.Remove(b.elem)
	c.size -= b.index.Swap(nil).size()
	b.cache, b.elem = nil, nil
}

// first appends the n bases that were used last to out.
func (c *baseCache) first(n int, out []candidate) []candidate {
	for e := c.lru.Front(); e != nil && n > 0; e, n = e.Next(), n-1 {
		b := e.Value.(*base)
		out = append(out, candidate{b, b.index.Load()})
	}
	return out
}

// candidate is a base that an object may be packed against, with its index: the base may be evicted while the encoder reads the index.
type candidate struct {
	base  *base
	index *baseIndex
}
