package pack

import (
	"container/list"
	"sync/atomic"
)

// base is an object that others are copied from. The objects hold it; when none does any more, and no cache, it is garbage.
type base struct {
	// data says how the base is made of root.
	data string
	// root is the bytes of a base that is packed against nothing. It is nil if this is such a base.
	root []byte

	// index is what the encoder copies from. Invariant: it is not nil if and only if a cache has the base. A base may be evicted at any time.
	index atomic.Pointer[baseIndex]

	// Packer.mu guards these. elem is where the base is in cache; both are nil if it is in none. round is that of the cache when the base
	// was last used there. missed is the time on the packer's clock when the base was made, or last looked up and not cached.
	elem   *list.Element
	cache  *baseCache
	round  int64
	missed int64

	aging aging
}

// fill makes index that of the base. It uses the memory of the index as far as that suffices.
func (b *base) fill(index *baseIndex) error {
	bytes, err := unpack(index.bytes[:0], b.root, b.data, true)
	if err != nil {
		return err
	}
	index.fill(bytes)
	return nil
}
