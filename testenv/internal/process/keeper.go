package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// watch waits for the end of its input, which is the end of the program that started it. Each line before that lists the
// processes to kill then. It ignores signals: an interrupt is meant for the tests. A process that was killed
// may be writing its last file, so the folder is removed more than once if need be.
const watch = `trap '' HUP INT QUIT TERM
pids=
while read -r line; do pids=$line; done
[ -z "$pids" ] || kill -9 $pids
for try in 1 2 3 4 5; do
	rm -rf -- "$1" && exit
	sleep 1
done`

// ErrClosed is for who comes too late.
var ErrClosed = errors.New("the environment has been stopped")

// Keeper owns a folder and the processes in it. Its methods may be called from several goroutines.
type Keeper struct {
	dir   string
	shell *exec.Cmd
	pipe  io.WriteCloser

	closing  sync.Once
	watchers sync.WaitGroup // one for each that runs

	mu     sync.Mutex
	closed bool
	// Invariant: the shell has been told the pids of exactly these. One that has ended is taken out at once: its number
	// may be given to a process that is none of ours.
	running []*Process
}

// NewKeeper returns a folder, in the system's place for such, and guards it.
func NewKeeper(pattern string) (*Keeper, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return nil, err
	}
	k := &Keeper{dir: dir}
	if err := k.startShell(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the shell that tidies up: %w", err), os.RemoveAll(dir))
	}
	return k, nil
}

func (k *Keeper) startShell() (err error) {
	k.shell = exec.Command("sh", "-c", watch, "testenv-keeper", k.dir)
	k.shell.Dir = "/"
	k.shell.SysProcAttr = detached()
	if k.pipe, err = k.shell.StdinPipe(); err != nil {
		return err
	}
	return k.shell.Start()
}

// Dir is the folder.
func (k *Keeper) Dir() string { return k.dir }

// Start runs a command until it ends or the keeper is closed.
func (k *Keeper) Start(c Command) (*Process, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, fmt.Errorf("%s: %w", c.Name, ErrClosed)
	}
	p, err := start(c)
	if err != nil {
		return nil, err
	}
	k.running = append(k.running, p)
	k.watchers.Go(func() {
		<-p.Done()
		k.forget(p)
	})
	if err := k.tellShell(); err != nil {
		p.Kill()
		return nil, fmt.Errorf("the shell that tidies up is gone, was it killed? %w", err)
	}
	return p, nil
}

func (k *Keeper) forget(p *Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = slices.DeleteFunc(k.running, func(q *Process) bool { return q == p })
	_ = k.tellShell() // if the shell is gone, the message is not needed
}

// tellShell lists those that run now. The caller holds mu.
func (k *Keeper) tellShell() error {
	pids := make([]string, 0, len(k.running))
	for _, p := range k.running {
		pids = append(pids, strconv.Itoa(p.PID()))
	}
	_, err := io.WriteString(k.pipe, strings.Join(pids, " ")+"\n")
	return err
}

// Close kills the processes, removes the folder, and waits for both. Further calls do nothing.
func (k *Keeper) Close() (err error) {
	k.closing.Do(func() { err = k.close() })
	return err
}

func (k *Keeper) close() error {
	k.mu.Lock()
	k.closed = true
	running := slices.Clone(k.running)
	k.mu.Unlock()

	for _, p := range running {
		p.Kill()
	}
	k.watchers.Wait()
	return errors.Join(os.RemoveAll(k.dir), k.pipe.Close(), ignoreExit(k.shell.Wait()))
}

// ignoreExit drops how the shell ended: the folder is gone, and that is all it was for.
func ignoreExit(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}
