package protoscan

import (
	"bufio"
	"fmt"
	"io"
)

// ListReader reads a list in Kubernetes' protobuf as a stream. A list has its metadata in field 1 and its items in field
// 2, whatever its kind.
type ListReader struct {
	s source
	// APIVersion and Kind are the list's. They are there when Next has returned the first item.
	APIVersion, Kind string
	// Meta is the list's metadata, a meta.v1.ListMeta. It is complete when Next has returned io.EOF.
	Meta []byte

	opened bool
}

// NewListReader reads from r. An item may have limit bytes.
func NewListReader(r io.Reader, limit int) *ListReader {
	return &ListReader{s: source{r: bufio.NewReaderSize(r, bufferSize), limit: limit, left: endless}}
}

// Next returns the next item, which is valid until the next call. The error is io.EOF at the end of the list, and
// io.ErrUnexpectedEOF if the stream ends before it.
func (l *ListReader) Next() ([]byte, error) {
	if !l.opened {
		if err := l.open(); err != nil {
			return nil, err
		}
		l.opened = true
	}
	for {
		end, err := l.s.atEnd()
		if err != nil {
			return nil, err
		}
		if end {
			return nil, io.EOF
		}
		number, wireType, length, err := l.s.tag()
		if err != nil {
			return nil, err
		}
		switch {
		case number == 2 && wireType == typeBytes:
			return l.s.bytes(length)
		case number == 1 && wireType == typeBytes:
			meta, err := l.s.bytes(length)
			if err != nil {
				return nil, err
			}
			l.Meta = append([]byte(nil), meta...)
		default:
			if err := l.s.skip(length); err != nil {
				return nil, err
			}
		}
	}
}

// open reads the envelope up to the body.
func (l *ListReader) open() error {
	var begin [len(magic)]byte
	if _, err := io.ReadFull(l.s.r, begin[:]); err != nil {
		return cutShort(err)
	}
	if string(begin[:]) != magic {
		return fmt.Errorf("%w: it begins with %q and not with %q", ErrMalformed, begin[:], magic)
	}
	for {
		number, wireType, length, err := l.s.tag()
		if err != nil {
			return err
		}
		switch {
		case number == 2 && wireType == typeBytes:
			l.s.left = length
			return nil
		case number == 1 && wireType == typeBytes:
			if err := l.readType(length); err != nil {
				return err
			}
		default:
			if err := l.s.skip(length); err != nil {
				return err
			}
		}
	}
}

func (l *ListReader) readType(length int64) error {
	data, err := l.s.bytes(length)
	if err != nil {
		return err
	}
	var e Envelope
	err = e.setType(data)
	l.APIVersion, l.Kind = e.APIVersion, e.Kind
	return err
}
