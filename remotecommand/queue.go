package remotecommand

import (
	"bytes"
	"sync"
)

// maxQueued is how much of a stream waits to be read before other streams have to wait.
const maxQueued = 1 << 20

// queue has what has come for a stream and was not read yet. One goroutine adds and one reads.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting bytes.Buffer
	err     error // after what waits
	stopped bool  // nothing reads any more
}

func newQueue() *queue {
	q := &queue{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// add adds a copy of data. It waits while too much is waiting.
func (q *queue) add(data []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.waiting.Len() >= maxQueued && !q.stopped {
		q.changed.Wait()
	}
	if q.stopped || q.err != nil {
		return
	}
	q.waiting.Write(data)
	q.changed.Broadcast()
}

// end ends the queue with err. The first end counts.
func (q *queue) end(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	q.changed.Broadcast()
}

// stop drops what waits and what comes.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	if q.err == nil {
		q.err = errClosed
	}
	q.waiting = bytes.Buffer{}
	q.changed.Broadcast()
}

func (q *queue) read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.waiting.Len() == 0 && q.err == nil {
		q.changed.Wait()
	}
	if q.waiting.Len() == 0 {
		q.waiting = bytes.Buffer{}
		return 0, q.err
	}
	n, _ := q.waiting.Read(p)
	q.changed.Broadcast()
	return n, nil
}
