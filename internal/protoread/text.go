package protoread

import "unsafe"

// text has room for strings of one object. Several share a piece of memory, which stays for as long as one of them is in
// use: so it is a small one.
type text struct {
	room []byte
	most int // how much there can be, if that is known
}

const (
	textRoom    = 512
	longestText = 128 // longer ones are for themselves
)

func (t *text) add(b []byte) string {
	if len(b) > longestText {
		return string(b)
	}
	if len(b) > cap(t.room)-len(t.room) {
		size := textRoom
		if t.most > 0 {
			size = min(textRoom, max(t.most, len(b)))
		}
		t.room = make([]byte, 0, size)
	}
	begin := len(t.room)
	t.room = append(t.room, b...)
	return unsafe.String(&t.room[begin], len(b))
}

// string makes a string of bytes.
func (d *decoder) string(f *field, b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if d.shares == nil {
		return d.text.add(b)
	}
	if s, ok := d.shares.string(f, b, d.judging); ok {
		return s
	}
	if d.shares.Trees {
		return d.text.add(b)
	}
	return string(b) // who knows how much of the object is kept
}
