package queue

import "sync"

// crew is a number of workers on one queue.
type crew struct {
	wg sync.WaitGroup
}

// start sets n workers to work. Each calls handle with its number and every key that Get gives
// it; handle calls Done. They go home when the queue is shut down and empty.
func (c *crew) start(n int, q workQueue, handle func(worker int, key string)) {
	for worker := range n {
		c.wg.Go(func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				handle(worker, key)
			}
		})
	}
}

// dismiss shuts the queue down and waits until all workers are gone.
func (c *crew) dismiss(q workQueue) {
	q.ShutDown()
	c.wg.Wait()
}

// produce calls add(p) for each of n producers, each on a goroutine of its own, and returns
// when all are done.
func produce(n int, add func(producer int)) {
	var wg sync.WaitGroup
	for p := range n {
		wg.Go(func() { add(p) })
	}
	wg.Wait()
}
