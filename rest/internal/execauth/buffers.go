package execauth

import (
	"bytes"
	"strings"
)

const (
	maxOutput = 1 << 20  // of what a plugin may print
	maxKept   = 16 << 10 // of what it wrote to standard error
	maxShown  = 1 << 10  // of that, in an error
)

// limitedBuffer takes maxOutput bytes, and calls full when there are more. It does not embed the buffer, whose ReadFrom
// would know no limit.
type limitedBuffer struct {
	buffer     bytes.Buffer
	full       func()
	overflowed bool
}

func (b *limitedBuffer) Write(data []byte) (int, error) {
	if b.buffer.Len()+len(data) > maxOutput {
		b.overflowed = true
		b.full()
		return 0, errTooMuch
	}
	return b.buffer.Write(data)
}

// tailBuffer keeps the last maxKept bytes. That is more than is shown, so that a secret at the border is recognised
// before the text is cut.
type tailBuffer struct{ data []byte }

func (b *tailBuffer) Write(data []byte) (int, error) {
	b.data = append(b.data, data...)
	if extra := len(b.data) - maxKept; extra > 0 {
		b.data = append(b.data[:0], b.data[extra:]...)
	}
	return len(data), nil
}

func (b *tailBuffer) String() string { return string(b.data) }

// lastWords cuts text to its last maxShown bytes, at the beginning of a word.
func lastWords(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxShown {
		return text
	}
	text = text[len(text)-maxShown:]
	if i := strings.IndexAny(text, " \t\n"); i >= 0 {
		text = text[i+1:]
	}
	return "..." + text
}
