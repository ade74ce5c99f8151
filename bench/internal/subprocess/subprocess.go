// Package subprocess runs a server in a process of its own, so that what it costs is not taken for the client's.
//
//   - [Start] starts this program again with a command. [Process] is the end of it that a workload has in hand.
//   - [Serve] is the other end: it prints the address of the server, and executes orders.
//
// The two talk in lines of JSON. The server ends with [Process.Stop], or with the process that started it, however that ends.
package subprocess

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Process is a server that runs.
type Process struct {
	// URL is where it is.
	URL string

	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	errs  strings.Builder
}

// Start starts this program again, with a command and with what it is to serve, and returns when it listens.
func Start(command string, spec any) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(self, command, string(args))}
	p.cmd.Stderr = &p.errs
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p.lines = bufio.NewReader(stdout)
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the server did not say where it is: %w", errors.Join(err, p.Stop()))
	}
	p.URL = strings.TrimSpace(line)
	return p, nil
}

// Tell has the server do something, and returns when it has, with its report.
func (p *Process) Tell(order, report any) error {
	if err := json.NewEncoder(p.stdin).Encode(order); err != nil {
		return fmt.Errorf("tell the server: %w", err)
	}
	line, err := p.lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the server did not answer: %w", err)
	}
	return json.Unmarshal(line, report)
}

// Stop ends the server and waits for it.
func (p *Process) Stop() error {
	err := errors.Join(p.stdin.Close(), p.cmd.Wait())
	if err != nil && p.errs.Len() > 0 {
		err = fmt.Errorf("%w: %s", err, p.errs.String())
	}
	return err
}

// Serve says that the server is at a URL, and does each order that comes, until in ends.
func Serve[O, R any](url string, in io.Reader, out io.Writer, do func(O) (R, error)) error {
	fmt.Fprintln(out, url)
	lines, answers := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var o O
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		done, err := do(o)
		if err != nil {
			return err
		}
		if err := answers.Encode(done); err != nil {
			return err
		}
	}
	return lines.Err()
}
