package cache

import "iter"

// put stores an object. The error is about indexes only: the object is stored in any case.
func (t *table) put(key string, obj any) error {
	version, versioned := versionOf(obj)
	for {
		var room [4][]string
		set := t.indexers.Load()
		values, err := set.values(key, obj, 0, room[:0])
		t.mu.lock()
		if t.indexers.Load() != set { // one was added meanwhile
			t.mu.Unlock()
			continue
		}
		t.sharing.begin()
		t.contents.put(key, obj, values)
		if versioned {
			t.version = version
		}
		t.mu.Unlock()
		if versioned {
			t.report()
		}
		return err
	}
}

// remove takes a key out. The last state of the object, if there is one, says at which version.
func (t *table) remove(key string, last any) {
	version, versioned := versionOf(last)
	t.mu.lock()
	t.sharing.begin()
	t.contents.remove(key)
	if versioned {
		t.version = version
	}
	t.mu.Unlock()
	if versioned {
		t.report()
	}
}

// apply does all steps in one: readers see none of them or all. The version becomes that of the last object.
func (t *table) apply(steps []ThreadSafeStoreTransaction) error {
	if len(steps) == 0 {
		return nil
	}
	version, versioned := versionOf(steps[len(steps)-1].Object)
	return t.commit(steps, version, versioned)
}

// commit does all steps in one, after which the table holds everything up to the version, if there is one.
func (t *table) commit(steps []ThreadSafeStoreTransaction, version string, versioned bool) error {
	for {
		p := t.prepare(steps)
		if t.commitPrepared(&p, version, versioned) {
			if versioned {
				t.report()
			}
			return p.err
		}
	}
}

// prepared is steps with the values of their objects in the indexes of a set.
type prepared struct {
	steps  []ThreadSafeStoreTransaction
	set    *indexSet
	values [][]string
	err    error // of index functions
}

// prepare calls the index functions, without a lock.
func (t *table) prepare(steps []ThreadSafeStoreTransaction) prepared {
	p := prepared{steps: steps, set: t.indexers.Load()}
	p.values, p.err = p.set.valuesOfSteps(steps)
	return p
}

// commitPrepared does all steps in one. If an index was added since they were prepared, it does nothing and returns false. It calls
// nobody: whoever commits a version calls report when he has released his own locks.
func (t *table) commitPrepared(p *prepared, version string, versioned bool) bool {
	t.mu.lock()
	defer t.mu.Unlock()
	if t.indexers.Load() != p.set {
		return false
	}
	t.sharing.begin()
	t.applyLocked(p.steps, p.values, len(p.set.funcs))
	if versioned {
		t.version = version
	}
	return true
}

func (t *table) applyLocked(steps []ThreadSafeStoreTransaction, values [][]string, indexes int) {
	if len(steps) > 1 {
		t.writing.beginAll()
		defer t.writing.endAll()
	}
	for i := range steps {
		switch s := &steps[i]; s.Type {
		case TransactionTypeAdd, TransactionTypeUpdate:
			t.contents.put(s.Key, s.Object, values[i*indexes:(i+1)*indexes])
		case TransactionTypeDelete:
			t.contents.remove(s.Key)
		}
	}
}

// valuesOfSteps returns the values of all objects, one after the other; those of a deletion are empty.
func (s *indexSet) valuesOfSteps(steps []ThreadSafeStoreTransaction) ([][]string, error) {
	values := make([][]string, 0, len(steps)*len(s.funcs))
	var failed failures
	for i := range steps {
		obj := steps[i].Object
		if steps[i].Type == TransactionTypeDelete {
			obj = nil
		}
		var err error
		values, err = s.values(steps[i].Key, obj, 0, values)
		failed.note(err)
	}
	return values, failed.err()
}

// replace puts other contents in the place of all there is. They are built aside, and readers see the old until they
// see the new. Of two objects with one key the later stays.
func (t *table) replace(items iter.Seq2[string, any], count int, version string) error {
	for {
		set := t.indexers.Load()
		fresh := newContents(len(set.funcs), count)
		var failed failures
		var room [4][]string
		for key, obj := range items {
			values, err := set.values(key, obj, 0, room[:0])
			failed.note(err)
			fresh.put(key, obj, values)
		}
		t.mu.lock()
		if t.indexers.Load() != set {
			t.mu.Unlock()
			continue
		}
		t.adopt(fresh)
		t.version = version
		t.mu.Unlock()
		t.report()
		return failed.err()
	}
}
