package command

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"vedette.dev/cmd/vedette/internal/show"
)

// streams are the input and output of the command.
type streams struct {
	out, err io.Writer
	// outTerminal and errTerminal report whether they are terminals on which lines can be redrawn.
	outTerminal, errTerminal bool
	// size returns the size of the terminal of out.
	size func() (width, height int)
	// style is for out.
	style show.Style
	// name is how the program was called; empty means its own name.
	name string

	mu       sync.Mutex
	restores []func() // restore the state of the terminal
}

// processStreams returns those of the process. It respects NO_COLOR (see no-color.org) and dumb terminals.
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

// styleFor returns how text may be styled. Any value of NO_COLOR but the empty one disables it.
func styleFor(terminal bool) show.Style { return show.Style(terminal && os.Getenv("NO_COLOR") == "") }

// screen returns a screen, which is also closed if the process exits early.
func (s *streams) screen() *show.Screen {
	screen := show.NewScreen(s.out, s.style, s.size)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restores = append(s.restores, screen.Close)
	return screen
}

// bar returns a progress bar, which is silent unless there is a terminal.
func (s *streams) bar() *show.Bar {
	if !s.errTerminal {
		return &show.Bar{}
	}
	return &show.Bar{Out: s.err}
}

// restore restores the state of the terminal.
func (s *streams) restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.restores {
		one()
	}
}
