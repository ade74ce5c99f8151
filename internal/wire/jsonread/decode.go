package jsonread

import (
	"maps"
	"unsafe"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Decode decodes an object. Shared values come from shares, which may be nil. It does not keep data, and the returned
// map is not shared, other than maps in it. The result for null is a nil map.
func Decode(data []byte, shares *Shares) (map[string]any, error) {
	return DecodeNext(data, shares, nil)
}

// DecodeNext is like Decode, for an object with a previous state, which may be nil. Equal parts of the previous state
// are reused, so that both states share them. A part that was written to since it was decoded is not equal to the text,
// and is decoded again. The returned map is never that of the previous state.
func DecodeNext(data []byte, shares *Shares, last map[string]any) (map[string]any, error) {
	d := decoder{data: data, memory: memory{shares: shares}, sampled: shares.sampled()}
	d.following = last != nil
	if m, ok := d.top(last); ok {
		return m, nil
	}
	var m map[string]any
	if err := utiljson.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	return m, nil
}

const (
	// deepest is how deep values may be nested. Real objects are not nested as deep, and util/json has a limit as well.
	deepest = 500
	// deepestLookup is how deep parts that are known are looked up: each level looks at the text of those below once more.
	deepestLookup = 32
)

// decoder reads one object. Its methods return false where something is unusual or wrong.
type decoder struct {
	data []byte
	pos  int

	stack stack
	depth int

	memory
	sampled bool
	// following says that an earlier state of the object is there. Then few strings are new, and each stands for itself: together
	// they would keep memory of states that are gone.
	following bool
}

// left is how much was not read yet.
func (d *decoder) left() int { return len(d.data) - d.pos }

func (d *decoder) top(last map[string]any) (map[string]any, bool) {
	if d.next() != '{' {
		return nil, false
	}
	var root *place
	if d.shares != nil {
		root = &d.shares.root
	}
	v, same, ok := d.object(root, last)
	// Nothing but space may follow, and next returns zero for a zero byte as well.
	if !ok || d.next() != 0 || d.pos != len(d.data) {
		return nil, false
	}
	if same {
		return maps.Clone(last), true
	}
	return v.(map[string]any), true
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

// absent is what the earlier state has where it has nothing.
var absent any = struct{}{}

// value reads what begins with c. last is what the earlier state has there; same says that the value is that one.
func (d *decoder) value(c byte, p *place, last any) (v any, same, ok bool) {
	switch c {
	case '"':
		return d.string(p, last)
	case '{', '[':
		return d.tree(c, p, last)
	case 't':
		v, ok = true, d.word("true")
	case 'f':
		v, ok = false, d.word("false")
	case 'n':
		v, ok = nil, d.word("null")
	default:
		v, ok = d.number()
	}
	if v == last { // v is none of the types that cannot be compared
		return last, true, ok
	}
	return v, false, ok
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
func (d *decoder) tree(c byte, p *place, last any) (v any, same, ok bool) {
	if !d.shouldLookUp(p) {
		return d.build(c, p, last)
	}
	begin := d.pos
	text := cut(d.data[begin:])
	if text == nil {
		return d.build(c, p, last)
	}
	known, slot := d.shares.find(text)
	if known == nil {
		known = last
	}
	if v, same, ok = d.build(c, p, known); !ok || d.pos-begin != len(text) {
		return nil, false, false
	}
	if same {
		p.tree.Hit(d.sampled)
	} else {
		slot.keep(v)
	}
	return v, same && identical(v, last), true
}

// shouldLookUp reports whether the object or list that begins here is to be looked up. One without members is not shared: programs
// that must not write to it do so all the same.
func (d *decoder) shouldLookUp(p *place) bool {
	if d.shares == nil || !d.shares.trees && !p.managed || d.depth > deepestLookup {
		return false
	}
	if rest := d.data[d.pos:]; len(rest) > 1 && rest[1] == '}' {
		return false
	}
	return p.tree.ShouldLookUp(treeHits, d.sampled)
}

// identical reports whether two values are one in memory.
func identical(a, b any) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

func (d *decoder) build(c byte, p *place, last any) (v any, same, ok bool) {
	if c == '[' {
		list, _ := last.([]any)
		v, same, ok = d.list(p, list)
	} else {
		m, _ := last.(map[string]any)
		v, same, ok = d.object(p, m)
	}
	if same {
		v = last
	}
	return v, same, ok
}

// object reads from an opening brace to the closing one. If it is equal to last, it only says so.
func (d *decoder) object(p *place, last map[string]any) (v any, same, ok bool) {
	if d.depth++; d.depth > deepest {
		return nil, false, false
	}
	d.pos++
	begin := d.stack.n
	c := d.next()
	same = last != nil
	for g := p.begin(); c != '}' || d.stack.n > begin; {
		if c != '"' {
			return nil, false, false
		}
		name, at, next, ok := d.name(p, g)
		if !ok || d.next() != ':' {
			return nil, false, false
		}
		d.pos++
		before, had := last[name]
		if !had {
			before = absent
		}
		v, kept, ok := d.value(d.next(), at, before)
		if !ok {
			return nil, false, false
		}
		same = same && kept
		d.stack.push(member{name, v})
		if c = d.next(); c == '}' {
			break
		}
		if c != ',' {
			return nil, false, false
		}
		d.pos++
		c = d.next()
		g = next
	}
	d.pos++
	d.depth--
	n := d.stack.n - begin
	if same && n == len(last) && d.stack.distinct(begin) {
		d.stack.cut(begin)
		return nil, true, true
	}
	m := newMap(n)
	for i := begin; i < d.stack.n; i++ {
		e := d.stack.at(i)
		m[e.name] = e.value // of equal names the last wins
	}
	d.stack.cut(begin)
	return m, false, true
}

// newMap makes a map with room for n members. Those for a few are all alike, and made quicker without a number.
func newMap(n int) map[string]any {
	const few = 8
	if n <= few {
		return make(map[string]any)
	}
	return make(map[string]any, n)
}

// list reads from an opening bracket to the closing one. If it is equal to last, it only says so.
func (d *decoder) list(p *place, last []any) (v any, same, ok bool) {
	if d.depth++; d.depth > deepest {
		return nil, false, false
	}
	d.pos++
	begin := d.stack.n
	c := d.next()
	same = len(last) > 0
	for at := d.element(p); c != ']' || d.stack.n > begin; {
		before := absent
		if i := d.stack.n - begin; i < len(last) {
			before = last[i]
		}
		v, kept, ok := d.value(c, at, before)
		if !ok {
			return nil, false, false
		}
		same = same && kept
		d.stack.push(member{value: v})
		if c = d.next(); c == ']' {
			break
		}
		if c != ',' {
			return nil, false, false
		}
		d.pos++
		c = d.next()
	}
	d.pos++
	d.depth--
	n := d.stack.n - begin
	if n == 0 {
		return emptyList, last != nil && len(last) == 0, true
	}
	if same && n == len(last) {
		d.stack.cut(begin)
		return nil, true, true
	}
	list := make([]any, n)
	for i := range list {
		list[i] = d.stack.at(begin + i).value
	}
	d.stack.cut(begin)
	return list, false, true
}
