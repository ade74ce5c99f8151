package cache

import (
	"errors"
	"fmt"
	"time"
)

// Pop waits until something is queued, takes the first key out, and calls process with its Deltas, under the lock of the
// queue: until it returns, nothing is queued, so that it can keep the known objects in step. It must not call the queue.
// What is left when the queue is closed is still handed out.
//
// If process returns an ErrRequeue, the Deltas are put back, unless the key was queued again.
func (f *DeltaFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.wait(f.queue.len); err != nil {
		return nil, err
	}
	isInInitialList := !f.isSynced()
	p := f.queue.pop()
	f.items.remove(p.key)
	f.count -= len(p.deltas)
	f.handedOut(1)
	f.room.Broadcast()
	err := process(p.deltas, isInInitialList)
	if again, ok := errors.AsType[ErrRequeue](err); ok {
		f.putBack(p)
		err = again.Err
	}
	return p.deltas, err
}

// putBack queues what was taken out, unless there is something newer. It never waits: it is the consumer that calls.
func (f *DeltaFIFO) putBack(p *pending) {
	if f.items.m[p.key] != nil {
		return
	}
	f.items.put(p.key, p)
	f.queue.push(p)
	f.count += len(p.deltas)
	f.some.Broadcast()
}

// AddIfNotPresent puts back Deltas that Pop handed out, unless the key was queued again meanwhile. It never waits for
// room.
func (f *DeltaFIFO) AddIfNotPresent(obj interface{}) error {
	deltas, ok := obj.(Deltas)
	if !ok {
		return fmt.Errorf("object must be of type deltas, but got: %#v", obj)
	}
	key, err := f.KeyOf(deltas)
	if err != nil {
		return KeyError{obj, err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populate(0)
	p := &pending{key: key, deltas: deltas}
	if f.transformer != nil {
		for _, d := range deltas {
			p.stamps = append(p.stamps, stampOf(d.Object))
		}
	}
	f.putBack(p)
	return nil
}

// batch is everything that a DeltaFIFO held at one moment.
type batch struct {
	// items are the keys in the order in which they first changed, each with its deltas. What one Replace brought is never
	// spread over two batches.
	items []*pending
	// deltas is how many there are in all.
	deltas int
	// since is when the first of the deltas was queued; see DeltaFIFO.since.
	since time.Time
	// lists is how many reflectors of an informer have brought a list, in this batch and those before.
	lists int
	// initial is how many of the items, from the front, belong to the first list.
	initial int
	// synced is set if after this batch nothing of the first list is left.
	synced bool
	// version is how far the consumer is when it has applied this batch, empty if that is not known.
	version string
}

// popBatch waits until something is queued or the version moved, takes everything, and calls apply with it, which should
// bring the known objects up to date. Meanwhile changes can be queued; who wants to look at the known objects waits.
func (f *DeltaFIFO) popBatch(apply func(batch)) error {
	b, err := f.takeBatch()
	if err != nil {
		return err
	}
	defer f.applied(len(b.items))
	apply(b)
	return nil
}

func (f *DeltaFIFO) takeBatch() (batch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.queue.len() == 0 && !f.marked {
		if f.closed {
			return batch{}, ErrFIFOClosed
		}
		f.some.Wait()
	}
	b := batch{deltas: f.count, initial: min(f.initial, f.queue.len()), version: f.version, lists: f.lists, since: f.since}
	b.items = f.queue.take()
	f.items.clear()
	b.synced = f.populated && b.initial == f.initial
	f.count, f.marked, f.applying, f.since = 0, false, true, time.Time{}
	f.room.Broadcast()
	return b, nil
}

// applied notes that the consumer has applied what it took.
func (f *DeltaFIFO) applied(keys int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applying = false
	f.handedOut(keys)
	f.idle.Broadcast()
}
