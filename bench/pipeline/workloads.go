package pipeline

import (
	"fmt"
	"time"

	"vedette.dev/bench/harness"
)

// Workloads lists all workloads of this package.
func Workloads() []harness.Workload {
	return []harness.Workload{
		flowing(1, 0.50),
		flowing(16, 0.20),
		flowing(64, 0.10),
		coalescing(1, 0.53),
		coalescing(16, 0.17),
		coalescing(64, 0.083),
		{
			Name:    "slow/shared",
			Doc:     "300,000 updates of 10,000 objects and 1,000 deletions, 30,000 events/s; a handler that needs 1 ms a call, and another. What waits for the one, and how late the other is.",
			Rows:    slowRows(harness.AtMost(200)),
			Prepare: newSlow(false),
		},
		{
			Name:    "slow/own",
			Doc:     "The same where each event brings an object of 2 KiB, which goes when nothing holds it any more.",
			Rows:    slowRows(harness.Aim{}),
			Prepare: newSlow(true),
		},
		{
			Name:    "relist/stream",
			Doc:     "100,000 objects of 2 KiB; the watch ends with 410, the next begins with all objects, of which 0.1 % have changed and 0.1 % are missing. The collector leaves little garbage, so that the peak is of what is held.",
			Rows:    relistRows(harness.AtMost(1.25), harness.AtMost(0.10)),
			Prepare: newRelist(true),
		},
		{
			Name:    "relist/list",
			Doc:     "The same from a ListFunc, which makes the whole list before anybody sees it.",
			Rows:    relistRows(harness.Aim{}, harness.AtMost(0.10)),
			Prepare: newRelist(false),
		},
		{
			Name: "pipeline/beside-readers",
			Doc:  "Updates of 100,000 objects, 20,000 events/s for 5 s, while 64 readers List 100,000 and ByIndex 1,000 in turns, ten times a second each.",
			Rows: []harness.Row{
				{Value: p99Event, Aim: harness.AtMost(float64(10 * time.Millisecond))},
				{Value: p50Event},
				{Value: anEvent, Aim: harness.Ratio(0.33)},
				{Value: aRead},
			},
			Prepare: newReaders(64, 20_000),
		},
	}
}

func slowRows(held harness.Aim) []harness.Row {
	return []harness.Row{
		{Value: heldAKey, Unit: harness.Bytes, Aim: held},
		{Value: afterwards, Unit: harness.Count, Aim: harness.AtMost(1)},
		{Value: p50Late},
		{Value: p99Late},
		{Value: p50Change, Unit: harness.Count},
		{Value: p99Change, Unit: harness.Count, Aim: harness.AtMost(1.05)},
	}
}

func relistRows(peak, allocated harness.Aim) []harness.Row {
	return []harness.Row{
		{Value: relistTime},
		{Value: relistCalls, Unit: harness.Count, Aim: harness.AtMost(2*relistObjects/relistOneIn + 1)},
		{Value: relistMost, Unit: harness.Bytes},
		{Value: relistPeak, Unit: harness.Count, Aim: peak},
		{Value: relistAlloc, Unit: harness.Count, Aim: allocated},
	}
}

func handlers(n int) string {
	if n == 1 {
		return "1 handler"
	}
	return fmt.Sprintf("%d handlers", n)
}

// flowing delivers every event to every handler, on both sides.
func flowing(n int, aim float64) harness.Workload {
	return harness.Workload{
		Name: fmt.Sprintf("pipeline/each-%d", n),
		Doc:  fmt.Sprintf("500,000 updates of 10,000 objects from a watch in memory, as fast as they are taken, until %s have been notified of each.", handlers(n)),
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(aim)},
			{Value: harness.CPU},
		},
		Prepare: newFlow(n, true),
	}
}

// coalescing lets Vedette coalesce what waits for a handler that is behind, as it does unless told otherwise.
func coalescing(n int, aim float64) harness.Workload {
	return harness.Workload{
		Name: fmt.Sprintf("pipeline/coalescing-%d", n),
		Doc:  fmt.Sprintf("The same until %s have been notified of the last state of each object; Vedette coalesces what waits, client-go cannot.", handlers(n)),
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(aim)},
			{Value: harness.CPU},
			{Value: harness.Allocs, Unit: harness.Count, Aim: harness.AtMost(4)},
			{Value: callsAnEvent, Unit: harness.Count},
		},
		Prepare: newFlow(n, false),
	}
}
