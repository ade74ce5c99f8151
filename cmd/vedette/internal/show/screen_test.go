package show

import (
	"fmt"
	"strings"
	"testing"
)

// terminal is as much of one as the screen needs: it panics at what it does not know.
type terminal struct {
	width, height int
	lines         [2][]string // of both screens
	other         int         // which of them is shown
	row, column   int
	cursor        bool
}

func newTerminal(width, height int) *terminal {
	t := &terminal{width: width, height: height, cursor: true}
	for i := range t.lines {
		t.lines[i] = make([]string, height)
	}
	t.lines[0][0], t.row = "$ vedette watch", 1
	return t
}

func (t *terminal) size() (int, int) { return t.width, t.height }

// Write implements io.Writer.
func (t *terminal) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		known := false
		for sequence, obey := range map[string]func(){
			"\x1b[?1049h": func() { t.other, t.lines[1] = 1, make([]string, t.height) },
			"\x1b[?1049l": func() { t.other, t.row, t.column = 0, 1, 0 },
			"\x1b[?25l":   func() { t.cursor = false },
			"\x1b[?25h":   func() { t.cursor = true },
			"\x1b[H":      func() { t.row, t.column = 0, 0 },
			"\x1b[K":      func() { t.set(t.before()) },
			"\x1b[J": func() {
				t.set(t.before())
				clear(t.lines[t.other][t.row+1:])
			},
			"\x1b[0m": func() {}, "\x1b[1m": func() {}, "\x1b[2m": func() {},
			"\r": func() { t.column = 0 },
			"\n": func() { t.down(); t.column = 0 },
		} {
			if rest, ok := strings.CutPrefix(text, sequence); ok {
				obey()
				text, known = rest, true
				break
			}
		}
		if !known {
			r := []rune(text)[0]
			if r < ' ' {
				panic(fmt.Sprintf("%q is not known", text))
			}
			t.put(r)
			text = text[len(string(r)):]
		}
	}
	return len(p), nil
}

func (t *terminal) put(r rune) {
	if t.column == t.width {
		t.down()
		t.column = 0
	}
	line := []rune(fmt.Sprintf("%-*s", t.column+1, t.lines[t.other][t.row]))
	line[t.column] = r
	t.set(string(line))
	t.column++
}

func (t *terminal) down() {
	if t.row++; t.row == t.height { // it scrolls
		t.row--
		copy(t.lines[t.other], t.lines[t.other][1:])
		t.set("")
	}
}

func (t *terminal) before() string {
	line := []rune(t.lines[t.other][t.row])
	return string(line[:min(t.column, len(line))])
}

func (t *terminal) set(line string) { t.lines[t.other][t.row] = line }

// shown is what one sees.
func (t *terminal) shown() string {
	return strings.TrimRight(strings.Join(t.lines[t.other], "\n"), "\n")
}

func frame(title string, rows ...string) Frame {
	return Frame{Title: title, Header: "NAME", Rows: rows, Footer: "Ctrl-C ends"}
}

func TestScreenDrawsAnew(t *testing.T) {
	terminal := newTerminal(20, 9)
	screen := NewScreen(terminal, true, terminal.size)
	draw := func(f Frame, want string) {
		t.Helper()
		if err := screen.Draw(f); err != nil {
			t.Fatal(err)
		}
		if got := terminal.shown(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	draw(frame("two", "a-long-name", "b"), "two\n\nNAME\na-long-name\nb\n\nCtrl-C ends")
	if terminal.cursor {
		t.Error("there is a cursor")
	}
	// Nothing is left of a longer frame, nor of longer lines.
	draw(frame("one", "b"), "one\n\nNAME\nb\n\nCtrl-C ends")
	// What does not fit is cut, and counted.
	draw(frame("a title that is too long", "a", "b", "c", "d", "e", "f"), "a title that is too…\n\nNAME\na\nb\nc\n… and 3 more\n\nCtrl-C ends")
	// A terminal may get smaller meanwhile, and even too small.
	terminal.width, terminal.height = 3, 2
	if err := screen.Draw(frame("tiny", "a")); err != nil {
		t.Fatal(err)
	}
	terminal.width, terminal.height = 20, 9
	draw(frame("last", "z"), "last\n\nNAME\nz\n\nCtrl-C ends")

	screen.Close()
	screen.Close()
	if want := "$ vedette watch\nlast\n\nNAME\nz"; terminal.shown() != want || !terminal.cursor {
		t.Errorf("after the end, got\n%s\nwant\n%s", terminal.shown(), want)
	}
	draw(frame("too late"), terminal.shown())
}

func TestScreenThatWasNeverDrawn(t *testing.T) {
	terminal := newTerminal(20, 5)
	NewScreen(terminal, false, terminal.size).Close()
	if got := terminal.shown(); got != "$ vedette watch" {
		t.Errorf("it shows %q", got)
	}
}

func TestStyle(t *testing.T) {
	if got := Style(false).Bold("a") + Style(false).Faint("b"); got != "ab" {
		t.Errorf("plain text is %q", got)
	}
	if got := Style(true).Bold("a"); got != "\x1b[1ma\x1b[0m" {
		t.Errorf("bold text is %q", got)
	}
}
