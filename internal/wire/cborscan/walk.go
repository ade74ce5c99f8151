package cborscan

import (
	"encoding/binary"
	"fmt"
	"math"
)

// items are the items in a map or an array.
type items struct {
	rest    []byte
	left    uint64
	endless bool
}

// enter begins before the first item in a map or an array.
func enter(data []byte, major byte, what string) (items, error) {
	data = Bare(data)
	h, err := parseHead(data)
	switch {
	case err != nil:
		return items{}, err
	case h.size == 0:
		return items{}, errShort
	case h.major != major:
		return items{}, fmt.Errorf("%w: %s expected, found %#x", ErrMalformed, what, data[0])
	}
	if err := h.check(); err != nil {
		return items{}, err
	}
	return items{rest: data[h.size:], left: h.number, endless: h.endless()}, nil
}

// more reports whether there is another item, or pair of items.
func (i *items) more() (bool, error) {
	if !i.endless {
		if i.left == 0 {
			return false, nil
		}
		i.left--
		return true, nil
	}
	if len(i.rest) == 0 {
		return false, errShort
	}
	if i.rest[0] == breakItem {
		i.endless, i.left = false, 0
		i.rest = i.rest[1:]
		return false, nil
	}
	return true, nil
}

func (i *items) next() ([]byte, error) {
	n, err := Skip(i.rest)
	if err != nil {
		return nil, err
	}
	v := i.rest[:n:n]
	i.rest = i.rest[n:]
	return v, nil
}

// Map steps through the entries of a map:
//
//	for m := cborscan.NewMap(data); m.Next(); {
//		switch string(m.Name) { … m.Value … }
//	}
//	and then look at m.Err
type Map struct {
	// Name and Value are those of the current entry. Value is the whole item.
	Name, Value []byte
	// Err is why Next returned false, or nil at the end of the map.
	Err error

	in items
}

// NewMap begins before the first entry of the map in data.
func NewMap(data []byte) *Map {
	m := &Map{}
	m.in, m.Err = enter(data, typeMap, "a map")
	return m
}

// Next goes to the next entry.
func (m *Map) Next() bool {
	if m.Err != nil {
		return false
	}
	var more bool
	if more, m.Err = m.in.more(); !more || m.Err != nil {
		return false
	}
	name, err := m.in.next()
	if err == nil {
		if m.Name, err = text(name); err == nil {
			m.Value, err = m.in.next()
		}
	}
	m.Err = err
	return err == nil
}

// Array steps through the elements of an array, as Map does through those of a map.
type Array struct {
	// Value is the current element.
	Value []byte
	// Err is why Next returned false, or nil at the end of the array.
	Err error

	in items
}

// NewArray begins before the first element of the array in data.
func NewArray(data []byte) *Array {
	a := &Array{}
	a.in, a.Err = enter(data, typeArray, "an array")
	return a
}

// Next goes to the next element.
func (a *Array) Next() bool {
	if a.Err != nil {
		return false
	}
	var more bool
	if more, a.Err = a.in.more(); more && a.Err == nil {
		a.Value, a.Err = a.in.next()
	}
	return more && a.Err == nil
}

// text returns what a string says, a part of the item if it is in one piece.
func text(item []byte) ([]byte, error) {
	item = Bare(item)
	h, err := parseHead(item)
	switch {
	case err != nil:
		return nil, err
	case h.size == 0:
		return nil, errShort
	case h.major != typeBytes && h.major != typeText:
		return nil, fmt.Errorf("%w: a string expected, found %#x", ErrMalformed, item[0])
	}
	if h.endless() {
		return pieces(item[h.size:])
	}
	if h.number > uint64(len(item)-h.size) {
		return nil, errShort
	}
	end := h.size + int(h.number)
	return item[h.size:end:end], nil
}

// pieces joins the pieces of a string of indefinite length.
func pieces(rest []byte) ([]byte, error) {
	all := []byte{}
	for {
		if len(rest) == 0 {
			return nil, errShort
		}
		if rest[0] == breakItem {
			return all, nil
		}
		h, err := parseHead(rest)
		switch {
		case err != nil:
			return nil, err
		case h.size == 0 || h.endless() || h.major != typeBytes && h.major != typeText || h.number > uint64(len(rest)-h.size):
			return nil, errShort
		}
		end := h.size + int(h.number)
		all = append(all, rest[h.size:end]...)
		rest = rest[end:]
	}
}

// Text returns what a string says, a part of the item if it is in one piece. Null says nothing.
func Text(item []byte) ([]byte, error) {
	if IsNull(item) {
		return nil, nil
	}
	return text(item)
}

// Int returns an integer. Null is zero.
func Int(item []byte) (int64, error) {
	if IsNull(item) {
		return 0, nil
	}
	item = Bare(item)
	h, err := parseHead(item)
	switch {
	case err != nil:
		return 0, err
	case h.size == 0:
		return 0, errShort
	case h.major > typeNegative || h.number > math.MaxInt64:
		return 0, fmt.Errorf("%w: an integer of 64 bits expected, found %#x", ErrMalformed, item[0])
	case h.major == typeNegative:
		return -1 - int64(h.number), nil
	}
	return int64(h.number), nil
}

// Bool returns a boolean. Null is false.
func Bool(item []byte) (bool, error) {
	switch item = Bare(item); {
	case len(item) == 1 && item[0] == 0xf5:
		return true, nil
	case len(item) == 1 && (item[0] == 0xf4 || item[0] == nullItem):
		return false, nil
	}
	return false, fmt.Errorf("%w: a boolean expected", ErrMalformed)
}

// Container is the beginning of a map or an array.
type Container struct {
	Map bool
	// Count is the number of entries or elements, unless Endless is set: then Break follows the last.
	Count   uint64
	Endless bool
	// Size is the number of bytes before the first item in it.
	Size int
}

// Break ends a container whose length is not known.
const Break = breakItem

// Open returns the container that begins b, and reports whether that is one.
func Open(b []byte) (c Container, ok bool, err error) {
	h, err := parseHead(b)
	if err == nil && h.size == 0 {
		err = errShort
	}
	if err == nil {
		err = h.check()
	}
	if err != nil || h.major != typeArray && h.major != typeMap {
		return Container{}, false, err
	}
	return Container{Map: h.major == typeMap, Count: h.number, Endless: h.endless(), Size: h.size}, true, nil
}

// AppendMap appends the beginning of a map.
func AppendMap(dst []byte, entries uint64) []byte { return appendHead(dst, typeMap, entries) }

func appendHead(dst []byte, major byte, n uint64) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n <= math.MaxUint8:
		return append(dst, major|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), n)
}
