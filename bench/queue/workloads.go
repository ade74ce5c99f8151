package queue

import (
	"fmt"
	"slices"
	"time"

	"vedette.dev/bench/harness"
)

// Workloads lists all workloads of this package. To add one, write a driver and put a value
// here.
func Workloads() []harness.Workload {
	contended := []harness.Workload{
		distinctKeys(1),
		distinctKeys(4),
		distinctKeys(64),
		hotKeys(1),
		hotKeys(4),
		hotKeys(64),
	}
	delayed := []harness.Workload{
		{
			Name: "queue/delayed-burst",
			Doc:  "1 producer, AddAfter of 1,000,000 distinct keys as fast as it can, due within 1 s; 2 workers.",
			Rows: []harness.Row{
				{Value: intake, Aim: harness.Ratio(0.60)},
				{Value: p50Late},
				{Value: p99Late, Aim: harness.Ratio(0.70)},
			},
			Prepare: onRetrying(time.Millisecond, newBurst),
		},
		{
			Name: "queue/delayed-steady",
			Doc:  "1 producer, 50,000 AddAfter a second for 3 s, due within 1 s; 2 workers.",
			Rows: []harness.Row{
				{Value: harness.CPU},
				{Value: p50Late},
				{Value: p99Late, Aim: harness.Ratio(1.00)},
			},
			Prepare: onRetrying(time.Millisecond, newSteady),
		},
		{
			Name:    "queue/rate-limited",
			Doc:     "2 workers take 1,000 keys round and round: Get, Forget, Done, AddRateLimited after 1 µs; 1,000,000 rounds.",
			Rows:    []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(0.80)}},
			Prepare: onRetrying(time.Microsecond, newRetry),
		},
	}
	others := []harness.Workload{
		{
			Name:    "queue/rate-limited-nodelay",
			Doc:     "The same with a limiter that asks for no delay.",
			Rows:    []harness.Row{{Value: harness.Wall}}, // no limiter in use asks for no delay, so there is no aim
			Prepare: onRetrying(0, newRetry),
		},
		{
			Name: "queue/add-p99",
			Doc:  "1,000,000 keys queued and 1,000 workers held up; 200,000 more Adds of distinct keys, timed singly.",
			Rows: []harness.Row{
				{Value: harness.Wall},
				{Value: p50Add},
				{Value: p99Add, Aim: harness.AtMost(float64(50 * time.Microsecond))},
			},
			Prepare: onPlain(newBusy),
		},
	}
	full := slices.Concat(contended, delayed)
	return slices.Concat(full, others, halfCore(full), fairWorkloads())
}

// halfCore repeats workloads under the CPU quota that a small controller has in a cluster. A queue that
// waits by spinning then uses up the time that its own workers need.
func halfCore(workloads []harness.Workload) []harness.Workload {
	limited := slices.Clone(workloads)
	for i := range limited {
		limited[i].Name += "-half-core"
		limited[i].Doc = "The same under a CPU quota of half a core, as 50 ms in each 100 ms."
		limited[i].Quota = 0.5
	}
	return limited
}

func distinctKeys(width int) harness.Workload {
	return harness.Workload{
		Name: fmt.Sprintf("queue/distinct-%dx%d", width, width),
		Doc:  fmt.Sprintf("%d producers Add 1,000,000 distinct keys, %d workers Get and Done all of them.", width, width),
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(0.80)},
			{Value: harness.CPU, Aim: harness.Ratio(0.80)},
		},
		Prepare: onPlain(wide(newDistinct, width)),
	}
}

func hotKeys(width int) harness.Workload {
	return harness.Workload{
		Name: fmt.Sprintf("queue/hot-%dx%d", width, width),
		Doc:  fmt.Sprintf("%d producers Add 1,000 keys over and over, 4,000,000 times in all, %d workers Get and Done.", width, width),
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(1.00)},
			{Value: handOuts, Unit: harness.Count},
		},
		Prepare: onPlain(wide(newHot, width)),
	}
}
