package pack

import "sync"

// bench is where a reference lies that has no window, while objects are made of it. It stays until another is laid
// there, as whoever reads a list comes with the next object of the same family.
type bench struct {
	ref   *reference // nil if there is none
	bytes []byte     // of ref
}

// benches are emptied by the garbage collector, so what lies there is not held for long.
var benches = sync.Pool{New: func() any { return new(bench) }}

// lay returns the bytes of a reference, for reading until [bench.leave].
func (b *bench) lay(r *reference) ([]byte, error) {
	if b.ref == r {
		return b.bytes, nil
	}
	b.ref = nil
	bytes, err := unpack(b.bytes[:0], r.base, r.data, false) // the checksum of the object is that of the whole way
	if err != nil {
		return nil, err
	}
	b.ref, b.bytes = r, bytes
	return bytes, nil
}

func (b *bench) leave() { benches.Put(b) }
