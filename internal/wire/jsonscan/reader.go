package jsonscan

import (
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge says that one value is larger than any object that an API server stores.
var ErrTooLarge = errors.New("value too large")

const bufferSize = 64 << 10

// Reader cuts a stream into values.
type Reader struct {
	r     io.Reader
	limit int
	// Invariant: buf[start:end] are the bytes that have been read and not yet handed out.
	buf        []byte
	start, end int
	err        error // of r, once it has one
	inner      int   // how many objects and arrays are directly in the last value
}

// NewReader reads from r. A value may have limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: r, limit: limit, buf: make([]byte, bufferSize)}
}

// fill reads more bytes behind those that are there.
func (r *Reader) fill() error {
	if r.err != nil {
		return r.err
	}
	if r.end == len(r.buf) {
		if err := r.makeRoom(); err != nil {
			return err
		}
	}
	n, err := r.r.Read(r.buf[r.end:])
	r.end += n
	r.err = err
	if n > 0 {
		return nil
	}
	return err
}

func (r *Reader) makeRoom() error {
	pending := r.end - r.start
	switch {
	case pending > r.limit:
		return fmt.Errorf("%w: more than the limit of %d bytes", ErrTooLarge, r.limit)
	case pending <= len(r.buf)/2:
		copy(r.buf, r.buf[r.start:r.end])
	default:
		larger := make([]byte, 2*len(r.buf))
		copy(larger, r.buf[r.start:r.end])
		r.buf = larger
	}
	r.start, r.end = 0, pending
	return nil
}

// peek returns the next byte that is not white space, and leaves it.
func (r *Reader) peek() (byte, error) {
	for {
		for ; r.start < r.end; r.start++ {
			if c := r.buf[r.start]; !isSpace(c) {
				return c, nil
			}
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// expect takes one of the given bytes.
func (r *Reader) expect(allowed string) (byte, error) {
	c, err := r.peek()
	if err != nil {
		return 0, cutShort(err)
	}
	for i := range len(allowed) {
		if c == allowed[i] {
			r.start++
			return c, nil
		}
	}
	return 0, fmt.Errorf("%w: one of %q expected, found %q", ErrMalformed, allowed, c)
}

// Value returns the next value, which is valid until the next call. The error is io.EOF at the end of the stream, and
// io.ErrUnexpectedEOF within a value.
func (r *Reader) Value() ([]byte, error) {
	c, err := r.peek()
	if err != nil {
		return nil, err
	}
	switch c {
	case '}', ']', ',', ':':
		return nil, fmt.Errorf("%w: a value expected, found %q", ErrMalformed, c)
	}
	var s scanner
	seen := 0
	for {
		n, done := s.scan(r.buf[r.start+seen : r.end])
		seen += n
		if done {
			break
		}
		if err := r.fill(); err != nil {
			if err == io.EOF && s.scalar {
				break
			}
			return nil, cutShort(err)
		}
	}
	r.inner = s.inner
	v := r.buf[r.start : r.start+seen : r.start+seen]
	r.start += seen
	return v, nil
}

// Tail returns the rest, from at on, of the last value, without its last brace, if that is known to be one object that
// begins there; nil if it may be something else. The value is an object. So a caller that knows its beginning need not
// search for the end of the inner object again.
func (r *Reader) Tail(v []byte, at int) []byte {
	end := len(v) - 1
	if r.inner != 1 || at >= end || v[at] != '{' || v[end-1] != '}' || v[end] != '}' {
		return nil
	}
	return v[at:end:end]
}

// cutShort: an end is unexpected here.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
