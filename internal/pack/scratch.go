package pack

import "sync"

// scratch has the bytes of a base that has no index, while objects are unpacked from it. They stay until another base is loaded: a
// reader of a list is likely to unpack the next object of the same group.
type scratch struct {
	base  *base // nil if there is none
	bytes []byte
}

// scratches is emptied by the garbage collector, so a base is not held there for long.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// load returns the bytes of a base, which are valid until the scratch is put back into the pool.
func (s *scratch) load(b *base) ([]byte, error) {
	if s.base == b {
		return s.bytes, nil
	}
	s.base = nil
	bytes, err := unpack(s.bytes[:0], b.root, b.data, false) // the checksum of the object covers both steps
	if err != nil {
		return nil, err
	}
	s.base, s.bytes = b, bytes
	return bytes, nil
}
