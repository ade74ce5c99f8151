// Command replicas runs a group of replicas of a controller on a real API server, does them harm, and checks that no two of them have worked
// in a shard at the same time, and that no change was lost. See `replicas -help`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"vedette.dev/testenv/internal/replicas"
)

const usage = `replicas runs replicas of a controller as processes, on a kube-apiserver and an etcd of its own. They share the work by package
shardgroup. Objects change all the time, while replicas are killed, frozen, cut off, stopped, and replaced, and the API server is killed.
In the end it reports overlaps of owners, writes of an earlier owner after those of a later one, and changes that were lost.

Usage:
  replicas [flags]

Flags:
  -for D         how long the campaign takes (2m)
  -seed N        seed of the faults and changes (random)
  -replicas N    replicas (5)
  -objects N     objects (20000)
  -rate N        changes of objects a second (50)
  -key KEY       what shards are made by: name, namespace, or mixed (name)
  -figures       no faults at random: measure hand-overs, failover, throughput, memory, bytes and balance

A seed gives the same faults at the same times; what the processes do meanwhile is up to the machine.

Exit status: 0 if all is well, 1 if there was a violation or something failed, 2 if the command was not understood.
`

func main() {
	replicas.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	replicas.Campaign
	figures bool
}

func parse(args []string) (options, error) {
	o := options{Campaign: replicas.Campaign{Namespaces: 50}}
	flags := flag.NewFlagSet("replicas", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it, and help is ours
	flags.DurationVar(&o.For, "for", 2*time.Minute, "")
	flags.Uint64Var(&o.Seed, "seed", rand.Uint64()>>1, "")
	flags.IntVar(&o.Replicas, "replicas", 5, "")
	flags.IntVar(&o.Objects, "objects", 20000, "")
	flags.IntVar(&o.Rate, "rate", 50, "")
	flags.StringVar(&o.Key, "key", "name", "")
	flags.BoolVar(&o.figures, "figures", false, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.For <= 0:
		return o, fmt.Errorf("-for is %v, want more than 0", o.For)
	case o.Replicas < 2:
		return o, fmt.Errorf("-replicas is %d, want at least 2", o.Replicas)
	case o.Key != "name" && o.Key != "namespace" && o.Key != "mixed":
		return o, fmt.Errorf("-key is %q, want name, namespace, or mixed", o.Key)
	case o.Objects < 1 || o.Rate < 1:
		return o, fmt.Errorf("-objects is %d and -rate %d, want at least 1", o.Objects, o.Rate)
	}
	return o, nil
}

// command returns the status to exit with.
func command(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, usage)
		return 0
	case err != nil:
		fmt.Fprintf(errs, "replicas: %v\nRun `replicas -help` to see what there is.\n", err)
		return 2
	}
	if o.figures {
		err = replicas.Figures(ctx, out, o.Objects, o.Replicas)
	} else {
		err = campaign(ctx, o.Campaign, out)
	}
	if err != nil {
		fmt.Fprintf(errs, "replicas: %v\n", err)
		return 1
	}
	return 0
}

func campaign(ctx context.Context, c replicas.Campaign, out io.Writer) error {
	s, err := replicas.NewScene(ctx, out, replicas.Setup{Key: c.Key, Shards: 64, Workers: 4, IO: 10 * time.Millisecond}, c.Objects, c.Namespaces)
	if err != nil {
		return err
	}
	report, err := c.Run(ctx, s)
	err = errors.Join(err, s.Close())
	if err != nil {
		return err
	}
	fmt.Fprintln(out, report)
	if n := len(report.Violations); n > 0 {
		return fmt.Errorf("%d violations", n)
	}
	return nil
}
