package queue

import (
	"time"

	"vedette.dev/bench/harness"
)

// The sides of workloads that compare Vedette's two orders with each other: client-go has no
// fair queue.
const (
	vedetteFIFO = "vedette-fifo"
	vedetteFair = "vedette-fair"
)

// fairWorkloads ask what fairness costs and what it brings.
func fairWorkloads() []harness.Workload {
	// The fair queue is to reach 0.7 of the FIFO's throughput.
	cost := harness.Row{Value: harness.Wall, Aim: harness.Ratio(1.43)}
	orders := harness.Sides{Baseline: vedetteFIFO, Candidate: vedetteFair}
	return []harness.Workload{
		{
			Name:    "queue/fair-throughput-distinct",
			Doc:     "queue/distinct-4x4 on Vedette's FIFO and on its fair queue with 100 tenants.",
			Sides:   orders,
			Rows:    []harness.Row{cost},
			Prepare: onPlain(wide(newDistinct, 4)),
		},
		{
			Name:    "queue/fair-throughput-hot",
			Doc:     "queue/hot-4x4 on Vedette's FIFO and on its fair queue with 100 tenants.",
			Sides:   orders,
			Rows:    []harness.Row{cost, {Value: handOuts, Unit: harness.Count}},
			Prepare: onPlain(wide(newHot, 4)),
		},
		{
			Name:    "queue/fair-latency",
			Doc:     "One tenant has 100,000 keys queued, 10 workers take 10 ms for each; how long the single key of another waits.",
			Sides:   harness.Sides{Candidate: vedetteFair},
			Rows:    []harness.Row{{Value: timeToStart, Aim: harness.AtMost(float64(50 * time.Millisecond))}},
			Prepare: onPlain(newStarving),
		},
	}
}
