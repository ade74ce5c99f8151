package jsoncheck

import "encoding/binary"

// Check reports whether a text can certainly be decoded into the type. If it says no, only decoding tells.
func (p *Plan) Check(data []byte) bool {
	c, i := next(data, 0)
	return c == '{' && ends(data, p.root.object(data, i, 0))
}

// check passes over a value, whose first byte is c.
func (n *node) check(b []byte, c byte, i, depth int) int {
	if c == 'n' && n.shape < shapeDuration {
		return word(b, i, "null")
	}
	switch n.shape {
	case shapeString:
		if c == '"' {
			return text(b, i+1)
		}
	case shapeStruct:
		if c == '{' {
			return n.object(b, i, depth)
		}
	case shapeList:
		if c == '[' {
			return n.list(b, i, depth)
		}
	case shapeMap:
		if c == '{' {
			return n.mapping(b, i, depth)
		}
	case shapeBool:
		if c == 't' {
			return word(b, i, "true")
		}
		return word(b, i, "false")
	case shapeInteger:
		return integer(b, i, n.most, n.least)
	case shapeAny:
		return value(b, c, i, depth)
	default:
		return n.checkRare(b, c, i, depth)
	}
	return bad
}

func (n *node) checkRare(b []byte, c byte, i, depth int) int {
	switch n.shape {
	case shapeFloat64:
		return number(b, i)
	case shapeFloat32:
		return single(b, i)
	case shapeBytes:
		if c == '[' {
			return n.list(b, i, depth)
		}
		return base64(b, i)
	case shapeNever:
		return bad
	}
	return n.own(b, c, i, depth)
}

// list passes over a list from its bracket on.
func (n *node) list(b []byte, i, depth int) int {
	if depth++; depth > deepest {
		return bad
	}
	c, i := next(b, i+1)
	if c == ']' {
		return i + 1
	}
	for {
		if i = n.elem.check(b, c, i, depth); i < 0 {
			return bad
		}
		if c, i = next(b, i); c != ',' {
			break
		}
		c, i = next(b, i+1)
	}
	if c != ']' {
		return bad
	}
	return i + 1
}

// mapping passes over an object with names of any kind.
func (n *node) mapping(b []byte, i, depth int) int {
	if depth++; depth > deepest {
		return bad
	}
	c, i := next(b, i+1)
	if c == '}' {
		return i + 1
	}
	for {
		if c != '"' {
			return bad
		}
		if i = text(b, i+1); i < 0 {
			return bad
		}
		c, i = colon(b, i)
		if i = n.elem.check(b, c, i, depth); i < 0 {
			return bad
		}
		if c, i = next(b, i); c != ',' {
			break
		}
		c, i = next(b, i+1)
	}
	if c != '}' {
		return bad
	}
	return i + 1
}

// object passes over an object with the fields of a struct.
func (n *node) object(b []byte, i, depth int) int {
	if depth++; depth > deepest {
		return bad
	}
	c, i := next(b, i+1)
	if c == '}' {
		return i + 1
	}
	at := -1          // where the field is that came last
	seen := uint64(0) // the fields that may come only once, and came
	for {
		if c != '"' {
			return bad
		}
		i++
		if f := n.find(b, i, at+1); f >= 0 {
			at = f
			field := &n.fields[at]
			if seen&field.once != 0 {
				return bad
			}
			seen |= field.once
			c, i = colon(b, i+n.heads[at].size)
			i = field.node.check(b, c, i, depth)
		} else {
			if i = plainText(b, i); i < 0 {
				return bad
			}
			c, i = colon(b, i)
			i = value(b, c, i, depth)
		}
		if i < 0 {
			return bad
		}
		if c, i = next(b, i); c != ',' {
			break
		}
		c, i = next(b, i+1)
	}
	if c != '}' {
		return bad
	}
	return i + 1
}

// plainText is text for strings that stand for themselves.
func plainText(b []byte, i int) int {
	end := text(b, i)
	for j := i; j < end; j++ {
		if b[j] == '\\' {
			return bad
		}
	}
	return end
}

// head is how a name begins and ends, with the quote behind it.
type head struct {
	word, mask uint64 // its first eight bytes, and which of them there are
	rest       string // what is behind them
	size       int
}

func newHead(name string) head {
	quoted := name + `"`
	var first, mask [8]byte
	for i := range copy(first[:], quoted) {
		mask[i] = 0xff
	}
	h := head{word: binary.LittleEndian.Uint64(first[:]), mask: binary.LittleEndian.Uint64(mask[:]), size: len(quoted)}
	if len(quoted) > len(first) {
		h.rest = quoted[len(first):]
	}
	return h
}

// find returns which field has the name at i, or bad. A server writes fields in the order of the struct, without those that are
// empty: so the first that is tried is the one behind the last.
func (n *node) find(b []byte, i, from int) int {
	var w uint64
	if len(b)-i >= 8 {
		w = binary.LittleEndian.Uint64(b[i:])
	} else {
		var few [8]byte
		copy(few[:], b[min(i, len(b)):])
		w = binary.LittleEndian.Uint64(few[:])
	}
	heads := n.heads
	for j := from; j < len(heads); j++ {
		if h := &heads[j]; w&h.mask == h.word && (h.rest == "" || has(b, i+8, h.rest)) {
			return j
		}
	}
	for j := range min(from, len(heads)) {
		if h := &heads[j]; w&h.mask == h.word && (h.rest == "" || has(b, i+8, h.rest)) {
			return j
		}
	}
	return bad
}
