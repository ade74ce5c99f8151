package jsonscan

// Skip is how many bytes the value at the beginning of b has, or -1 if there is none or if it is cut short. b begins with the
// value, without space before it.
func Skip(b []byte) int {
	v, _, ok := value(b)
	if !ok {
		return -1
	}
	return len(v)
}

// SkipString is how many bytes the string at the beginning of b has with its quotes, or -1 if it is cut short; and whether it
// stands for itself, without escapes. b begins with a quote.
func SkipString(b []byte) (n int, plain bool) {
	if at := special(b[1:]); at >= 0 && b[1+at] == '"' {
		return at + 2, true
	}
	if n = Skip(b); n < 0 {
		return -1, false
	}
	return n, false
}
