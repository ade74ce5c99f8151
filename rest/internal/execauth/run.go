package execauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

const (
	infoVariable = "KUBERNETES_EXEC_INFO"
	// unattendedLimit is how long a plugin may take if it cannot ask the user, and attendedLimit if it can: a login
	// in a browser takes a while.
	unattendedLimit = time.Minute
	attendedLimit   = 5 * time.Minute
	defaultLinger   = 2 * time.Second
)

var (
	errTookTooLong = errors.New("the plugin took too long")
	errTooMuch     = fmt.Errorf("it printed more than %d bytes", maxOutput)
)

// surroundings are what a plugin gets from our own process; tests replace them.
type surroundings struct {
	input   *os.File
	stderr  io.Writer
	environ func() []string
	// terminal says whether input is a terminal, and attended whether there is any terminal at all.
	terminal func() bool
	attended func() bool
	limit    func(attended bool) time.Duration
	// linger is how long to wait, after the plugin ended, for children of it that still hold its output.
	linger time.Duration
}

func realSurroundings() surroundings {
	terminal := func() bool { return isTerminal(os.Stdin) }
	return surroundings{
		input:    os.Stdin,
		stderr:   os.Stderr,
		environ:  os.Environ,
		terminal: terminal,
		attended: func() bool { return terminal() || hasControllingTerminal() },
		linger:   defaultLinger,
		limit: func(attended bool) time.Duration {
			if attended {
				return attendedLimit
			}
			return unattendedLimit
		},
	}
}

// run runs the plugin once, and returns when it has ended or was killed.
func (p *plugin) run(ctx context.Context) (*credentials, error) {
	creds, err := p.runAndParse(ctx)
	if err != nil {
		return nil, fmt.Errorf("exec plugin %q: %w", p.command, err)
	}
	return creds, nil
}

func (p *plugin) runAndParse(ctx context.Context) (*credentials, error) {
	interactive, err := p.stdin.interactive(p.terminal())
	if err != nil {
		return nil, err
	}
	info, err := p.question(interactive)
	if err != nil {
		return nil, err
	}
	path, err := resolve(p.command, p.policy)
	if err != nil {
		return nil, p.explainStart(err)
	}
	attended := p.attended()
	limit := p.limit(attended)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTookTooLong)
	defer cancel()

	cmd := exec.CommandContext(ctx, path, p.args...)
	cmd.Env = append(append(p.environ(), p.env...), infoVariable+"="+info)
	cmd.WaitDelay = p.linger
	output, tail := &limitedBuffer{full: cancel}, &tailBuffer{}
	cmd.Stdout = output
	if interactive {
		cmd.Stdin = p.input
	}
	if attended {
		// The plugin shares our terminal: it may ask something there, and Ctrl-C reaches it. What it writes is seen.
		cmd.Stderr = p.stderr
	} else {
		// In a process group of its own, so that what it started can be ended with it. With a terminal that would stop it
		// when it reads from there.
		ownGroup(cmd)
		cmd.Stderr = io.MultiWriter(p.stderr, tail)
	}
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, p.explain(ctx, err, output, tail, limit)
	}
	// With ErrWaitDelay the plugin succeeded, and left a process behind that holds its output open: some start an agent.
	return parseCredentials(output.buffer.Bytes(), p.apiVersion)
}

// explain says why a run failed. It shows nothing of the output, of the arguments or of the environment.
func (p *plugin) explain(ctx context.Context, err error, output *limitedBuffer, tail *tailBuffer, limit time.Duration) error {
	var exit *exec.ExitError
	wrote := p.secrets.quote(tail.String())
	switch {
	case output.overflowed:
		return errTooMuch
	case context.Cause(ctx) == errTookTooLong:
		return fmt.Errorf("it did not end within %v and was killed: run it by hand to see what it waits for%s: %w",
			limit, wrote, context.DeadlineExceeded)
	case ctx.Err() != nil:
		return fmt.Errorf("it was ended, because no request waited for it any more: %w", context.Canceled)
	case errors.As(err, &exit):
		return fmt.Errorf("it failed with %v%s", exit.ProcessState, wrote)
	}
	return p.explainStart(err)
}

// explainStart says why the program could not be started.
func (p *plugin) explainStart(err error) error {
	if !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if p.installHint == "" {
		return fmt.Errorf("it is not installed: %w", err)
	}
	return fmt.Errorf("it is not installed: %w\n\n%s", err, p.installHint)
}
