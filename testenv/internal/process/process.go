package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Command is a command to run.
type Command struct {
	Name string // for messages
	Path string
	Args []string
	// Log is the file for the output of the command. It is appended to, so that it is kept across restarts.
	Log string
	// Output, if not nil, receives it too.
	Output io.Writer
}

// Process is a command that was started.
type Process struct {
	name    string
	log     string
	logFrom int64 // where its part of the log begins
	cmd     *exec.Cmd
	done    chan struct{}
	err     error // how it ended; set before done is closed
}

// outputDelay is how long to wait for the rest of the output of a process that has ended, in case a child still holds
// the pipe.
const outputDelay = time.Second

func start(c Command) (*Process, error) {
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	var out io.Writer = log // a plain file needs no copying goroutine
	if c.Output != nil {
		out = io.MultiWriter(log, c.Output)
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = TiedToParent()
	cmd.WaitDelay = outputDelay
	p := &Process{name: c.Name, log: c.Log, logFrom: from, cmd: cmd, done: make(chan struct{})}
	if err := p.run(log); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	return p, nil
}

// run starts the command and waits for it, on the same thread: the kernel kills a process that is tied to its parent
// when the thread that started it ends.
func (p *Process) run(log io.Closer) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer log.Close()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

func (p *Process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Kill kills the process, and returns when it has ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // the only error is that it has already ended
	<-p.done
}

// Stop asks the process to end, and kills it if it has not ended in time.
func (p *Process) Stop(timeout time.Duration) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(timeout):
		p.Kill()
	}
}

// ErrEnded is wrapped by each Failure.
var ErrEnded = errors.New("it ended")

// Failure returns how a process ended unexpectedly, with the last lines of its log. It is nil while the process is
// running.
func (p *Process) Failure() error {
	if !p.ended() {
		return nil
	}
	how := "without an error"
	if p.err != nil {
		how = p.err.Error() // such as "exit status 1" or "signal: killed"
	}
	return fmt.Errorf("%w: %s\n%s", ErrEnded, how, p.LogTail())
}

// Name returns the name of its command.
func (p *Process) Name() string { return p.name }
