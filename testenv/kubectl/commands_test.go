//go:build unix

package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"kubectl":    kubectl,
	"eventually": eventually,
	"watch":      startWatch,
	"opened":     opened,
	"seen":       seen,
	"stopwatch":  stopWatch,
}

// result is what one run of kubectl came to.
type result struct {
	out, err string
	code     int
}

// kubectl runs it, and fails if it does, or the other way round with "!".
func kubectl(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	s.report(ts, neg, args, s.run(ts, args))
}

// eventually runs it until it succeeds.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	var r result
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		r = s.run(ts, args)
		if (r.code == 0) != neg || time.Now().After(deadline) {
			break
		}
	}
	s.report(ts, neg, args, r)
}

func (s *session) run(ts *testscript.TestScript, args []string) result {
	var out, errs bytes.Buffer
	cmd := s.command(s.ctx, ts, args)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		ts.Fatalf("kubectl does not run: %v", err)
	}
	return result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// command has an environment of its own: what the user has set must not matter.
func (s *session) command(ctx context.Context, ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Dir = ts.MkAbs(".")
	// It lives too short for its garbage to be worth collecting.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TZ=UTC", "GOGC=off"}
	for _, name := range []string{"HOME", "TMPDIR", "KUBECONFIG", "KUBE_EDITOR"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return cmd
}

// report makes the result known to the script and to the transcript.
func (s *session) report(ts *testscript.TestScript, neg bool, args []string, r result) {
	ts.Check(os.WriteFile(ts.MkAbs("raw"), []byte(r.out), 0o644))
	r.out, r.err = s.settle(r.out), s.settle(r.err)
	s.record(args, r)
	fmt.Fprint(ts.Stdout(), r.out)
	fmt.Fprint(ts.Stderr(), r.err)
	switch {
	case neg && r.code == 0:
		ts.Fatalf("kubectl succeeds")
	case !neg && r.code != 0:
		ts.Fatalf("kubectl ends with %d", r.code)
	}
}

func (s *session) record(args []string, r result) {
	fmt.Fprintf(s.transcript, "$ kubectl %s\n%s", s.settle(strings.Join(args, " ")), r.out)
	if r.err != "" {
		fmt.Fprintf(s.transcript, "stderr: %s", r.err)
	}
	if r.code != 0 {
		fmt.Fprintf(s.transcript, "code: %d\n", r.code)
	}
}

func (s *session) settle(text string) string { return steady(s.steady.Replace(text)) }
