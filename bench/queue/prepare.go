package queue

import (
	"time"

	"vedette.dev/bench/harness"
)

// The functions below fit a driver's constructor to [harness.Workload]: they build the side's
// queue and hand it over.

func onPlain[T harness.Trial](build func(workQueue, harness.Config) T) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		q, err := newPlain(c.Side)
		if err != nil {
			return nil, err
		}
		return build(q, c), nil
	}
}

func onRetrying[T harness.Trial](base time.Duration, build func(retryQueue, harness.Config) T) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		q, err := newRetrying(c.Side, base)
		if err != nil {
			return nil, err
		}
		return build(q, c), nil
	}
}

// wide fixes the number of producers and workers of a driver.
func wide[T harness.Trial](build func(workQueue, harness.Config, int) T, width int) func(workQueue, harness.Config) T {
	return func(q workQueue, c harness.Config) T { return build(q, c, width) }
}
