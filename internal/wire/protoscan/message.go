package protoscan

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The wire types of protobuf.
const (
	typeVarint  = 0
	typeFixed64 = 1
	typeBytes   = 2
	typeFixed32 = 5
)

// ErrMalformed says that bytes are not a protobuf message.
var ErrMalformed = errors.New("malformed protobuf")

// Message steps through the fields of a message:
//
//	for m := protoscan.NewMessage(data); m.Next(); {
//		switch m.Number { … m.Bytes … }
//	}
//	and then look at m.Err
type Message struct {
	// Number is the number of the current field.
	Number int
	// Bytes is the value of the current field if it has a length (strings, messages), and nil if it is a number.
	Bytes []byte
	// Varint is the value of the current field if it is a number.
	Varint uint64
	// Err is why Next returned false, or nil at the end of the message.
	Err error

	rest []byte
}

// NewMessage begins before the first field of data.
func NewMessage(data []byte) *Message { return &Message{rest: data} }

// Next goes to the next field.
func (m *Message) Next() bool {
	// Nearly all fields are strings and messages with a tag and a length of one byte each.
	if b := m.rest; m.Err == nil && len(b) >= 2 && b[0] < 0x80 && b[0] >= 1<<3 && b[0]&7 == typeBytes && b[1] < 0x80 && int(b[1]) <= len(b)-2 {
		end := 2 + int(b[1])
		m.Number, m.Bytes, m.Varint = int(b[0]>>3), b[2:end:end], 0
		m.rest = b[end:]
		return true
	}
	return m.next()
}

func (m *Message) next() bool {
	if len(m.rest) == 0 || m.Err != nil {
		return false
	}
	number, wireType, ok := m.tag()
	if !ok {
		return m.fail("bad tag")
	}
	m.Number, m.Bytes, m.Varint = number, nil, 0
	switch wireType {
	case typeVarint:
		if m.Varint, ok = m.uvarint(); !ok {
			return m.fail("bad number")
		}
	case typeBytes:
		n, ok := m.uvarint()
		if !ok || n > uint64(len(m.rest)) {
			return m.fail("a length beyond the end")
		}
		m.Bytes = m.take(int(n))
	case typeFixed64, typeFixed32:
		size := 8
		if wireType == typeFixed32 {
			size = 4
		}
		if len(m.rest) < size {
			return m.fail("cut short")
		}
		m.take(size)
	default:
		return m.fail("unknown wire type")
	}
	return true
}

func (m *Message) take(n int) []byte {
	b := m.rest[:n:n]
	m.rest = m.rest[n:]
	return b
}

func (m *Message) tag() (number int, wireType int, ok bool) {
	tag, ok := m.uvarint()
	return splitTag(tag, ok)
}

// splitTag checks what a tag may be: field numbers go from 1 to 2^29-1.
func splitTag(tag uint64, ok bool) (number int, wireType int, valid bool) {
	n := tag >> 3
	return int(n), int(tag & 7), ok && n > 0 && n < 1<<29
}

func (m *Message) uvarint() (uint64, bool) {
	// One byte is the rule, and a call of binary.Uvarint is not free.
	if len(m.rest) > 0 && m.rest[0] < 0x80 {
		return uint64(m.take(1)[0]), true
	}
	v, n := binary.Uvarint(m.rest)
	if n <= 0 {
		return 0, false
	}
	m.rest = m.rest[n:]
	return v, true
}

func (m *Message) fail(why string) bool {
	m.Err = fmt.Errorf("%w: %s after field %d", ErrMalformed, why, m.Number)
	return false
}

// Envelope is what Kubernetes puts around a message, so that one can tell what it is.
type Envelope struct {
	APIVersion, Kind string
	// Body is the message itself.
	Body []byte
}

// magic begins every object in Kubernetes' protobuf.
const magic = "k8s\x00"

// Open takes the envelope off an object. Body is a part of data.
func Open(data []byte) (Envelope, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return Envelope{}, fmt.Errorf("%w: it does not begin with %q", ErrMalformed, magic)
	}
	var e Envelope
	m := NewMessage(data[len(magic):])
	for m.Next() {
		switch m.Number {
		case 1:
			if err := e.setType(m.Bytes); err != nil {
				return Envelope{}, err
			}
		case 2:
			e.Body = m.Bytes
		case 3:
			if len(m.Bytes) > 0 {
				return Envelope{}, fmt.Errorf("%w: the body has the encoding %q", ErrMalformed, m.Bytes)
			}
		}
	}
	return e, m.Err
}

func (e *Envelope) setType(data []byte) error {
	m := NewMessage(data)
	for m.Next() {
		switch m.Number {
		case 1:
			e.APIVersion = string(m.Bytes)
		case 2:
			e.Kind = string(m.Bytes)
		}
	}
	return m.Err
}
