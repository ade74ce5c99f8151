package cache

import "time"

// Pop waits until something is queued, takes the first delta out, and calls process with it, as Deltas of one.
func (f *RealFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.wait(f.items.len); err != nil {
		return nil, err
	}
	isInInitialList := !f.isSynced()
	taken := Deltas{f.items.pop()}
	defer f.handedOut(1) // when it was processed, not before
	f.count()
	return taken, f.unlocked(func() error { return process(taken, isInInitialList) })
}

// PopBatch takes up to 1000 deltas, of as many objects, that can be processed together. It ends a batch before a second
// delta of an object, before one that is about all objects, behind one whose object has no key, and where the first list
// ends. A batch of one goes to processSingle.
func (f *RealFIFO) PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.wait(f.items.len); err != nil {
		return err
	}
	isInInitialList := !f.isSynced()
	n := f.batchLength()
	deltas := append(make([]Delta, 0, n), f.items.all()[:n]...)
	f.items.drop(n)
	defer f.handedOut(n)
	f.count()
	if n == 1 {
		return f.unlocked(func() error { return processSingle(Deltas(deltas), isInInitialList) })
	}
	return f.unlocked(func() error { return processBatch(deltas, isInInitialList) })
}

// batchLength is how many deltas the next batch has; at least one.
func (f *RealFIFO) batchLength() int {
	limit := min(f.items.len(), f.batchSize)
	if f.initial > 0 {
		limit = min(limit, f.initial)
	}
	seen := make(map[string]struct{}, limit)
	for i, d := range f.items.all()[:limit] {
		if !batchable(d.Type) {
			return max(i, 1)
		}
		key, err := deltaKey(f.keyFunc, d)
		if err != nil {
			return i + 1
		}
		if _, dup := seen[key]; dup {
			return i
		}
		seen[key] = struct{}{}
	}
	return limit
}

// batchable tells whether a delta is about one object.
func batchable(t DeltaType) bool {
	switch t {
	case Added, Updated, Deleted, Replaced, Sync:
		return true
	default:
		return false
	}
}

// unlocked processes what was taken out, without the lock if that is allowed. A long queue keeps it, so that those who
// write have to wait.
func (f *RealFIFO) unlocked(process func() error) error {
	if f.unlockWhileProcessing && f.items.len() < 2*f.batchSize {
		f.mu.Unlock()
		defer f.mu.Lock()
	}
	if f.latency == nil {
		return process()
	}
	start := time.Now()
	defer func() { f.latency.Observe(time.Since(start).Seconds()) }()
	return process()
}
