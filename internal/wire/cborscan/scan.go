package cborscan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrMalformed says that bytes are not CBOR, or not what was expected there.
var ErrMalformed = errors.New("malformed CBOR")

// The major types of items.
const (
	typePositive = iota
	typeNegative
	typeBytes
	typeText
	typeArray
	typeMap
	typeTag
	typeOther // false, true, null, floating-point numbers, and the end of what has no length
)

const (
	// breakItem ends an item of indefinite length.
	breakItem = 0xff
	nullItem  = 0xf6

	// The limits of k8s.io/apimachinery.
	maxDepth    = 10000
	maxElements = math.MaxInt32
	maxPairs    = 2 << 20
)

// head is the beginning of an item: its type, and a number, which is its length or its value.
type head struct {
	major, info byte
	number      uint64
	size        int
}

// endless reports whether the item has an indefinite length.
func (h head) endless() bool { return h.info == 31 }

// parseHead parses the head of an item. The size is 0 if it is cut short.
func parseHead(b []byte) (head, error) {
	if len(b) == 0 {
		return head{}, nil
	}
	h := head{major: b[0] >> 5, info: b[0] & 31, size: 1}
	if h.info < 24 {
		h.number = uint64(h.info)
		return h, nil
	}
	if h.info < 28 {
		h.size += 1 << (h.info - 24)
		if len(b) < h.size {
			return head{}, nil
		}
		switch h.info {
		case 24:
			h.number = uint64(b[1])
		case 25:
			h.number = uint64(binary.BigEndian.Uint16(b[1:]))
		case 26:
			h.number = uint64(binary.BigEndian.Uint32(b[1:]))
		case 27:
			h.number = binary.BigEndian.Uint64(b[1:])
		}
		if h.major == typeOther && h.info == 24 && h.number < 32 {
			return head{}, fmt.Errorf("%w: simple value %d in two bytes", ErrMalformed, h.number)
		}
		return h, nil
	}
	if !h.endless() {
		return head{}, fmt.Errorf("%w: reserved head %#x", ErrMalformed, b[0])
	}
	switch h.major {
	case typeBytes, typeText, typeArray, typeMap:
		return h, nil
	}
	return head{}, fmt.Errorf("%w: unexpected %#x", ErrMalformed, b[0])
}

// check returns an error for a length that is beyond the limits.
func (h head) check() error {
	switch {
	case h.endless():
	case h.major == typeArray && h.number > maxElements:
		return fmt.Errorf("%w: an array of %d elements", ErrMalformed, h.number)
	case h.major == typeMap && h.number > maxPairs:
		return fmt.Errorf("%w: a map of %d entries", ErrMalformed, h.number)
	case (h.major == typeBytes || h.major == typeText) && h.number > math.MaxInt64:
		return fmt.Errorf("%w: a string of %d bytes", ErrMalformed, h.number)
	}
	return nil
}

// scanner finds the end of an item whose bytes come in pieces.
type scanner struct {
	open levels
	// skip is how many bytes of a string are still to come.
	skip uint64
	// tagged means that a tag came, and its content is next.
	tagged bool
}

// level is an item that has begun and has others in it.
type level struct {
	// left is how many items are still to come or, if the length is not known, how many came.
	left    uint64
	endless bool
	major   byte
}

// levels are the items that have begun, the innermost last. The first ones are on the stack of the goroutine.
type levels struct {
	n    int
	near [12]level
	far  []level
}

func (l *levels) push(v level) {
	if l.n < len(l.near) {
		l.near[l.n] = v
	} else {
		l.far = append(l.far, v)
	}
	l.n++
}

// last returns the innermost level. There is one.
func (l *levels) last() *level {
	if i := l.n - 1; i < len(l.near) {
		return &l.near[i]
	}
	return &l.far[len(l.far)-1]
}

func (l *levels) pop() {
	if l.n--; l.n >= len(l.near) {
		l.far = l.far[:len(l.far)-1]
	}
}

// scan looks at more bytes of the item. It returns how many of them belong to it, and whether it ends there. A head that
// is not complete is left.
func (s *scanner) scan(b []byte) (n int, done bool, err error) {
	i := 0
	if s.skip > 0 {
		i = int(min(s.skip, uint64(len(b))))
		if s.skip -= uint64(i); s.skip > 0 {
			return i, false, nil
		}
		if done, err = s.ended(); done || err != nil {
			return i, done, err
		}
	}
	for i < len(b) {
		if b[i] == breakItem {
			if done, err = s.end(); done || err != nil {
				return i + 1, done, err
			}
			i++
			continue
		}
		h, err := parseHead(b[i:])
		if err != nil || h.size == 0 {
			return i, false, err
		}
		i += h.size
		// Most items are short strings and numbers in a map or an array whose length is known.
		if n := s.open.n; n > 0 && !s.tagged && h.major != typeTag && h.major != typeArray && h.major != typeMap && !h.endless() {
			if in := s.open.last(); !in.endless && in.left > 1 {
				if h.major != typeBytes && h.major != typeText {
					in.left--
					continue
				}
				if h.number <= uint64(len(b)-i) {
					i += int(h.number)
					in.left--
					continue
				}
			}
		}
		complete, err := s.begin(h)
		if err != nil {
			return i, false, err
		}
		if !complete {
			continue
		}
		if h.number > 0 && (h.major == typeBytes || h.major == typeText) {
			if uint64(len(b)-i) < h.number {
				s.skip = h.number - uint64(len(b)-i)
				return len(b), false, nil
			}
			i += int(h.number)
		}
		if done, err = s.ended(); done || err != nil {
			return i, done, err
		}
	}
	return i, false, nil
}

// begin enters the item with a head. It is complete if there are no others in it, once its bytes have come.
func (s *scanner) begin(h head) (complete bool, err error) {
	if err := h.check(); err != nil {
		return false, err
	}
	if s.open.n > 0 && s.open.last().endless {
		if in := s.open.last().major; (in == typeBytes || in == typeText) && (h.major != in || h.endless()) {
			return false, fmt.Errorf("%w: a string in pieces that are not strings", ErrMalformed)
		}
	}
	again := s.tagged
	s.tagged = h.major == typeTag
	switch h.major {
	case typeBytes, typeText:
		if !h.endless() {
			return true, nil
		}
		s.open.push(level{endless: true, major: h.major})
		return false, nil
	case typeArray, typeMap:
		if s.open.n >= maxDepth {
			return false, errTooDeep
		}
		left := h.number
		if h.major == typeMap {
			left *= 2
		}
		if left == 0 && !h.endless() {
			return true, nil
		}
		if h.endless() {
			left = 0
		}
		s.open.push(level{left: left, endless: h.endless(), major: h.major})
		return false, nil
	case typeTag:
		if again { // the decoder counts tags of tags as levels
			if s.open.n >= maxDepth {
				return false, errTooDeep
			}
			s.open.push(level{left: 1, major: typeTag})
		}
		return false, nil
	}
	return true, nil
}

var errTooDeep = fmt.Errorf("%w: more than %d levels", ErrMalformed, maxDepth)

// ended notes that an item has ended, and reports whether that was the outermost.
func (s *scanner) ended() (done bool, err error) {
	for s.open.n > 0 {
		in := s.open.last()
		if in.endless {
			in.left++
			if in.major == typeArray && in.left > maxElements || in.major == typeMap && in.left > 2*maxPairs {
				return false, fmt.Errorf("%w: too many elements", ErrMalformed)
			}
			return false, nil
		}
		if in.left--; in.left > 0 {
			return false, nil
		}
		s.open.pop()
	}
	return true, nil
}

// end ends the item of indefinite length that is open.
func (s *scanner) end() (done bool, err error) {
	if s.open.n == 0 || s.tagged || !s.open.last().endless || s.open.last().major == typeMap && s.open.last().left%2 != 0 {
		return false, fmt.Errorf("%w: unexpected break", ErrMalformed)
	}
	s.open.pop()
	return s.ended()
}

// Skip returns how many bytes the item at the beginning of b has, or an error if there is none or if it is cut short.
func Skip(b []byte) (int, error) {
	if h, err := parseHead(b); err == nil && h.size > 0 && !h.endless() { // most items have no others in them
		switch h.major {
		case typePositive, typeNegative, typeOther:
			return h.size, nil
		case typeBytes, typeText:
			if h.number <= uint64(len(b)-h.size) {
				return h.size + int(h.number), nil
			}
		}
	}
	return skip(b)
}

func skip(b []byte) (int, error) {
	var s scanner
	n, done, err := s.scan(b)
	if err == nil && !done {
		err = errShort
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

var errShort = fmt.Errorf("%w: it is cut short", ErrMalformed)

// Bare returns an item without the tags of self-described CBOR before it.
func Bare(item []byte) []byte {
	for len(item) >= 3 && item[0] == 0xd9 && item[1] == 0xd9 && item[2] == 0xf7 {
		item = item[3:]
	}
	return item
}

// IsMap reports whether an item is a map, as far as its beginning says.
func IsMap(item []byte) bool { return isType(item, typeMap) }

// IsNull reports whether an item is null.
func IsNull(item []byte) bool {
	item = Bare(item)
	return len(item) > 0 && item[0] == nullItem
}

func isType(item []byte, major byte) bool {
	item = Bare(item)
	return len(item) > 0 && item[0]>>5 == major
}
