package sharding

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

// process is a server that runs in a process of its own.
type process struct {
	spec
	url string

	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	errs  strings.Builder
}

// startServer starts this program again, as a server, and returns when that has its objects. It ends with stop, or with this
// process, however that ends.
func startServer(s spec) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	p := &process{spec: s, cmd: exec.Command(self, Command, string(args))}
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
		return nil, fmt.Errorf("the server did not say where it is: %w", errors.Join(err, p.stop()))
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

// tell has the server do something, and returns when it has.
func (p *process) tell(o order) (report, error) {
	var done report
	if err := json.NewEncoder(p.stdin).Encode(o); err != nil {
		return done, fmt.Errorf("tell the server: %w", err)
	}
	line, err := p.lines.ReadBytes('\n')
	if err != nil {
		return done, fmt.Errorf("the server did not answer: %w", err)
	}
	return done, json.Unmarshal(line, &done)
}

// stop ends the server and waits for it.
func (p *process) stop() error {
	err := errors.Join(p.stdin.Close(), p.cmd.Wait())
	if err != nil && p.errs.Len() > 0 {
		err = fmt.Errorf("%w: %s", err, p.errs.String())
	}
	return err
}
