package protoread

// Check tells whether a message can certainly be decoded, without making anything of it. If it says no, only decoding tells.
func (p *Plan) Check(data []byte) bool { return p.root.check(data) }

func (m *message) check(b []byte) bool {
	for len(b) > 0 {
		number, wire, rest, ok := tag(b)
		if !ok {
			return false
		}
		if number >= uint64(len(m.fields)) || m.fields[number] == nil {
			if b, ok = skip(rest, wire); !ok {
				return false
			}
			continue
		}
		f := m.fields[number]
		if f.shape.isVarint() {
			if _, b, ok = varint(rest); !ok || wire != wireVarint {
				return false
			}
			continue
		}
		data, behind, ok := chunk(rest)
		if !ok || wire != wireBytes || !f.check(data) {
			return false
		}
		b = behind
	}
	return true
}

func (f *field) check(data []byte) bool {
	switch f.shape {
	case shapeMessage, shapeMessagePtr, shapeMessages:
		if f.sub.own {
			return f.sub.checkOwn(data)
		}
		return f.sub.check(data)
	case shapeStringMap, shapeBytesMap:
		_, _, ok := entryOf(data)
		return ok
	case shapeQuantityMap:
		_, value, ok := entryOf(data)
		return ok && checkQuantity(value)
	}
	return true
}

// checkOwn checks a type with a form of its own, as far as that is known.
func (m *message) checkOwn(data []byte) bool {
	switch m.typ {
	case timeType, microTimeType:
		return checkNumbers(data)
	case quantityType:
		return checkQuantity(data)
	}
	return unmarshal(m.typ, newOf(m.typ), data) == nil
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
