package cborscan

import (
	"fmt"
	"io"
)

// ListReader reads a Kubernetes list as a stream: a map whose entry "items" is an array of maps.
//
// A server writes the entries in random order, so that the kind of the list may come after the items. Items that say
// what they are, as custom resources do, are handed out nevertheless. Others are held until the list is over: then it is
// in memory as a whole.
type ListReader struct {
	r *Reader
	// APIVersion and Kind are the list's. They are there when Next has returned the first item, unless that says itself
	// what it is. Meta is its metadata, which is complete when Next has returned io.EOF.
	APIVersion, Kind string
	Meta             []byte

	state listState
	// The entries of the list, and the items, that are still to come.
	entries, items level
	seen           [4]bool

	// held are the items, one behind the other, if their kind comes after them. There may be most bytes.
	held    []byte
	holding bool
	most    int64
}

type listState int

const (
	beforeList listState = iota
	inList               // before an entry
	inItems              // before an item
	afterList
)

// The entries of a list.
const (
	entryAPIVersion = iota
	entryKind
	entryMetadata
	entryItems
)

// NewListReader reads from r. An item may have limit bytes, and all of them most bytes if they have to be held.
func NewListReader(r io.Reader, limit int, most int64) *ListReader {
	return &ListReader{r: NewReader(r, limit), most: most}
}

// Next returns the next item, which is valid until the next call. The error is io.EOF at the end of the list, and
// io.ErrUnexpectedEOF if the stream ends before it.
func (l *ListReader) Next() ([]byte, error) {
	for {
		var err error
		switch l.state {
		case beforeList:
			err = l.begin()
		case inList:
			err = l.entry()
		case inItems:
			item, itemErr := l.item()
			if item != nil && !l.holding {
				return item, nil
			}
			err = itemErr
		case afterList:
			return l.rest()
		}
		if err != nil {
			return nil, cutShort(err)
		}
	}
}

func (l *ListReader) begin() error {
	h, err := l.r.bare()
	if err != nil {
		return err
	}
	if h.major != typeMap {
		return fmt.Errorf("%w: a map expected, found %#x", ErrMalformed, l.r.buf[l.r.start])
	}
	l.entries, err = l.enter(h)
	l.state = inList
	return err
}

// enter goes into a map or an array.
func (l *ListReader) enter(h head) (level, error) {
	l.r.start += h.size
	return level{left: h.number, endless: h.endless(), major: h.major}, h.check()
}

// more reports whether there is another entry or item.
func (l *ListReader) more(in *level) (bool, error) {
	if in.endless {
		ended, err := l.r.broken()
		return !ended && err == nil, err
	}
	if in.left == 0 {
		return false, nil
	}
	in.left--
	return true, nil
}

// entry reads an entry of the list, or goes into the items.
func (l *ListReader) entry() error {
	more, err := l.more(&l.entries)
	if err != nil {
		return err
	}
	if !more {
		l.state = afterList
		return nil
	}
	key, err := l.r.Value()
	if err != nil {
		return err
	}
	name, err := text(key)
	if err != nil {
		return err
	}
	which := -1
	switch string(name) {
	case "apiVersion":
		which = entryAPIVersion
	case "kind":
		which = entryKind
	case "metadata":
		which = entryMetadata
	case "items":
		which = entryItems
	}
	if which >= 0 {
		if l.seen[which] {
			return fmt.Errorf("%w: a list with %q twice", ErrMalformed, name)
		}
		l.seen[which] = true
	}
	if which == entryItems {
		return l.enterItems()
	}
	v, err := l.r.Value()
	if err != nil {
		return err
	}
	var said []byte
	switch which {
	case entryAPIVersion:
		said, err = Text(v)
		l.APIVersion = string(said)
	case entryKind:
		said, err = Text(v)
		l.Kind = string(said)
	case entryMetadata:
		l.Meta = append([]byte(nil), v...)
	}
	return err
}

// enterItems goes into the array. A Go server writes an empty one as null.
func (l *ListReader) enterItems() error {
	h, err := l.r.bare()
	if err != nil {
		return err
	}
	if h.major == typeArray {
		l.items, err = l.enter(h)
		l.state = inItems
		return err
	}
	v, err := l.r.Value()
	if err == nil && !IsNull(v) {
		err = fmt.Errorf("%w: items is not an array", ErrMalformed)
	}
	return err
}

// item returns the next item, nil after the last.
func (l *ListReader) item() ([]byte, error) {
	more, err := l.more(&l.items)
	if err != nil {
		return nil, err
	}
	if !more {
		l.state = inList
		return nil, nil
	}
	v, err := l.r.Value()
	if err != nil {
		return nil, err
	}
	if !IsMap(v) {
		return nil, fmt.Errorf("%w: an item that is not a map", ErrMalformed)
	}
	if !l.holding && (l.Kind == "" || l.APIVersion == "") && !(l.seen[entryKind] && l.seen[entryAPIVersion]) && !isNamed(v) {
		l.holding = true
	}
	if l.holding {
		if int64(len(l.held)+len(v)) > l.most {
			return nil, fmt.Errorf("%w: the list says its kind after its items, of which there are more than %d bytes", ErrTooLarge, l.most)
		}
		l.held = append(l.held, v...)
	}
	return v, nil
}

// isNamed reports whether an item says what it is.
func isNamed(item []byte) bool {
	found := 0
	m := NewMap(item)
	for found < 2 && m.Next() {
		if name := string(m.Name); name == "kind" || name == "apiVersion" {
			said, err := Text(m.Value)
			if err != nil || len(said) == 0 {
				return false
			}
			found++
		}
	}
	return found == 2
}

// rest hands out the items that were held.
func (l *ListReader) rest() ([]byte, error) {
	if !l.seen[entryItems] {
		return nil, fmt.Errorf("%w: a list without items (kind %q)", ErrMalformed, l.Kind)
	}
	if len(l.held) == 0 {
		l.held = nil
		return nil, io.EOF
	}
	n, err := Skip(l.held)
	if err != nil {
		return nil, err
	}
	v := l.held[:n:n]
	l.held = l.held[n:]
	return v, nil
}
