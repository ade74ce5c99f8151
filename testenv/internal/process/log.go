package process

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// How much of a log an error carries: enough to see the reason, which servers give last or nearly so.
const (
	tailLines = 20
	tailBytes = 64 << 10
	lineBytes = 500
)

// LogTail is the end of the log, ready to be part of a message.
func (p *Process) LogTail() string {
	text, err := tail(p.log, p.logFrom)
	if err != nil {
		return fmt.Sprintf("(its log cannot be read: %v)", err)
	}
	if text == "" {
		return "(its log is empty)"
	}
	return "the end of its log:\n" + text
}

// LogContains reports whether a text is in the end of the log of this process.
func (p *Process) LogContains(text string) bool {
	end, err := tail(p.log, p.logFrom)
	return err == nil && strings.Contains(end, text)
}

// tail reads the last lines from a place on.
func tail(path string, from int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from = max(from, info.Size()-tailBytes)
	b, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return "", err
	}
	return lastLines(string(b)), nil
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		if len(line) > lineBytes {
			line = line[:lineBytes] + "…"
		}
		lines[i] = "    " + line
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " ")
}
