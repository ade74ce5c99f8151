package table

import (
	"sync/atomic"
	"unsafe"
)

// seqlock lets readers without a lock detect that something was written while they read; see
// https://en.wikipedia.org/wiki/Seqlock. A reader loads the sequence number, reads, and reads again if the number has
// changed. Writers hold the write lock of the table. A write section is short: for an update it is the two words of the
// object.
type seqlock struct {
	seq   atomic.Uint64 // odd during a write
	batch bool          // several writes are one write section
}

// beginWrite starts a write section. Within a batch it does nothing. A nil seqlock is valid and means that there are no
// readers.
func (s *seqlock) beginWrite() {
	if s != nil && !s.batch {
		s.seq.Add(1)
	}
}

// endWrite ends a write section.
func (s *seqlock) endWrite() { s.beginWrite() }

// beginBatch starts a write section that contains several writes, of which a reader sees all or none.
func (s *seqlock) beginBatch() {
	s.seq.Add(1)
	s.batch = true
}

// endBatch ends the write section of a batch.
func (s *seqlock) endBatch() {
	s.batch = false
	s.seq.Add(1)
}

// beginRead returns the sequence number to pass to unchanged. It reports false during a write.
func (s *seqlock) beginRead() (seq uint64, ok bool) {
	seq = s.seq.Load()
	return seq, seq%2 == 0
}

// unchanged reports whether nothing was written since beginRead returned seq.
func (s *seqlock) unchanged(seq uint64) bool { return s.seq.Load() == seq }

// atomicValue is an interface value that readers load while a writer stores another one. The two words of an interface
// are stored and loaded one by one, so a reader must not make a value of the words that it loaded before the seqlock has
// told it that they belong together.
//
// It relies on the memory layout of Go's interfaces. An atomic.Pointer to a row would need neither, but costs an
// allocation for each update, or a cache miss for each read.
type atomicValue struct{ typ, data unsafe.Pointer }

// words is an interface value in memory.
type words [2]unsafe.Pointer

func (v *atomicValue) store(obj any) {
	w := (*words)(unsafe.Pointer(&obj))
	atomic.StorePointer(&v.typ, w[0])
	atomic.StorePointer(&v.data, w[1])
}

func (v *atomicValue) load() words {
	return words{atomic.LoadPointer(&v.typ), atomic.LoadPointer(&v.data)}
}

// value returns the interface value of two words that belong together.
func (w words) value() any { return *(*any)(unsafe.Pointer(&w)) }
