package show

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Control sequences. The alternate screen leaves the content of the main one unchanged.
const (
	otherScreen = "\x1b[?1049h\x1b[?25l" // and no cursor
	firstScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"

	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// Style reports whether text may be styled.
type Style bool

// Bold returns text in bold, for the subject of a line.
func (s Style) Bold(text string) string { return s.mark(bold, text) }

// Faint returns text in faint, for details.
func (s Style) Faint(text string) string { return s.mark(faint, text) }

func (s Style) mark(how, text string) string {
	if !s || text == "" {
		return text
	}
	return how + text + plain
}

// Frame is what a Screen shows. Its rows may be cut off where there is no room; the rest is always there.
type Frame struct {
	Title string
	// Note is below the title.
	Note   string
	Header string
	Rows   []string
	// Footer is below the rows.
	Footer string
}

// Screen shows frames on a terminal, each in place of the one before. It is safe for concurrent use.
type Screen struct {
	out   io.Writer
	style Style
	// size is called before each frame, because terminals are resized.
	size func() (width, height int)

	mu     sync.Mutex
	open   bool
	closed bool
	last   Frame
}

// NewScreen returns a screen. Nothing is written before the first frame.
func NewScreen(out io.Writer, style Style, size func() (width, height int)) *Screen {
	return &Screen{out: out, style: style, size: size}
}

// Room returns how many rows a frame with all parts can show.
func (s *Screen) Room() int {
	_, height := s.size()
	return max(1, height-5)
}

// Draw shows a frame in place of the one before. After Close it does nothing.
func (s *Screen) Draw(f Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	var b bytes.Buffer
	if !s.open {
		s.open = true
		b.WriteString(otherScreen)
	}
	width, height := s.size()
	b.WriteString(home)
	lines := s.lines(f, width, max(1, height-5))
	lines = lines[:min(len(lines), max(1, height))] // more would scroll
	for i, line := range lines {
		b.WriteString(line + clearLine)
		if i < len(lines)-1 {
			b.WriteString("\r\n")
		}
	}
	b.WriteString(clearBelow)
	s.last = f
	_, err := s.out.Write(b.Bytes())
	return err
}

// lines returns the lines of a frame. Text is styled after it was cut, so that no control sequence is cut in two.
func (s *Screen) lines(f Frame, width, room int) []string {
	lines := []string{s.style.Bold(Cut(f.Title, width)), s.style.Faint(Cut(f.Note, width)), s.style.Bold(Cut(f.Header, width))}
	rows, left := f.Rows, 0
	if len(rows) > room {
		left = len(rows) - room + 1
		rows = rows[:room-1]
	}
	for _, row := range rows {
		lines = append(lines, Cut(row, width))
	}
	if left > 0 {
		lines = append(lines, s.style.Faint(Cut("… and "+Count(left)+" more", width)))
	}
	return append(lines, "", s.style.Faint(Cut(f.Footer, width)))
}

// Close restores the main screen and prints the last frame on it, without its footer. It may be called twice, also during Draw.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if !s.open {
		return
	}
	width, height := s.size()
	lines := s.lines(s.last, width, max(1, height-5))
	lines = lines[:len(lines)-2] // the footer does not apply any more
	_, _ = io.WriteString(s.out, firstScreen+strings.Join(lines, "\n")+"\n")
}
