package jsonread

import "unsafe"

// memory is where the parts of one object come from: from others, or from room of its own. Several strings share a piece of it,
// which stays for as long as one of them is in use: so it is a small one.
type memory struct {
	shares *Shares // nil if nothing is shared

	bytes   []byte
	strings []string
	// scratch is what a string with escapes says.
	scratch []byte
	names   names
}

const (
	mostBytes   = 512
	mostBoxes   = 16
	longestText = 128 // longer ones are for themselves
)

// add makes a string of bytes. left is how much of the object comes behind them: more room than that will not be needed.
func (m *memory) add(b []byte, left int) string {
	if len(b) == 0 || len(b) > longestText {
		return string(b)
	}
	if len(b) > cap(m.bytes)-len(m.bytes) {
		m.bytes = make([]byte, 0, min(mostBytes, len(b)+left))
	}
	begin := len(m.bytes)
	m.bytes = append(m.bytes, b...)
	return unsafe.String(&m.bytes[begin], len(b))
}

// box makes a string of bytes that is a value.
func (m *memory) box(b []byte, left int) any {
	if len(m.strings) == cap(m.strings) {
		const shortest = len(`"":"",`)
		m.strings = make([]string, 0, min(mostBoxes, 1+left/shortest))
	}
	m.strings = append(m.strings, m.add(b, left))
	return boxed(&m.strings[len(m.strings)-1])
}

// boxed is any(*s), but without memory of its own for the string, which must not be changed any more.
func boxed(s *string) any {
	var v any = ""
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(s) // behind the type
	return v
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
