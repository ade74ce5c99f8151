// Package harness runs workloads on two implementations and compares them.
//
// The types, in the order a measurement meets them:
//
//   - [Workload] describes one comparison: its name, its two [Sides], the [Row]s it
//     fills in the table, and how to prepare a [Trial].
//   - [Trial] is one prepared run on one side. [Measure] runs it and returns a [Sample]:
//     time, CPU, allocations, heap, and whatever the trial itself reports.
//   - [Suite] runs every workload on both sides, several times, each time in a process of
//     its own, and collects the samples in a [Result].
//   - [Record] is what is printed: results plus the [Machine] they were taken on.
//
// What holds:
//
//   - One process measures one trial. Heap, garbage collector and scheduler state of one
//     side never reach the other.
//   - The sides alternate: the first repeat starts with the baseline, the second with the
//     candidate, and so on, so that a machine that grows slower harms both alike. So do the sides
//     of several workloads that are measured together, with one baseline.
//   - A trial that did not do its work is an error, never a figure: [Trial.Finish] checks it.
//   - An aim that is not met is reported, never an error: machines are noisy.
package harness
