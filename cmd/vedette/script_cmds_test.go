package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// running is a program in the background whose output can be waited for.
type running struct {
	cmd *exec.Cmd

	mu      sync.Mutex
	out     bytes.Buffer
	changed chan struct{} // closed when there is more output
	done    chan struct{} // closed when the program has ended
	code    int
}

// Write implements io.Writer.
func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
	return r.out.Write(p)
}

// output is what it has written, and something that is closed when there is more.
func (r *running) output() (string, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String(), r.changed
}

func (r *running) kill() {
	_ = r.cmd.Process.Kill()
	<-r.done
}

// newCommand makes a program of a script's arguments, in its folder and environment.
func newCommand(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := lookPath(ts, args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0"} // otherwise each takes a second to end with -race
	for _, name := range []string{"PATH", "HOME", "KUBECONFIG", "TMPDIR", "NO_COLOR", "TERM", "GOCOVERDIR"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return cmd
}

func lookPath(ts *testscript.TestScript, name string) (string, error) {
	for _, dir := range regexp.MustCompile(string(os.PathListSeparator)).Split(ts.Getenv("PATH"), -1) {
		if path, err := exec.LookPath(dir + string(os.PathSeparator) + name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no program " + name)
}

// exits runs a program to its end: exits CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := newCommand(ts, args[1:])
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d, and not %d", got, want)
	}
}

// start starts a program in the background: start NAME PROGRAM ARGS...
func start(ts *testscript.TestScript, _ bool, args []string) {
	r := &running{cmd: newCommand(ts, args[1:]), changed: make(chan struct{}), done: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = r, r
	of(ts).forget()
	ts.Check(r.cmd.Start())
	of(ts).programs[args[0]] = r
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait()
		r.code = r.cmd.ProcessState.ExitCode()
	}()
}

// forget forgets who watched and who came to the hole, so that what is waited for next is of a program that is started now.
func (s *state) forget() {
	for {
		select {
		case <-s.watched:
		case <-s.created:
		case <-s.fallen:
		default:
			return
		}
	}
}

// waitFor waits for output of a program: waitfor NAME REGEXP.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	r, want := of(ts).programs[args[0]], regexp.MustCompile("(?m)"+args[1])
	for {
		text, changed := r.output()
		if want.MatchString(text) {
			return
		}
		select {
		case <-changed:
		case <-r.done:
			if text, _ := r.output(); !want.MatchString(text) {
				ts.Fatalf("%s ended, and did not write %q:\n%s", args[0], args[1], text)
			}
		case <-of(ts).ctx.Done():
			ts.Fatalf("%s does not write %q:\n%s", args[0], args[1], text)
		}
	}
}

func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(of(ts).programs[args[0]].cmd.Process.Signal(os.Interrupt))
}

// ends waits for the end of a program: ends NAME CODE. Its output is that of the command.
func ends(ts *testscript.TestScript, _ bool, args []string) {
	r := of(ts).programs[args[0]]
	select {
	case <-r.done:
	case <-of(ts).ctx.Done():
		ts.Fatalf("%s does not end", args[0])
	}
	text, _ := r.output()
	_, _ = ts.Stdout().Write([]byte(text))
	if want, _ := strconv.Atoi(args[1]); r.code != want {
		ts.Fatalf("exit status %d, and not %s:\n%s", r.code, args[1], text)
	}
}

// waitWatch waits for a watch: waitwatch RESOURCE.
func waitWatch(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, of(ts).watched, args[0], "no watch")
}

// waitCreate waits until an object is created: waitcreate RESOURCE.
func waitCreate(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, of(ts).created, args[0], "no object was created")
}

func await(ts *testscript.TestScript, heard <-chan string, resource, complaint string) {
	for {
		select {
		case one := <-heard:
			if one == resource {
				return
			}
		case <-of(ts).ctx.Done():
			ts.Fatalf("%s %s", complaint, resource)
		}
	}
}

// hole listens, and never answers: hole. HOLE is its address.
func hole(ts *testscript.TestScript, _ bool, _ []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("HOLE", listener.Addr().String())
	done := make(chan struct{})
	s := of(ts)
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			s.fallen <- struct{}{}
		}
	}()
	ts.Defer(func() {
		_ = listener.Close()
		<-done
	})
}

// waitHole waits for a connection to the hole.
func waitHole(ts *testscript.TestScript, _ bool, _ []string) {
	select {
	case <-of(ts).fallen:
	case <-of(ts).ctx.Done():
		ts.Fatalf("no connection")
	}
}
