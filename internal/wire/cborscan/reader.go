package cborscan

import (
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge says that one item is larger than any object that an API server stores.
var ErrTooLarge = errors.New("item too large")

const bufferSize = 64 << 10

// Reader cuts a stream into items.
type Reader struct {
	r     io.Reader
	limit int
	// Invariant: buf[start:end] are the bytes that have been read and not yet handed out.
	buf        []byte
	start, end int
	err        error // of r, once it has one
}

// NewReader reads from r. An item may have limit bytes.
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

// peek returns the head of the next item, and leaves it. The error is io.EOF at the end of the stream.
func (r *Reader) peek() (head, error) {
	for {
		h, err := parseHead(r.buf[r.start:r.end])
		if err != nil || h.size > 0 {
			return h, err
		}
		pending := r.end - r.start
		if err := r.fill(); err != nil {
			if pending > 0 {
				err = cutShort(err)
			}
			return head{}, err
		}
	}
}

// broken reports whether an item of indefinite length ends here, and goes past its end.
func (r *Reader) broken() (bool, error) {
	for r.start == r.end {
		if err := r.fill(); err != nil {
			return false, cutShort(err)
		}
	}
	if r.buf[r.start] != breakItem {
		return false, nil
	}
	r.start++
	return true, nil
}

// bare is peek behind the tags of self-described CBOR.
func (r *Reader) bare() (head, error) {
	const selfDescribed = 55799
	h, err := r.peek()
	for err == nil && h.major == typeTag && h.number == selfDescribed {
		r.start += h.size
		if h, err = r.peek(); err != nil {
			err = cutShort(err)
		}
	}
	return h, err
}

// Value returns the next item, which is valid until the next call. The error is io.EOF at the end of the stream, and
// io.ErrUnexpectedEOF within an item.
func (r *Reader) Value() ([]byte, error) {
	var s scanner
	for seen := 0; ; {
		n, done, err := s.scan(r.buf[r.start+seen : r.end])
		if seen += n; err != nil {
			return nil, err
		}
		if done {
			if seen > r.limit {
				return nil, fmt.Errorf("%w: %d bytes, and the limit is %d", ErrTooLarge, seen, r.limit)
			}
			v := r.buf[r.start : r.start+seen : r.start+seen]
			r.start += seen
			return v, nil
		}
		// The bytes of a string that are still to come are not believed, but they tell early that it is too large.
		if s.skip > uint64(r.limit) || seen > r.limit {
			return nil, fmt.Errorf("%w: more than the limit of %d bytes", ErrTooLarge, r.limit)
		}
		pending := r.end - r.start
		if err := r.fill(); err != nil {
			if pending > 0 {
				err = cutShort(err)
			}
			return nil, err
		}
	}
}

// cutShort: an end is unexpected here.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
