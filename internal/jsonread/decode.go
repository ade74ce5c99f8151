package jsonread

import (
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Decode reads an object. What it has in common with others comes from shares, which may be nil. It keeps nothing of data, and
// the map that it returns is shared with nobody, other than those in it. A text that is null gives a nil map.
func Decode(data []byte, shares *Shares) (map[string]any, error) {
	d := decoder{data: data, memory: memory{shares: shares}, judging: shares.judging()}
	if m, ok := d.top(); ok {
		return m, nil
	}
	var m map[string]any
	if err := utiljson.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	return m, nil
}

const (
	// deepest is how deep values may be nested. Nobody writes more, and util/json has a limit as well.
	deepest = 500
	// deepestLook is how deep it is looked for parts that are known: each level looks at the text of those below once more.
	deepestLook = 32
)

// decoder reads one object. Its methods return false where something is unusual or wrong.
type decoder struct {
	data []byte
	pos  int

	stack stack
	depth int

	memory
	judging bool
}

// left is how much was not read yet.
func (d *decoder) left() int { return len(d.data) - d.pos }

func (d *decoder) top() (map[string]any, bool) {
	if d.next() != '{' {
		return nil, false
	}
	var root *place
	if d.shares != nil {
		root = &d.shares.root
	}
	m, ok := d.object(root)
	// Nothing but space may follow, and next returns zero for a zero byte as well.
	return m, ok && d.next() == 0 && d.pos == len(d.data)
}

// next goes to the next byte that is not space and returns it, or zero at the end.
func (d *decoder) next() byte {
	for d.pos < len(d.data) {
		c := d.data[d.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		d.pos++
	}
	return 0
}

// value reads what begins with c.
func (d *decoder) value(c byte, p *place) (any, bool) {
	switch c {
	case '"':
		return d.string(p)
	case '{', '[':
		return d.tree(c, p)
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	}
	return d.number()
}

func (d *decoder) word(w string) bool {
	if len(d.data)-d.pos < len(w) || string(d.data[d.pos:d.pos+len(w)]) != w {
		return false
	}
	d.pos += len(w)
	return true
}

// emptyList can be that of everybody: nothing in there can be changed.
var emptyList any = []any{}

// tree reads an object or a list, unless it is known.
func (d *decoder) tree(c byte, p *place) (any, bool) {
	if d.shares == nil || !d.shares.trees {
		return d.build(c, p)
	}
	if rest := d.data[d.pos:]; len(rest) > 1 && rest[0] == '{' && rest[1] == '}' {
		d.pos += 2
		return d.shares.empty, true
	}
	if d.depth > deepestLook || !p.tree.Look(treeWorth, d.judging) {
		return d.build(c, p)
	}
	begin := d.pos
	text := cut(d.data[begin:])
	if text == nil {
		return d.build(c, p)
	}
	known, slot := d.shares.find(text)
	if known != nil {
		p.tree.Hit(d.judging)
		d.pos += len(text)
		return known, true
	}
	v, ok := d.build(c, p)
	if !ok || d.pos-begin != len(text) {
		return nil, false
	}
	slot.keep(v)
	return v, true
}

func (d *decoder) build(c byte, p *place) (any, bool) {
	if c == '[' {
		return d.list(p)
	}
	m, ok := d.object(p)
	return m, ok
}

// object reads from an opening brace to the closing one.
func (d *decoder) object(p *place) (map[string]any, bool) {
	if d.depth++; d.depth > deepest {
		return nil, false
	}
	d.pos++
	begin := d.stack.n
	c := d.next()
	for g := p.begin(); c != '}' || d.stack.n > begin; {
		if c != '"' {
			return nil, false
		}
		name, at, next, ok := d.name(p, g)
		if !ok || d.next() != ':' {
			return nil, false
		}
		d.pos++
		v, ok := d.value(d.next(), at)
		if !ok {
			return nil, false
		}
		d.stack.push(member{name, v})
		if c = d.next(); c == '}' {
			break
		}
		if c != ',' {
			return nil, false
		}
		d.pos++
		c = d.next()
		g = next
	}
	d.pos++
	d.depth--
	m := newMap(d.stack.n - begin)
	for i := begin; i < d.stack.n; i++ {
		e := d.stack.at(i)
		m[e.name] = e.value // of equal names the last wins
	}
	d.stack.cut(begin)
	return m, true
}

// newMap makes a map with room for n members. Those for a few are all alike, and made quicker without a number.
func newMap(n int) map[string]any {
	const few = 8
	if n <= few {
		return make(map[string]any)
	}
	return make(map[string]any, n)
}

// list reads from an opening bracket to the closing one.
func (d *decoder) list(p *place) (any, bool) {
	if d.depth++; d.depth > deepest {
		return nil, false
	}
	d.pos++
	begin := d.stack.n
	c := d.next()
	for at := d.element(p); c != ']' || d.stack.n > begin; {
		v, ok := d.value(c, at)
		if !ok {
			return nil, false
		}
		d.stack.push(member{value: v})
		if c = d.next(); c == ']' {
			break
		}
		if c != ',' {
			return nil, false
		}
		d.pos++
		c = d.next()
	}
	d.pos++
	d.depth--
	if d.stack.n == begin {
		return emptyList, true
	}
	list := make([]any, d.stack.n-begin)
	for i := range list {
		list[i] = d.stack.at(begin + i).value
	}
	d.stack.cut(begin)
	return list, true
}
