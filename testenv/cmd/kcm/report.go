package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"vedette.dev/testenv/internal/clusterdiff"
)

// maxLines limits what is printed of one object.
const maxLines = 12

// report prints what was compared, and what the controller managers have used.
func report(out io.Writer, o options, sides []*side, result clusterdiff.Result, took time.Duration) {
	a, b := sides[0], sides[1]
	differing := map[string]int{}
	for _, d := range result.Differences {
		differing[d.Kind]++
		fmt.Fprintf(out, "%s differs: %s, %s\n", d.Object, a.name, b.name)
		for _, line := range d.Lines[:min(len(d.Lines), maxLines)] {
			fmt.Fprintf(out, "    %.500s\n", line)
		}
		if more := len(d.Lines) - maxLines; more > 0 {
			fmt.Fprintf(out, "    and %d more\n", more)
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\nkind\tcompared\tdiffer\t\n")
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(result.Compared)) {
		fmt.Fprintf(table, "%s\t%d\t%d\t\n", kind, result.Compared[kind], differing[kind])
		total += result.Compared[kind]
	}
	fmt.Fprintf(table, "all\t%d\t%d\t\n", total, len(result.Differences))
	table.Flush()

	fmt.Fprintf(out, "\nkube-controller-manager, with %d pods and ConfigMaps that were there from the beginning:\n", o.seed)
	table = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\t%s\t%s\tratio\t\n", a.name, b.name)
	row := func(name string, left, right float64, unit string) {
		fmt.Fprintf(table, "%s\t%.1f %s\t%.1f %s\t%.2f\t\n", name, left, unit, right, unit, right/left)
	}
	mib := func(bytes int64) float64 { return float64(bytes) / (1 << 20) }
	row("live heap before the work", mib(a.start.heap), mib(b.start.heap), "MiB")
	row("live heap at the end", mib(a.end.heap), mib(b.end.heap), "MiB")
	row("VmRSS at the end", mib(a.end.rss), mib(b.end.rss), "MiB")
	row("VmHWM, the peak", mib(a.end.peak), mib(b.end.peak), "MiB")
	row("processor time", a.end.cpu.Seconds(), b.end.cpu.Seconds(), "s")
	fmt.Fprintf(table, "goroutines in client-go's reflectors\t%d\t%d\t\t\n", a.engine.clientGo, b.engine.clientGo)
	fmt.Fprintf(table, "goroutines in Vedette's engine\t%d\t%d\t\t\n", a.engine.vedette, b.engine.vedette)
	fmt.Fprintf(table, "collects what an owner had that was deleted and made anew unseen\t%t\t%t\t\t\n", a.collects, b.collects)
	table.Flush()
	fmt.Fprintf(out, "\n%d objects compared, %d differ; it took %v\n", total, len(result.Differences), took.Round(time.Second))
}
