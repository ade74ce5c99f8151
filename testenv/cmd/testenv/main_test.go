//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"run", "-h"}} {
		var out bytes.Buffer
		if code := command(t.Context(), args, &out, io.Discard); code != 0 || out.String() != usage {
			t.Errorf("%q: code %d, said %q", args, code, &out)
		}
	}
}

func TestMistakesAreExplained(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "which command? build, run or clean"},
		{[]string{"biuld"}, 2, `there is no command "biuld"`},
		{[]string{"clean", "-all"}, 2, "clean takes no arguments"},
		{[]string{"run", "-gates=A"}, 2, "flag provided but not defined: -gates"},
		{[]string{"run", "-feature-gates", "A=on"}, 2, `"A=on" is not of the form NAME=true or NAME=false`},
		{[]string{"run", "--", "v=4"}, 1, `"v=4" is not of the form "--name=value"`},
	} {
		var errs bytes.Buffer
		code := command(t.Context(), c.args, io.Discard, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: code %d, said %q", c.args, code, &errs)
		}
		if c.code == 2 && !strings.Contains(errs.String(), "Run `testenv help`") {
			t.Errorf("%q: does not say where help is: %q", c.args, &errs)
		}
	}
}

// Ctrl-C ends ctx.
func TestRunUntilInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	code := make(chan int)
	go func() {
		code <- command(ctx, []string{"run", "-feature-gates", "ShardedListAndWatch=true", "--", "--v=1"}, in, os.Stderr)
		in.Close()
	}()
	kubeconfig := findKubeconfig(t, out)
	if _, err := os.Stat(kubeconfig); err != nil {
		t.Error(err)
	}
	interrupt()
	go io.Copy(io.Discard, out)
	if got := <-code; got != 0 {
		t.Errorf("code %d", got)
	}
	if _, err := os.Stat(kubeconfig); err == nil {
		t.Errorf("%s is still there", kubeconfig)
	}
}

// findKubeconfig reads what `run` says, which comes in one piece.
func findKubeconfig(t *testing.T, out io.Reader) string {
	t.Helper()
	said := make([]byte, 1000)
	n, err := out.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`export KUBECONFIG=(\S+)`).FindSubmatch(said[:n])
	if found == nil {
		t.Fatalf("no KUBECONFIG in: %s", said[:n])
	}
	return string(found[1])
}
