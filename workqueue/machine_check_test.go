package workqueue

import (
	"errors"
	"slices"
	"testing/synctest"
	"time"
)

// settle lets everything run that can, brings the model to the same moment and compares the two.
func (x *machine) settle() {
	x.t.Helper()
	synctest.Wait()
	x.m.advance(int64(time.Since(x.start)))
	x.matchWorkers()
	if err := x.verify(); err != nil {
		x.t.Fatalf("%v", err)
	}
	if got := x.q.Len(); got != len(x.m.line) {
		x.t.Fatalf("Len is %d, want %d: %v", got, len(x.m.line), x.m.line)
	}
	if got := x.q.ShuttingDown(); got != x.m.closed {
		x.t.Fatalf("ShuttingDown is %v, want %v", got, x.m.closed)
	}
	for key := range modelKeys {
		x.compareKey(key)
	}
	x.compareSnapshot()
}

// matchWorkers accounts for the workers and drains that slept when the step began.
func (x *machine) matchWorkers() {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.handed) > 0 {
		i := slices.IndexFunc(x.handed, func(h taken) bool { return slices.Contains(x.m.nexts(), h.key) })
		if i < 0 {
			x.t.Fatalf("workers got %v, but next are %v", x.handed, x.m.nexts())
		}
		x.taken(x.handed[i])
		x.handed = slices.Delete(x.handed, i, i+1)
		x.asleep--
	}
	x.asleep -= x.ended
	if x.ended > 0 && !x.m.closed {
		x.t.Fatalf("a worker was told to end while the queue is open")
	}
	x.ended = 0
	if x.asleep > 0 && (len(x.m.line) > 0 || x.m.closed) {
		x.t.Fatalf("%d workers sleep, %d keys wait, closed %v", x.asleep, len(x.m.line), x.m.closed)
	}
	if len(x.m.processing) == 0 || !x.m.draining {
		if x.drains != x.drainsOK {
			x.t.Fatalf("%d of %d drains are over, and nothing holds the others", x.drainsOK, x.drains)
		}
		x.drains, x.drainsOK = 0, 0
	} else if x.drainsOK > 0 {
		x.t.Fatalf("%d drains are over while %v are processing", x.drainsOK, x.m.processing)
	}
}

// parts are the layers of a queue of this package.
func parts[T comparable](q TypedInterface[T]) (*Typed[T], *delayer[T]) {
	switch q := q.(type) {
	case *Typed[T]:
		return q, nil
	case *delayingQueue[T]:
		return q.TypedInterface.(*Typed[T]), q.delayer
	case *rateLimitingQueue[T]:
		return parts[T](q.TypedDelayingInterface)
	case *Fair[T]:
		return q.queue, q.delayer
	}
	panic("unknown queue")
}

func (x *machine) verify() error {
	typed, delayer := parts(x.q)
	err := typed.verify()
	if delayer != nil {
		err = errors.Join(err, delayer.verify())
	}
	return err
}

func (x *machine) compareKey(key int) {
	x.t.Helper()
	it, _ := x.q.(TypedInspector[int]).Find(key)
	if it.QueuedSince.IsZero() == x.m.dirty[key] || it.ProcessingSince.IsZero() == x.m.processing[key] {
		x.t.Fatalf("Find(%d) = %+v, want dirty %v, processing %v", key, it, x.m.dirty[key], x.m.processing[key])
	}
	if x.m.kind == fairKind && x.m.dirty[key] && it.Priority != x.m.priority[key] {
		x.t.Fatalf("Find(%d).Priority is %d, want %d", key, it.Priority, x.m.priority[key])
	}
	if r, ok := x.q.(TypedRateLimitingInterface[int]); ok && r.NumRequeues(key) != x.m.failures[key] {
		x.t.Fatalf("NumRequeues(%d) is %d, want %d", key, r.NumRequeues(key), x.m.failures[key])
	}
	c, ok := x.q.(TypedCanceler[int])
	if !ok {
		return
	}
	at, delayed := c.Due(key)
	w := x.m.wakes[key]
	if pending := w != nil && w.pending; delayed != pending {
		x.t.Fatalf("Due(%d): delayed %v, want %v", key, delayed, pending)
	} else if pending && !at.Equal(x.start.Add(time.Duration(w.at))) {
		x.t.Fatalf("Due(%d) is in %v, want %v", key, at.Sub(x.start), time.Duration(w.at))
	}
	if x.m.kind == fairKind && delayed && x.m.dirty[key] {
		x.t.Fatalf("key %d is queued and delayed, but a fair queue has one entry a key", key)
	}
}

func (x *machine) compareSnapshot() {
	x.t.Helper()
	s := x.q.(TypedInspector[int]).Snapshot(2)
	waiting := 0
	for _, w := range x.m.wakes {
		if w.pending {
			waiting++
		}
	}
	if s.QueuedCount != len(x.m.line) || s.ProcessingCount != len(x.m.processing) || s.WaitingCount != waiting {
		x.t.Fatalf("Snapshot counts %d, %d, %d; want %d, %d, %d", s.QueuedCount, s.ProcessingCount, s.WaitingCount,
			len(x.m.line), len(x.m.processing), waiting)
	}
}

// finish shuts down and empties the queue: nothing may be lost on the way.
func (x *machine) finish() {
	x.q.ShutDown()
	x.m.shutDown(false)
	x.settle()
	for len(x.m.line)+len(x.m.processing) > 0 {
		for key := range modelKeys {
			x.q.Done(key)
			x.m.done(key)
		}
		if len(x.m.line) > 0 {
			x.get(nil)
		}
		x.settle()
	}
	if _, shutdown := x.q.Get(); !shutdown {
		x.t.Fatalf("an empty queue that was shut down hands out a key")
	}
	typed, delayer := parts(x.q)
	if typed.keys.Len() != 0 || delayer != nil && delayer.wait.keys.Len() != 0 {
		x.t.Fatalf("an empty queue still knows keys")
	}
	if l, ok := typed.ready.(*fairReady[int]); ok && l.tenants.Len() != 0 {
		x.t.Fatalf("an empty queue still knows %d tenants", l.tenants.Len())
	}
}

// lifo is a user's Queue: last in, first out.
type lifo[T comparable] struct {
	items   []T
	touched int
}

func (s *lifo[T]) Touch(T)     { s.touched++ }
func (s *lifo[T]) Push(item T) { s.items = append(s.items, item) }
func (s *lifo[T]) Len() int    { return len(s.items) }
func (s *lifo[T]) Pop() T {
	item := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return item
}
