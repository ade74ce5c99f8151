package workqueue

import "vedette.dev/workqueue/internal/fifo"

// readyQueue is the order in which keys reach the workers. It knows a key by its slot in the key table; its methods are
// called one at a time, under the lock of the queue.
type readyQueue[T comparable] interface {
	// push puts a key at its place. It may keep notes for itself in the entry.
	push(slot uint32, e *keyEntry[T])
	// pop takes out the next key. A ready queue that knows only items returns noSlot and the item.
	pop() (slot uint32, item T)
	// touch is called when a key in the queue is added again, with priority.
	touch(slot uint32, e *keyEntry[T], priority int32)
	// done is called when a worker calls Done for a key, with the tenant that push noted for it.
	done(tenant uint32)
	len() int
}

const noSlot = ^uint32(0)

// fifoReady is first in, first out.
type fifoReady[T comparable] struct{ slots fifo.Queue[uint32] }

func (r *fifoReady[T]) push(slot uint32, _ *keyEntry[T])  { r.slots.Push(slot) }
func (r *fifoReady[T]) touch(uint32, *keyEntry[T], int32) {}
func (r *fifoReady[T]) done(uint32)                       {}
func (r *fifoReady[T]) len() int                          { return r.slots.Len() }
func (r *fifoReady[T]) pop() (slot uint32, item T)        { return r.slots.Pop(), item }

// storeReady leaves the order to the user's Queue.
type storeReady[T comparable] struct{ store Queue[T] }

func (r storeReady[T]) push(_ uint32, e *keyEntry[T])           { r.store.Push(e.Key) }
func (r storeReady[T]) touch(_ uint32, e *keyEntry[T], _ int32) { r.store.Touch(e.Key) }
func (r storeReady[T]) done(uint32)                             {}
func (r storeReady[T]) len() int                                { return r.store.Len() }
func (r storeReady[T]) pop() (uint32, T)                        { return noSlot, r.store.Pop() }

// DefaultQueue returns the default order of a queue, first in, first out, for users who want to wrap it.
func DefaultQueue[T comparable]() Queue[T] { return new(fifoStore[T]) }

type fifoStore[T comparable] struct{ items fifo.Queue[T] }

func (s *fifoStore[T]) Touch(T)     {}
func (s *fifoStore[T]) Push(item T) { s.items.Push(item) }
func (s *fifoStore[T]) Len() int    { return s.items.Len() }
func (s *fifoStore[T]) Pop() T      { return s.items.Pop() }
