package jsonread

import "unsafe"

// text has room for strings of one object. Several share a piece of memory, which stays for as long as one of them is in
// use: so it is a small one.
type text struct {
	room []byte
	// scratch is what a string with escapes says.
	scratch []byte
}

const (
	textRoom    = 512
	longestText = 128 // longer ones are for themselves
)

func (t *text) add(b []byte) string {
	if len(b) == 0 || len(b) > longestText {
		return string(b)
	}
	if len(b) > cap(t.room)-len(t.room) {
		t.room = make([]byte, 0, textRoom)
	}
	begin := len(t.room)
	t.room = append(t.room, b...)
	return unsafe.String(&t.room[begin], len(b))
}

// names are those that came last in an object that shares nothing. A name may push out another one.
type names [128]string

func (n *names) at(b []byte) *string {
	h := uint(len(b))
	if len(b) > 0 {
		h = h*31 + uint(b[0])
		h = h*31 + uint(b[len(b)/2])
		h = h*31 + uint(b[len(b)-1])
	}
	return &n[h%uint(len(n))]
}
