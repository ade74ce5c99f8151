package cache

import (
	"errors"
	"fmt"
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
	f.items.Delete(p.key)
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
	if f.items.Get(p.key) != nil {
		return
	}
	f.items.Put(p.key, p)
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
	f.putBack(&pending{key: key, deltas: deltas})
	return nil
}
