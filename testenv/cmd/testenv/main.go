// Command testenv builds and runs a Kubernetes API server for tests. See `testenv help`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `testenv runs a real Kubernetes API server for tests: kube-apiserver and etcd, built from their Go modules.

Usage:
  testenv build            build the two programs if they are not built yet: six minutes the first time
  testenv build kubectl    build a kubectl of the same version, if it is not built yet: a minute the first time
  testenv run [flags]      build them if need be, run them until Ctrl-C, and print how to reach them
  testenv clean            remove what was built, all versions of it
  testenv help             print this

Flags of run:
  -feature-gates LIST      features of the API server to turn on or off: A=true,B=false
  -logs                    print what the servers print
  -- --NAME=VALUE ...      further arguments of kube-apiserver

Environment:
  VEDETTE_TESTENV_DIR      where to keep what was built; otherwise vedette/testenv in the user's folder for caches

Examples:
  testenv run
  testenv run -feature-gates ShardedListAndWatch=true
  testenv run -logs -- --v=4 --watch-cache=false
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command runs one command and returns the status to exit with: 2 for a command that was not understood.
func command(ctx context.Context, args []string, out, errs io.Writer) int {
	err := dispatch(ctx, args, out, errs)
	wrong := (*usageError)(nil)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(errs, "testenv: %v\nRun `testenv help` for the commands.\n", err)
		return 2
	default:
		fmt.Fprintf(errs, "testenv: %v\n", err)
		return 1
	}
}

// usageError is a command that was not understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func dispatch(ctx context.Context, args []string, out, errs io.Writer) error {
	if len(args) == 0 {
		return &usageError{"which command? build, run or clean"}
	}
	name, args := args[0], args[1:]
	switch name {
	case "build":
		if len(args) == 1 && args[0] == "kubectl" {
			return buildKubectl(ctx, out, errs)
		}
		return noArguments(name, args, func() error { return build(ctx, out, errs) })
	case "clean":
		return noArguments(name, args, func() error { return clean(ctx, out, errs) })
	case "run":
		return parseRun(args, out, func(o runOptions) error { return run(ctx, o, out, errs) })
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(out, usage)
		return err
	default:
		return &usageError{fmt.Sprintf("there is no command %q", name)}
	}
}

func noArguments(name string, args []string, do func() error) error {
	if len(args) > 0 {
		return &usageError{fmt.Sprintf("%s takes no arguments, but got %q", name, args)}
	}
	return do()
}

func parseRun(args []string, out io.Writer, do func(runOptions) error) error {
	var o runOptions
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it, and help is ours
	flags.Var(&o.gates, "feature-gates", "")
	flags.BoolVar(&o.logs, "logs", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err := io.WriteString(out, usage)
		return err
	} else if err != nil {
		return &usageError{"run: " + err.Error()}
	}
	o.apiServerArgs = flags.Args()
	return do(o)
}
