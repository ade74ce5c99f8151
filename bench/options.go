package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"vedette.dev/bench/harness"
)

const usage = `Bench runs each workload on client-go and on Vedette, alternating, every measurement in a
process of its own, checks that the work was done, and prints a table of medians.

Examples:
  go run .                                   all workloads, 5 repeats
  go run . -run queue/hot                    those whose name matches
  go run . -repeats 9 -record results.md     also write the table as Markdown
  go run . -run hot-4x4 -cpuprofile /tmp/p   one CPU profile a measurement
  go run . -smoke                            tiny sizes: do both sides still do the work?

Flags:
`

// smokeScale makes a million keys two thousand.
const smokeScale = 0.002

// options are the program's flags.
type options struct {
	run        string
	repeats    int
	scale      float64
	timeout    time.Duration
	smoke      bool
	list       bool
	record     string
	cpuProfile string
	memProfile string
}

// parse reads the flags; what is wrong with them is written to errs.
func parse(args []string, errs io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(errs)
	f.Usage = func() { fmt.Fprint(errs, usage); f.PrintDefaults() }
	f.StringVar(&o.run, "run", "", "run the workloads whose name matches this `regexp`")
	f.IntVar(&o.repeats, "repeats", 5, "measurements of each workload on each side")
	f.Float64Var(&o.scale, "scale", 1, "multiply the sizes of all workloads")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "limit for one measurement")
	f.BoolVar(&o.smoke, "smoke", false, "tiny sizes, one repeat, no table: only check the work")
	f.BoolVar(&o.list, "list", false, "list the workloads and exit")
	f.StringVar(&o.record, "record", "", "write the table as Markdown to this `file`")
	f.StringVar(&o.cpuProfile, "cpuprofile", "", "write a CPU profile of each measurement to this `folder`")
	f.StringVar(&o.memProfile, "memprofile", "", "write a memory profile of each measurement to this `folder`")
	if err := f.Parse(args); err != nil {
		return o, errReported{err} // the flag set has printed it, with the usage
	}
	if o.smoke {
		o.repeats, o.scale = 1, smokeScale
	}
	return o, o.validate(f.Args())
}

// errReported is an error that the user has already read.
type errReported struct{ error }

func (e errReported) Unwrap() error { return e.error }

func (o options) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q; workloads are chosen with -run", rest[0])
	case o.repeats < 1:
		return errors.New("-repeats must be at least 1")
	case o.scale <= 0:
		return errors.New("-scale must be above 0")
	case o.timeout <= 0:
		return errors.New("-timeout must be above 0")
	case o.smoke && o.record != "":
		return errors.New("-smoke has no figures worth recording; leave out -record")
	}
	return nil
}

// choose picks the workloads that -run names.
func (o options) choose(all []harness.Workload) ([]harness.Workload, error) {
	pattern, err := regexp.Compile(o.run)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	var chosen []harness.Workload
	var names []string
	for _, w := range all {
		names = append(names, w.Name)
		if pattern.MatchString(w.Name) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-run %s matches no workload; there are:\n  %s", o.run, strings.Join(names, "\n  "))
	}
	return chosen, nil
}

// command repeats the flags that shape the figures. File and folder names are left out: they
// say nothing to a reader on another machine.
func (o options) command() string {
	c := "go run ."
	if o.run != "" {
		c += fmt.Sprintf(" -run '%s'", o.run)
	}
	c += fmt.Sprintf(" -repeats %d", o.repeats)
	if o.scale != 1 {
		c += fmt.Sprintf(" -scale %g", o.scale)
	}
	if o.cpuProfile != "" || o.memProfile != "" {
		c += " (with profiles, which slow it down)"
	}
	return c
}
