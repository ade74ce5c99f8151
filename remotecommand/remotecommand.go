package remotecommand

import (
	"context"
	"io"
)

// StreamOptions are the streams of a command. They have to match the request: a stream that the request asks for must not be nil.
type StreamOptions struct {
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr is not used with a terminal, which has one output only.
	Stderr io.Writer
	// Tty says that the command has a terminal.
	Tty bool
	// TerminalSizeQueue returns the sizes of the terminal. It may be nil.
	TerminalSizeQueue TerminalSizeQueue
}

// Executor runs the command of a request. Its methods may be called by several goroutines at once; each call runs the command.
type Executor interface {
	// Stream is StreamWithContext with a context that does not end.
	//
	// Deprecated: use StreamWithContext.
	Stream(options StreamOptions) error

	// StreamWithContext runs the command, and returns when it has ended or ctx has.
	StreamWithContext(ctx context.Context, options StreamOptions) error
}

// TerminalSize is the size of a terminal in characters.
type TerminalSize struct {
	Width  uint16
	Height uint16
}

// TerminalSizeQueue returns the sizes of a terminal.
type TerminalSizeQueue interface {
	// Next waits until the terminal has another size and returns it. Nil means that there will be no more.
	Next() *TerminalSize
}
