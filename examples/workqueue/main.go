// A controller without a cluster, twice: a plain queue and a fair one get the same keys and as many workers.
// How a controller uses a queue is in controller.go; here are the flags and the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"vedette.dev/workqueue"
)

const usage = `Three namespaces share the workers of a controller: "batch" asks for thousands of keys, "shop" and
"billing" for a few just after it. How long does each wait for its turn, in a plain queue and in a
fair one? Keys that end in 0 fail twice and are tried again after a back-off.

Examples:
  go run ./examples/workqueue                         about 3 seconds
  go run ./examples/workqueue -workers 16             twice the workers, half the time
  go run ./examples/workqueue -noisy 500 -quiet 500   three equals, served in turn or one by one

Flags:
`

type options struct{ workers, noisy, quiet int }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 2 for flags that make no sense, 130 if it was interrupted.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(errs, "workqueue: %v; see -help\n", err)
		return 2
	}
	both, err := o.controllers()
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	fmt.Fprintf(out, "%d keys of batch, then %d of shop and %[2]d of billing; %d workers, %v a key\n\n",
		o.noisy, o.quiet, o.workers, workTime)
	runAll(ctx, both, o.workers, out)
	report(both, out)
	if ctx.Err() != nil {
		fmt.Fprintln(errs, "interrupted: the keys in hand were finished, the others left")
		return 130
	}
	return 0
}

func parse(args []string, errs io.Writer) (o options, err error) {
	f := flag.NewFlagSet("workqueue", flag.ContinueOnError)
	f.SetOutput(io.Discard) // what is wrong is printed once, by the caller
	f.IntVar(&o.workers, "workers", 8, "workers of each queue")
	f.IntVar(&o.noisy, "noisy", 3500, "keys of the namespace batch")
	f.IntVar(&o.quiet, "quiet", 5, "keys of each of the namespaces shop and billing")
	err = f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(errs, usage)
		f.SetOutput(errs)
		f.PrintDefaults()
	case err != nil: // an unknown flag, or no number
	case f.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	case min(o.workers, o.noisy, o.quiet) < 1:
		err = errors.New("-workers, -noisy and -quiet must be at least 1")
	}
	return o, err
}

// controllers returns two controllers that differ in their queues alone.
func (o options) controllers() ([]*controller, error) {
	backOff := func() workqueue.TypedRateLimiter[string] {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[string](20*time.Millisecond, time.Second)
	}
	plain := workqueue.NewTypedRateLimitingQueue(backOff())
	fair, err := workqueue.NewFair(workqueue.FairConfig[string]{RateLimiter: backOff(), Tenant: namespace})
	if err != nil {
		return nil, err
	}
	keys := map[string]int{"batch": o.noisy, "shop": o.quiet, "billing": o.quiet}
	return []*controller{newController("plain", plain, keys), newController("fair", fair, keys)}, nil
}

// runAll runs the controllers at the same time, and prints a line a second.
func runAll(ctx context.Context, all []*controller, workers int, out io.Writer) {
	var running sync.WaitGroup
	for _, c := range all {
		running.Go(func() { c.run(ctx, workers) })
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()

	second := time.NewTicker(time.Second)
	defer second.Stop()
	for n := 1; ; n++ {
		select {
		case <-done:
			return
		case <-second.C:
			fmt.Fprintf(out, "%ds", n)
			for _, c := range all {
				fmt.Fprintf(out, "   %s", c.progress())
			}
			fmt.Fprintln(out)
		}
	}
}

// report prints the table. The controllers are no longer running.
func report(all []*controller, out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nnamespace\tqueue\tkeys done\tretries\tmedian wait\tworst wait\t")
	for _, ns := range namespaces {
		for _, c := range all {
			t := c.tallies[ns]
			var median, worst any = "-", "-" // if it was interrupted before the first turn
			if n := len(t.waits); n > 0 {
				slices.Sort(t.waits)
				median, worst = t.waits[n/2].Round(time.Millisecond), t.waits[n-1].Round(time.Millisecond)
			}
			fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d\t%v\t%v\t\n", ns, c.name, t.done, t.keys, t.retries, median, worst)
		}
	}
	w.Flush()
}
