package workqueue

import "vedette.dev/internal/fifo"

// line is the order in which the keys that wait reach the workers. It knows a key by its slot in the key table; its
// calls are made one at a time, under the lock of the queue.
type line[T comparable] interface {
	// push puts a key at its place. It may keep notes for itself in the entry.
	push(slot uint32, e *keyEntry[T])
	// pop takes out the next key. A line that knows items only returns noSlot and the item.
	pop() (slot uint32, item T)
	// touch is told that a key which waits was added again, with priority.
	touch(slot uint32, e *keyEntry[T], priority int32)
	// done is told that a worker gave back a key, and the tenant that push had noted for it.
	done(tenant uint32)
	len() int
}

const noSlot = ^uint32(0)

// fifoLine is first come, first served.
type fifoLine[T comparable] struct{ slots fifo.Queue[uint32] }

func (l *fifoLine[T]) push(slot uint32, _ *keyEntry[T])  { l.slots.Push(slot) }
func (l *fifoLine[T]) touch(uint32, *keyEntry[T], int32) {}
func (l *fifoLine[T]) done(uint32)                       {}
func (l *fifoLine[T]) len() int                          { return l.slots.Len() }
func (l *fifoLine[T]) pop() (slot uint32, item T)        { return l.slots.Pop(), item }

// storeLine leaves the order to a Queue that the user brought.
type storeLine[T comparable] struct{ store Queue[T] }

func (l storeLine[T]) push(_ uint32, e *keyEntry[T])           { l.store.Push(e.Key) }
func (l storeLine[T]) touch(_ uint32, e *keyEntry[T], _ int32) { l.store.Touch(e.Key) }
func (l storeLine[T]) done(uint32)                             {}
func (l storeLine[T]) len() int                                { return l.store.Len() }
func (l storeLine[T]) pop() (uint32, T)                        { return noSlot, l.store.Pop() }

// DefaultQueue returns the order that queues have by default, first in, first out, for those who want to wrap it.
func DefaultQueue[T comparable]() Queue[T] { return new(fifoStore[T]) }

type fifoStore[T comparable] struct{ items fifo.Queue[T] }

func (s *fifoStore[T]) Touch(T)     {}
func (s *fifoStore[T]) Push(item T) { s.items.Push(item) }
func (s *fifoStore[T]) Len() int    { return s.items.Len() }
func (s *fifoStore[T]) Pop() T      { return s.items.Pop() }
