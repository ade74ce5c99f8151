package reconcile

import "vedette.dev/bench/harness"

const (
	// keys is how many objects there are, and fewKeys how many in a tiny run.
	keys    = 100_000
	fewKeys = 200
)

// Workloads lists all workloads of this package.
func Workloads() []harness.Workload {
	classic := harness.Sides{Baseline: harness.ClientGo, Candidate: harness.Vedette}
	framework := harness.Sides{Baseline: controllerRuntime, Candidate: harness.Vedette}
	return []harness.Workload{
		atStart("reconcile/initial", classic),
		changing("reconcile/updates", classic),
		steady("reconcile/latency", classic),
		atStart("reconcile/vs-controller-runtime-initial", framework),
		changing("reconcile/vs-controller-runtime-updates", framework),
		steady("reconcile/vs-controller-runtime-latency", framework),
		{
			Name:  "reconcile/records",
			Doc:   "Each of 100,000 objects is changed 10 times, through an informer and Vedette's controller to 8 workers that do nothing, without the records for Explain and with them.",
			Sides: harness.Sides{Baseline: recordsOff, Candidate: recordsOn},
			Rows: []harness.Row{
				{Value: harness.Wall},
				{Value: harness.CPU, Aim: harness.Ratio(1.02)},
			},
			Prepare: newUpdates(10, false),
		},
		{
			Name:  "reconcile/records-in-turns",
			Doc:   "The same with both in one process, which take 15 turns each of 100,000 changes, and what the records take.",
			Sides: harness.Sides{Candidate: recordsOn},
			Rows: []harness.Row{
				{Value: recordsRatio, Unit: harness.Count, Aim: harness.AtMost(1.02)},
				{Value: recordsCPU},
				{Value: recordsBytes, Unit: harness.Bytes, Aim: harness.AtMost(64)},
			},
			Prepare: newTurns(turnsConfig{pairs: 15, changes: keys}),
		},
		{
			Name:  "reconcile/records-at-a-pace",
			Doc:   "The same at 5,000 changes a second, in 15 turns each of 2 s.",
			Sides: harness.Sides{Candidate: recordsOn},
			Rows: []harness.Row{
				{Value: recordsRatio, Unit: harness.Count, Aim: harness.AtMost(1.02)},
				{Value: recordsCPU},
			},
			Prepare: newTurns(turnsConfig{pairs: 15, changes: 2 * latencyRate, rate: latencyRate}),
		},
	}
}

func atStart(name string, sides harness.Sides) harness.Workload {
	return harness.Workload{
		Name:  name,
		Doc:   "The start of an informer and a controller, with 100,000 objects to list, until 8 workers that do nothing have reconciled each.",
		Sides: sides,
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(1.00)},
			{Value: harness.CPU},
		},
		Prepare: newInitial,
	}
}

func changing(name string, sides harness.Sides) harness.Workload {
	return harness.Workload{
		Name:  name,
		Doc:   "Changes of 100,000 distinct objects, as fast as they are taken, until 8 workers have reconciled each, which only look up its version; 3 times.",
		Sides: sides,
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(1.00)},
			{Value: harness.CPU},
		},
		Prepare: newUpdates(3, true),
	}
}

func steady(name string, sides harness.Sides) harness.Workload {
	return harness.Workload{
		Name:  name,
		Doc:   "5,000 changes a second for 5 s, each of another of 100,000 objects; 8 workers only look up its version.",
		Sides: sides,
		Rows: []harness.Row{
			{Value: p50Late, Aim: harness.Ratio(1.00)},
			{Value: p99Late, Aim: harness.Ratio(1.00)},
			{Value: harness.CPU},
		},
		Prepare: newLatency,
	}
}
