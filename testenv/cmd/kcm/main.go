// Command kcm runs a stock kube-controller-manager and one whose client-go was patched by `vedette patch-client-go`, each on an API
// server of its own, has both do the same work, and compares the objects of the two clusters. See `kcm -help`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `kcm runs two clusters, each with its own kube-apiserver and etcd. The kube-controller-manager of one is as it was published, that of
the other has informers that run on Vedette. The same work is done in both: Deployments with rollouts and scaling, StatefulSets,
DaemonSets, Jobs, Services, quotas, garbage collection, deletion of namespaces, with an API server that is killed in the middle. The test
plays the scheduler and the kubelets. In the end the objects of both clusters are compared, one by one, and memory and processor time
of both controller managers are printed.

Usage:
  kcm [flags]

Flags:
  -seed N        pods that have finished, and as many ConfigMaps, that are there from the beginning (5000)
  -vedette DIR   folder with the source of Vedette (that of vedette.dev in this module)
  -out DIR       write logs, goroutine profiles and the compared objects into this folder
  -control       run two stock ones: what differs then is not Vedette's doing
  -v             print the steps of the work as they happen on each side

The first run builds kube-controller-manager twice, which takes minutes; the programs are kept where testenv keeps its own, and the patched
one is built again when the source of Vedette has changed.

Exit status: 0 if all objects are the same, 1 if some differ or something failed, 2 if the command was not understood.
`

type options struct {
	seed    int
	vedette string
	out     string
	control bool
	verbose bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command returns the status to exit with.
func command(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, usage)
		return 0
	case err != nil:
		fmt.Fprintf(errs, "kcm: %v\nRun `kcm -help` to see what there is.\n", err)
		return 2
	}
	same, err := run(ctx, o, out, errs)
	if err != nil {
		fmt.Fprintf(errs, "kcm: %v\n", err)
	}
	if err != nil || !same {
		return 1
	}
	return 0
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("kcm", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it, and help is ours
	flags.IntVar(&o.seed, "seed", 5000, "")
	flags.StringVar(&o.vedette, "vedette", "", "")
	flags.StringVar(&o.out, "out", "", "")
	flags.BoolVar(&o.control, "control", false, "")
	flags.BoolVar(&o.verbose, "v", false, "")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("there are no arguments, but got %q", flags.Args())
	}
	if o.seed < 0 {
		return options{}, fmt.Errorf("-seed is %d, which is negative", o.seed)
	}
	return o, nil
}

// sourceOfVedette returns the folder of the root module.
func sourceOfVedette(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "vedette.dev").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the source of Vedette (give its folder with -vedette): %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
