package binaries

import (
	"bytes"
	"strings"
)

// listener parses the output of the go command: modules that it downloads, packages that it compiles (-v), and
// everything else, which are errors.
type listener struct {
	progress *progress
	partial  []byte
	other    []string
}

// maxComplaints are kept. With a broken network there is one for each of two hundred modules, all alike.
const maxComplaints = 20

func (l *listener) Write(b []byte) (int, error) {
	l.partial = append(l.partial, b...)
	for {
		line, rest, whole := bytes.Cut(l.partial, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		l.hear(string(line))
		l.partial = rest
	}
}

func (l *listener) hear(line string) {
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		l.progress.downloaded()
	case line != "" && !strings.ContainsAny(line, " \t:"):
		l.progress.compiled()
	case len(l.other) < maxComplaints:
		l.other = append(l.other, line)
	}
}

func (l *listener) complaints() string {
	return strings.Join(append(l.other, string(l.partial)), "\n")
}
