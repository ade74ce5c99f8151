// Bench compares Vedette with client-go; see README.md.
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
	"syscall"
	"time"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/indexer"
	"vedette.dev/bench/list"
	"vedette.dev/bench/memory"
	"vedette.dev/bench/pipeline"
	"vedette.dev/bench/pods/podserver"
	"vedette.dev/bench/queue"
	"vedette.dev/bench/reconcile"
	"vedette.dev/bench/sharding"
	"vedette.dev/bench/watch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	all := slices.Concat(queue.Workloads(), list.Workloads(), indexer.Workloads(), pipeline.Workloads(), reconcile.Workloads(),
		sharding.Workloads(), memory.Workloads(), watch.Workloads())
	p := program{workloads: all, out: os.Stdout, errs: os.Stderr}
	os.Exit(p.main(ctx, os.Args[1:]))
}

// program is main with its surroundings as fields, so that tests can replace them.
type program struct {
	workloads []harness.Workload
	out, errs io.Writer
}

// main returns the exit code: 1 if a measurement failed, 2 if the flags make no sense.
func (p program) main(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == harness.ChildCommand {
		return p.report(harness.Serve(args[1:], p.workloads, p.out))
	}
	if len(args) > 0 && args[0] == podserver.Command {
		return p.report(podserver.Serve(args[1:], os.Stdin, p.out))
	}
	if len(args) > 0 && args[0] == sharding.Command {
		return p.report(sharding.Serve(args[1:], os.Stdin, p.out))
	}
	o, chosen, err := p.configure(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		p.report(err)
		return 2
	case o.list:
		p.list(chosen)
		return 0
	default:
		return p.report(p.compare(ctx, o, chosen))
	}
}

// configure reads the flags and picks the workloads they name.
func (p program) configure(args []string) (options, []harness.Workload, error) {
	o, err := parse(args, p.errs)
	if err != nil {
		return o, nil, err
	}
	chosen, err := o.choose(p.workloads)
	return o, chosen, err
}

// report prints an error, unless the user has seen it, and returns the exit code.
func (p program) report(err error) int {
	if err == nil {
		return 0
	}
	if !errors.As(err, new(errReported)) {
		fmt.Fprintln(p.errs, "bench:", err)
	}
	return 1
}

func (p program) list(workloads []harness.Workload) {
	for _, w := range workloads {
		fmt.Fprintf(p.out, "%-32s %s\n", w.Name, w.Doc)
	}
}

// compare takes all measurements and prints them.
func (p program) compare(ctx context.Context, o options, chosen []harness.Workload) error {
	if err := makeFolders(o.cpuProfile, o.memProfile); err != nil {
		return err
	}
	machine := harness.ThisMachine()
	results, err := harness.Suite{
		Workloads:   chosen,
		Repeats:     o.repeats,
		Scale:       o.scale,
		Timeout:     o.timeout,
		CPUProfiles: o.cpuProfile,
		MemProfiles: o.memProfile,
		Progress:    p.errs,
	}.Run(ctx)
	if err != nil {
		return err
	}
	if o.smoke {
		fmt.Fprintf(p.out, "bench: %d workloads did their work\n", len(results))
		return nil
	}
	harness.WriteText(p.out, results)
	return record(o, machine, results)
}

func makeFolders(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// record writes the Markdown page that -record asks for.
func record(o options, machine harness.Machine, results []harness.Result) error {
	if o.record == "" {
		return nil
	}
	f, err := os.Create(o.record)
	if err != nil {
		return err
	}
	harness.Record{
		Date:    time.Now(),
		Command: o.command(),
		Repeats: o.repeats,
		Machine: machine,
		Results: results,
	}.WriteMarkdown(f)
	return f.Close()
}
