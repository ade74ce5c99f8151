package queue

import (
	"fmt"
	"time"

	"vedette.dev/bench/harness"
)

// workQueue is what producers and workers of every queue need.
type workQueue interface {
	Add(key string)
	Get() (key string, shutdown bool)
	Done(key string)
	Len() int
	ShutDown()
}

// retryQueue also adds later.
type retryQueue interface {
	workQueue
	AddAfter(key string, delay time.Duration)
	AddRateLimited(key string)
	Forget(key string)
}

// peer is one side: how to build its queues.
type peer struct {
	// plain builds the simplest queue the side offers.
	plain func() (workQueue, error)

	// retrying builds a queue whose limiter doubles an item's delay from base on.
	retrying func(base time.Duration) (retryQueue, error)
}

// maxRetryDelay bounds the limiters' delays. No workload comes near it.
const maxRetryDelay = time.Second

var peers = map[string]peer{
	harness.ClientGo: clientGo,
	harness.Vedette:  vedette,
	vedetteFIFO:      {plain: vedetteRetrying},
	vedetteFair:      {plain: vedetteByNamespace},
}

func newPlain(side string) (workQueue, error) {
	build := peers[side].plain
	if build == nil {
		return nil, fmt.Errorf("side %q has no plain queue", side)
	}
	return build()
}

func newRetrying(side string, base time.Duration) (retryQueue, error) {
	build := peers[side].retrying
	if build == nil {
		return nil, fmt.Errorf("side %q has no retrying queue", side)
	}
	return build(base)
}
