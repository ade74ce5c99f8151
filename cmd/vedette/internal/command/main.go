package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 and the number of SIGINT, as shells have it
)

// errInterrupted is the cause of a context that ends by a signal.
var errInterrupted = errors.New("interrupted")

// usageError is an error in the arguments: the command has not started.
type usageError struct {
	err error
	// command is the command whose help is relevant.
	command string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{err: fmt.Errorf(format, args...)} }

// Main runs the command as this process, and returns its exit status.
func Main() int {
	streams := processStreams()
	ctx, stop := untilSignal(context.Background(), streams)
	defer stop()
	return run(ctx, streams, os.Args[1:])
}

// run runs the command, and prints its error.
func run(ctx context.Context, s *streams, args []string) int {
	root := newRoot(s)
	root.SetArgs(args)
	called, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		name := usage.command
		if name == "" {
			name = called.CommandPath()
		}
		s.complain(err)
		fmt.Fprintf(s.err, "See '%s --help'.\n", name)
		return exitUsage
	case errors.Is(err, errInterrupted) || errors.Is(context.Cause(ctx), errInterrupted) && errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	s.complain(err)
	return exitFailed
}

// complain prints an error, in one paragraph. Further lines, as in messages of servers, are indented.
func (s *streams) complain(err error) {
	text := strings.TrimSpace(err.Error())
	fmt.Fprintf(s.err, "vedette: %s\n", strings.ReplaceAll(text, "\n", "\n  "))
}
