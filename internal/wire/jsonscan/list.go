package jsonscan

import (
	"errors"
	"fmt"
	"io"
)

// ListReader reads a Kubernetes list as a stream: an object whose member "items" is an array of objects.
type ListReader struct {
	r *Reader
	// APIVersion and Kind are the list's; Meta is its metadata. They are complete when Next has returned io.EOF: an API
	// server writes them before the items, but nothing in JSON demands it.
	APIVersion, Kind string
	Meta             []byte

	state    listState
	sawItems bool
}

type listState int

const (
	beforeList listState = iota
	inList               // between two members
	inItems              // before an item
	afterItem            // before what follows an item
	afterList
)

// NewListReader reads from r. An item may have limit bytes.
func NewListReader(r io.Reader, limit int) *ListReader {
	return &ListReader{r: NewReader(r, limit)}
}

// Next returns the next item, which is valid until the next call. The error is io.EOF at the end of the list, and
// io.ErrUnexpectedEOF if the stream ends before it.
func (l *ListReader) Next() ([]byte, error) {
	for {
		switch l.state {
		case beforeList:
			if _, err := l.r.expect("{"); err != nil {
				return nil, err
			}
			if err := l.enter('}', inList, afterList); err != nil {
				return nil, err
			}
		case inList:
			if err := l.member(); err != nil {
				return nil, err
			}
		case inItems:
			return l.item()
		case afterItem:
			if err := l.nextItem(); err != nil {
				return nil, err
			}
		case afterList:
			if !l.sawItems {
				return nil, fmt.Errorf("%w: a list without items (kind %q)", ErrMalformed, l.Kind)
			}
			return nil, io.EOF
		}
	}
}

// enter goes into an object or an array that has just been opened, or past it if it is closed at once.
func (l *ListReader) enter(closing byte, inside, past listState) error {
	c, err := l.r.peek()
	if err != nil {
		return cutShort(err)
	}
	if c != closing {
		l.state = inside
		return nil
	}
	l.r.start++
	l.state = past
	if past == inList {
		return l.afterMember()
	}
	return nil
}

// member reads a member of the list, or goes into the items.
func (l *ListReader) member() error {
	name, err := l.r.Value()
	if err != nil {
		return cutShort(err)
	}
	n, err := Text(name)
	if err != nil {
		return err
	}
	if _, err := l.r.expect(":"); err != nil {
		return err
	}
	if n == "items" {
		return l.items()
	}
	v, err := l.r.Value()
	if err != nil {
		return cutShort(err)
	}
	switch n {
	case "apiVersion":
		l.APIVersion, err = Text(v)
	case "kind":
		l.Kind, err = Text(v)
	case "metadata":
		l.Meta = append([]byte(nil), v...)
	}
	return errors.Join(err, l.afterMember())
}

// items goes into the array. A Go server writes an empty one as null.
func (l *ListReader) items() error {
	if l.sawItems {
		return fmt.Errorf("%w: a list with items twice", ErrMalformed)
	}
	l.sawItems = true
	c, err := l.r.peek()
	if err != nil {
		return cutShort(err)
	}
	if c == '[' {
		l.r.start++
		return l.enter(']', inItems, inList)
	}
	v, err := l.r.Value()
	if err != nil {
		return cutShort(err)
	}
	if string(v) != "null" {
		return fmt.Errorf("%w: items is not an array", ErrMalformed)
	}
	return l.afterMember()
}

func (l *ListReader) afterMember() error {
	c, err := l.r.expect(",}")
	if err != nil {
		return err
	}
	l.state = inList
	if c == '}' {
		l.state = afterList
	}
	return nil
}

func (l *ListReader) item() ([]byte, error) {
	v, err := l.r.Value()
	if err != nil {
		return nil, cutShort(err)
	}
	if v[0] != '{' {
		return nil, fmt.Errorf("%w: an item that is not an object", ErrMalformed)
	}
	l.state = afterItem
	return v, nil
}

// nextItem reads the comma or the bracket after an item. That is not done with the item itself, since reading on may move
// the bytes that were handed out.
func (l *ListReader) nextItem() error {
	c, err := l.r.expect(",]")
	if err != nil {
		return err
	}
	l.state = inItems
	if c == ']' {
		return l.afterMember()
	}
	return nil
}
