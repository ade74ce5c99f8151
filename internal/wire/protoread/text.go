package protoread

import "unsafe"

// text has room for strings of an object that is not stored. Several share a piece of memory, which stays for as long as one of them
// is in use: so it is a small one.
type text struct{ room []byte }

const (
	textRoom    = 512
	longestText = 128 // longer ones are for themselves
)

func (t *text) add(b []byte) string {
	if len(b) > longestText {
		return string(b)
	}
	if len(b) > cap(t.room)-len(t.room) {
		t.room = make([]byte, 0, textRoom)
	}
	begin := len(t.room)
	t.room = append(t.room, b...)
	return unsafe.String(&t.room[begin], len(b))
}

// string makes a string of bytes. It is the last one, which may be nil, if that says the same.
func (d *decoder) string(f *field, last *string, b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if last != nil && *last == string(b) {
		return *last
	}
	if d.shares == nil {
		return d.text.add(b)
	}
	if s, ok := d.shares.string(f, b, d.sampled); ok {
		return s
	}
	return string(b) // together they would be quicker to make, but the room behind the last one would stay as well
}

// bytes makes a copy of bytes, or takes over the last one, which may be nil. Those of the managed fields are shared with other
// objects: they are a text that programs read and replace, but do not write to.
func (d *decoder) bytes(f *field, last *[]byte, b []byte) []byte {
	if last != nil && *last != nil && string(*last) == string(b) {
		return (*last)[:len(b):len(b)]
	}
	if f.raw && d.shares != nil {
		if known := d.shares.raw(b); known != nil {
			return known
		}
	}
	return append(make([]byte, 0, len(b)), b...)
}
