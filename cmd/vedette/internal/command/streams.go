package command

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"vedette.dev/cmd/vedette/internal/show"
)

// streams is what the command reads from the outside and writes to it.
type streams struct {
	out, err io.Writer
	// outTerminal and errTerminal tell whether they are terminals on which a line can be written anew.
	outTerminal, errTerminal bool
	// size is that of the terminal of out.
	size func() (width, height int)
	// style is for out.
	style show.Style
	// name is how the program is called; empty means by its own.
	name string

	mu       sync.Mutex
	restores []func() // what leaves the terminal as it was
}

// processStreams are those of the process. NO_COLOR (see no-color.org) and terminals that can do nothing are heeded.
func processStreams() *streams {
	smart := os.Getenv("TERM") != "dumb"
	s := &streams{
		out: os.Stdout, err: os.Stderr, name: thisProgram(),
		outTerminal: smart && term.IsTerminal(int(os.Stdout.Fd())),
		errTerminal: smart && term.IsTerminal(int(os.Stderr.Fd())),
	}
	s.style = styleFor(s.outTerminal)
	s.size = func() (int, int) {
		width, height, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	return s
}

// styleFor is how text may be marked. Any value of NO_COLOR but none at all says that it may not.
func styleFor(terminal bool) show.Style { return show.Style(terminal && os.Getenv("NO_COLOR") == "") }

// screen makes a screen, which is closed also if the process ends in a hurry.
func (s *streams) screen() *show.Screen {
	screen := show.NewScreen(s.out, s.style, s.size)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restores = append(s.restores, screen.Close)
	return screen
}

// bar makes a bar of progress, which is silent unless there is a terminal to show it on.
func (s *streams) bar() *show.Bar {
	if !s.errTerminal {
		return &show.Bar{}
	}
	return &show.Bar{Out: s.err}
}

// restore leaves the terminal as it was found.
func (s *streams) restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.restores {
		one()
	}
}
