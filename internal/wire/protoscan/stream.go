package protoscan

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge says that one object is larger than any that an API server stores.
var ErrTooLarge = errors.New("object too large")

// source reads from a stream with an end that is known.
type source struct {
	r     *bufio.Reader
	limit int
	// left is how many bytes of the current message are still to come; negative means that only the stream's end ends it.
	left int64
	buf  []byte
}

const (
	bufferSize = 64 << 10
	endless    = -1
)

// atEnd reports whether the current message is over. The end of the stream is one only where no length was promised.
func (s *source) atEnd() (bool, error) {
	if s.left != endless {
		return s.left == 0, nil
	}
	_, err := s.r.Peek(1)
	if err == io.EOF {
		return true, nil
	}
	return false, err
}

func (s *source) ReadByte() (byte, error) {
	if s.left == 0 {
		return 0, fmt.Errorf("%w: a number goes beyond the end", ErrMalformed)
	}
	b, err := s.r.ReadByte()
	if err != nil {
		return 0, cutShort(err)
	}
	s.spend(1)
	return b, nil
}

func (s *source) spend(n int64) {
	if s.left != endless {
		s.left -= n
	}
}

// tag reads the beginning of a field, and its length if it has one.
func (s *source) tag() (number, wireType int, length int64, err error) {
	tag, err := s.uvarint()
	if err != nil {
		return 0, 0, 0, err
	}
	number, wireType, ok := splitTag(tag, true)
	if !ok {
		return 0, 0, 0, fmt.Errorf("%w: bad tag", ErrMalformed)
	}
	switch wireType {
	case typeVarint:
		_, err = s.uvarint()
	case typeFixed64:
		length = 8
	case typeFixed32:
		length = 4
	case typeBytes:
		length, err = s.length()
	default:
		err = fmt.Errorf("%w: unknown wire type", ErrMalformed)
	}
	return number, wireType, length, err
}

func (s *source) length() (int64, error) {
	n, err := s.uvarint()
	if err != nil {
		return 0, err
	}
	if n > 1<<62 || s.left != endless && int64(n) > s.left {
		return 0, fmt.Errorf("%w: a length of %d goes beyond the end", ErrMalformed, n)
	}
	return int64(n), nil
}

// uvarint is binary.ReadUvarint with errors that say what happened.
func (s *source) uvarint() (uint64, error) {
	v, err := binary.ReadUvarint(s)
	if err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, io.ErrUnexpectedEOF) {
		if errors.Is(err, io.EOF) {
			return 0, cutShort(err)
		}
		// ReadUvarint has an unexported error for numbers that are too long.
		if _, isRead := errors.AsType[*readError](err); !isRead {
			err = fmt.Errorf("%w: %w", ErrMalformed, err)
		}
	}
	return v, err
}

// bytes reads n bytes into the buffer, which the next call uses again. The buffer grows with what comes, not with what was
// promised.
func (s *source) bytes(n int64) ([]byte, error) {
	if n > int64(s.limit) {
		return nil, fmt.Errorf("%w: %d bytes, and the limit is %d", ErrTooLarge, n, s.limit)
	}
	if n <= bufferSize {
		// It fits into the reader's own buffer, where it stays until the next call reads on.
		b, err := s.r.Peek(int(n))
		if err != nil {
			return nil, cutShort(err)
		}
		_, _ = s.r.Discard(int(n))
		s.spend(n)
		return b[:n:n], nil
	}
	s.buf = s.buf[:0]
	for int64(len(s.buf)) < n {
		if len(s.buf) == cap(s.buf) {
			s.buf = append(s.buf, 0)[:len(s.buf)]
		}
		// The first step of a fresh buffer is small, each further one doubles it.
		if len(s.buf) == 0 && int64(cap(s.buf)) < min(n, bufferSize) {
			s.buf = make([]byte, 0, min(n, bufferSize))
		}
		step := min(n-int64(len(s.buf)), int64(cap(s.buf)-len(s.buf)))
		part := s.buf[len(s.buf) : int64(len(s.buf))+step]
		if _, err := io.ReadFull(s.r, part); err != nil {
			return nil, cutShort(err)
		}
		s.buf = s.buf[:int64(len(s.buf))+step]
	}
	s.spend(n)
	return s.buf, nil
}

func (s *source) skip(n int64) error {
	if _, err := io.CopyN(io.Discard, s.r, n); err != nil {
		return cutShort(err)
	}
	s.spend(n)
	return nil
}

// readError keeps the error of a connection apart from those of the parser.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// cutShort: an end is unexpected here.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return &readError{err}
}

// FrameReader reads frames that begin with their length, four bytes, the high ones first.
type FrameReader struct {
	s source
}

// NewFrameReader reads from r. A frame may have limit bytes.
func NewFrameReader(r io.Reader, limit int) *FrameReader {
	return &FrameReader{source{r: bufio.NewReaderSize(r, bufferSize), limit: limit, left: endless}}
}

// Next returns the next frame, which is valid until the next call. The error is io.EOF at the end, and
// io.ErrUnexpectedEOF within a frame.
func (f *FrameReader) Next() ([]byte, error) {
	if _, err := f.s.r.Peek(1); err != nil {
		return nil, err
	}
	var header [4]byte
	if _, err := io.ReadFull(f.s.r, header[:]); err != nil {
		return nil, cutShort(err)
	}
	return f.s.bytes(int64(binary.BigEndian.Uint32(header[:])))
}
