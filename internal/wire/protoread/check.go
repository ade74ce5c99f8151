package protoread

// Check reports whether a message can certainly be decoded, without making anything of it. If it says no, only decoding tells.
func (p *Plan) Check(data []byte) bool { return p.root.check(data) }

// how is the way to check a field.
type how uint8

const (
	howSkip    how = iota // it is not known
	howNumber             // is a varint
	howBytes              // has a length, and nothing else that could be wrong
	howMessage            // is a message of which sub tells
	howTime               // is a message of two numbers
	howQuantity
	howOwn // is a message that only its type can read
	howMap // is an entry of a map to text or bytes
	howQuantityMap
)

// checked is how a field is checked.
type checked struct {
	how how
	sub *message
}

// prepareChecks makes the ways to check fields, by number, when all messages are complete.
func (m *message) prepareChecks() {
	m.checks = make([]checked, len(m.fields))
	for number, f := range m.fields {
		if f != nil {
			m.checks[number] = checked{f.how(), f.sub}
		}
	}
}

func (f *field) how() how {
	switch {
	case f.shape.isVarint():
		return howNumber
	case f.shape == shapeStringMap, f.shape == shapeBytesMap:
		return howMap
	case f.shape == shapeQuantityMap:
		return howQuantityMap
	case f.sub == nil:
		return howBytes
	case !f.sub.own:
		return howMessage
	}
	switch f.sub.typ {
	case timeType, microTimeType:
		return howTime
	case quantityType:
		return howQuantity
	}
	return howOwn
}

// check goes through a message. Most tags and lengths take one byte, so that is looked at first: this is done for each
// message that comes.
func (m *message) check(b []byte) bool {
	for at := 0; at < len(b); {
		tag := uint64(b[at])
		if at++; tag >= 0x80 {
			if tag, at = varintAt(b, at-1); at < 0 || tag>>3 >= 1<<29 {
				return false
			}
		}
		number, wire := tag>>3, byte(tag&7)
		var c checked
		if number < uint64(len(m.checks)) {
			c = m.checks[number]
		}
		if c.how == howNumber {
			if wire != wireVarint || at == len(b) {
				return false
			}
			if at++; b[at-1] >= 0x80 {
				if _, at = varintAt(b, at-1); at < 0 {
					return false
				}
			}
			continue
		}
		if wire != wireBytes || at == len(b) {
			if c.how != howSkip || number == 0 {
				return false
			}
			rest, ok := skip(b[at:], wire)
			if !ok {
				return false
			}
			at = len(b) - len(rest)
			continue
		}
		length := uint64(b[at])
		if at++; length >= 0x80 {
			if length, at = varintAt(b, at-1); at < 0 {
				return false
			}
		}
		if length > uint64(len(b)-at) || number == 0 {
			return false
		}
		data := b[at : at+int(length)]
		at += int(length)
		switch c.how {
		case howSkip, howBytes:
		case howMessage:
			if !c.sub.check(data) {
				return false
			}
		default:
			if !c.check(data) {
				return false
			}
		}
	}
	return true
}

// varintAt reads a number, and returns where it ends: a negative place if there is none.
func varintAt(b []byte, at int) (uint64, int) {
	v, rest, ok := varint(b[at:])
	if !ok {
		return 0, -1
	}
	return v, len(b) - len(rest)
}

// check checks what is neither a plain message nor plain bytes.
func (c checked) check(data []byte) bool {
	switch c.how {
	case howMap:
		_, _, ok := entryOf(data)
		return ok
	case howQuantityMap:
		_, value, ok := entryOf(data)
		return ok && checkQuantity(value)
	case howTime:
		return checkNumbers(data)
	case howQuantity:
		return checkQuantity(data)
	}
	return unmarshal(c.sub.typ, newOf(c.sub.typ), data) == nil
}

// checkNumbers checks the message of a time: seconds and nanoseconds.
func checkNumbers(b []byte) bool {
	for len(b) > 0 {
		number, wire, rest, ok := tag(b)
		if !ok || wire != wireVarint || number > 2 {
			return false
		}
		if _, b, ok = varint(rest); !ok {
			return false
		}
	}
	return true
}

// checkQuantity checks the message of a quantity: a text in field 1. Those that people write are digits and a suffix.
func checkQuantity(b []byte) bool {
	if len(b) == 0 || b[0] != 1<<3|wireBytes {
		return false
	}
	text, rest, ok := chunk(b[1:])
	if !ok || len(rest) > 0 || len(text) == 0 || len(text) > 18 {
		return false
	}
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		return false
	}
	switch string(text[digits:]) {
	case "", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti":
		return true
	}
	return false
}
