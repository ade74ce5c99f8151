package show

import (
	"fmt"
	"io"
	"strings"
)

// Bar is a progress bar on a terminal. A Bar without Out is silent, as is right in a pipe.
type Bar struct {
	Out   io.Writer
	shown bool
}

const barWidth = 24

// Set shows how much is done, from 0 to 1, and a text.
func (b *Bar) Set(done float64, text string) {
	if b.Out == nil {
		return
	}
	b.shown = true
	full := int(min(1, max(0, done))*barWidth + 0.5)
	fmt.Fprintf(b.Out, "\r[%s%s] %s%s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), Clean(text), clearLine)
}

// Say shows a text, for what has no measure.
func (b *Bar) Say(text string) {
	if b.Out == nil {
		return
	}
	b.shown = true
	fmt.Fprintf(b.Out, "\r%s%s", Clean(text), clearLine)
}

// Clear takes the line away.
func (b *Bar) Clear() {
	if b.Out == nil || !b.shown {
		return
	}
	b.shown = false
	fmt.Fprint(b.Out, "\r"+clearLine)
}
