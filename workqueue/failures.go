package workqueue

import (
	"sync"

	"vedette.dev/internal/keyhash"
	"vedette.dev/workqueue/internal/slotmap"
)

// failures counts the failures of items, and frees the memory of those that are forgotten.
type failures[T comparable] struct {
	hasher keyhash.Hasher[T]
	mu     sync.Mutex
	counts slotmap.Map[T, int]
}

func newFailures[T comparable]() *failures[T] {
	return &failures[T]{
		hasher: keyhash.New[T]("workqueue: item"),
		counts: slotmap.New[T, int](keepKeys),
	}
}

// count adds one failure and returns how many there were before.
func (f *failures[T]) count(item T) (before int) {
	hash := f.hasher.Hash(item)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, e, _ := f.counts.Ensure(hash, item)
	e.Val++
	return e.Val - 1
}

func (f *failures[T]) of(item T) int {
	hash := f.hasher.Hash(item)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, e, ok := f.counts.Find(hash, item); ok {
		return e.Val
	}
	return 0
}

func (f *failures[T]) forget(item T) {
	hash := f.hasher.Hash(item)
	f.mu.Lock()
	defer f.mu.Unlock()
	if slot, _, ok := f.counts.Find(hash, item); ok {
		f.counts.Remove(slot)
	}
}
