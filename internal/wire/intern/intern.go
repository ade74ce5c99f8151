// Package intern finds strings and parts of objects that are equal to earlier ones, so that a decoder stores them once.
//
//   - [Cache] is a set-associative cache of bounded size: a value is in one of the two slots of the set that its hash selects.
//   - [HitRate] samples how often the value of a field was found in a cache, and so decides whether to look it up at all.
//
// Neither has a lock. All methods may be called by any number of goroutines.
package intern

import "sync/atomic"

// Cache has the values that were put last. It grows with their number, up to MaxSets sets. A goroutine that looks up a value while another
// one puts it may find it or not.
type Cache[T any] struct {
	MaxSets int // a power of two
	table   atomic.Pointer[[]Set[T]]
	missed  atomic.Int64 // the number of values that were put since the table has grown
}

// associativity is the number of slots of a set.
const associativity = 2

// Set is the slots that a value with a certain hash may be in, the last put first.
type Set[T any] [associativity]atomic.Pointer[T]

const minSets = 64

// At returns the set of a hash. The caller compares the values in it.
func (c *Cache[T]) At(hash uint64) *Set[T] {
	table := c.table.Load()
	if table == nil {
		table = c.grow(nil, minSets)
	}
	return &(*table)[hash&uint64(len(*table)-1)]
}

// Put puts a value into a set that At has returned, and evicts the one of the set that was put first.
func (c *Cache[T]) Put(set *Set[T], value *T) {
	set[1].Store(set[0].Load())
	set[0].Store(value)
	table := c.table.Load()
	// It grows early: values that differ in each object are put here as well, and would evict the others.
	if n := len(*table); c.missed.Add(1) > int64(n/2) && n < c.MaxSets {
		c.missed.Store(0)
		c.grow(table, 4*n)
	}
}

// Size returns the number of sets.
func (c *Cache[T]) Size() int {
	if table := c.table.Load(); table != nil {
		return len(*table)
	}
	return 0
}

// grow replaces a table by a larger one, which is empty.
func (c *Cache[T]) grow(old *[]Set[T], n int) *[]Set[T] {
	table := make([]Set[T], min(n, c.MaxSets))
	c.table.CompareAndSwap(old, &table)
	return c.table.Load()
}

// Clear drops all values.
func (c *Cache[T]) Clear() {
	table := make([]Set[T], min(minSets, c.MaxSets))
	c.table.Store(&table)
	c.missed.Store(0)
}

// HitRate measures how often the value of one field was found in a cache. It is measured on a sample of the objects, which the caller chooses. For
// the other objects, the field is looked up only if the rate is high enough.
type HitRate struct{ lookups, hits atomic.Uint32 }

const (
	// minLookups is the number of sampled look-ups before which the rate is not known, and values are looked up. After maxLookups, all earlier
	// ones count half.
	minLookups, maxLookups = 64, 1 << 12
)

// ShouldLookUp reports whether to look up a value: always if the object is sampled, and otherwise if at least one sampled look-up in oneIn was
// a hit.
func (r *HitRate) ShouldLookUp(oneIn uint32, sampled bool) bool {
	if !sampled {
		n := r.lookups.Load()
		return n < minLookups || r.hits.Load() >= n/oneIn
	}
	if r.lookups.Add(1) == maxLookups {
		r.lookups.Store(maxLookups / 2)
		r.hits.Store(r.hits.Load() / 2)
	}
	return true
}

// Lookups returns the number of sampled look-ups that count.
func (r *HitRate) Lookups() int { return int(r.lookups.Load()) }

// Hit counts a look-up that has found the value, if the object is sampled.
func (r *HitRate) Hit(sampled bool) {
	if sampled {
		r.hits.Add(1)
	}
}
