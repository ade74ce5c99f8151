//go:build unix

package kubectl

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// watch is a kubectl in the background.
type watch struct {
	args      []string
	cmd       *exec.Cmd
	done      chan struct{}
	out, errs feed
}

// feed is what is being printed.
type feed struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed, and another made, when there is more
}

func newFeed() feed { return feed{more: make(chan struct{})} }

func (f *feed) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.more)
	f.more = make(chan struct{})
	return f.text.Write(b)
}

// read is what has been printed so far, and when to look again.
func (f *feed) read() (string, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text.String(), f.more
}

// verbose has kubectl say which requests were answered. Those lines are left out of its output: see logged.
const verbose = "-v=6"

var (
	logged  = regexp.MustCompile(`(?m)^I\d{4} .*\n`)
	answers = regexp.MustCompile(`(?m)^I\d{4} .*watch=true.*200 OK`)
)

func startWatch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: watch NAME ARGS")
	}
	s := sessionOf(ts)
	w := &watch{args: args[1:], done: make(chan struct{}), out: newFeed(), errs: newFeed()}
	w.cmd = s.command(s.ctx, ts, append([]string{verbose}, w.args...))
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.errs
	ts.Check(w.cmd.Start())
	go func() {
		defer close(w.done)
		_ = w.cmd.Wait() // it is interrupted, which is an error
	}()
	ts.Defer(w.stop)
	s.watches[args[0]] = w
}

func (w *watch) stop() {
	_ = w.cmd.Process.Signal(os.Interrupt) // or it has ended
	<-w.done
}

func opened(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: opened NAME")
	}
	w := find(ts, args[0])
	w.await(ts, &w.errs, answers)
}

func seen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: seen NAME REGEXP")
	}
	wanted, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	w := find(ts, args[0])
	w.await(ts, &w.out, wanted)
}

func (w *watch) await(ts *testscript.TestScript, f *feed, wanted *regexp.Regexp) {
	for {
		ended := false
		select {
		case <-w.done:
			ended = true // but may have printed it
		default:
		}
		text, more := f.read()
		switch {
		case wanted.MatchString(text):
			return
		case ended:
			ts.Fatalf("it has ended, and has printed\n%s%s", &w.out.text, &w.errs.text)
		}
		select {
		case <-more:
		case <-w.done:
		case <-sessionOf(ts).ctx.Done():
			ts.Fatalf("it has printed only\n%s", text)
		}
	}
}

// stopWatch ignores the exit code, which is the code of an interrupt.
func stopWatch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: stopwatch NAME")
	}
	s, w := sessionOf(ts), find(ts, args[0])
	w.stop()
	s.report(ts, false, w.args, result{out: w.out.text.String(), err: logged.ReplaceAllString(w.errs.text.String(), "")})
}

func find(ts *testscript.TestScript, name string) *watch {
	w := sessionOf(ts).watches[name]
	if w == nil {
		ts.Fatalf("there is no watch %q", name)
	}
	return w
}
