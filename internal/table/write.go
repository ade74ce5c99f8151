package table

import "iter"

// Version is the version that a write sets. The zero value leaves the version of the table as it is.
type Version struct {
	value string
	set   bool
}

// At returns the Version of a write after which the table has everything up to version.
func At(version string) Version { return Version{version, true} }

// Op is what a [Step] does.
type Op uint8

const (
	// Put stores Object under Key.
	Put Op = iota
	// Delete removes Key, if it is there.
	Delete
	// Move makes Owner the owner of Key, if it is there. The object and its other values stay.
	Move
)

// Step is one write of several that are done in one step.
type Step struct {
	Op     Op
	Key    string
	Object any
	// Owner is the owner of Key after a Put or a Move, in a table with an OwnerIndex. A Put with an empty Owner keeps the
	// owner that Key has.
	Owner string
}

// Put stores an object under a key. The error is that of index functions: the object is stored in any case.
func (t *Table) Put(key string, obj any, at Version) error {
	for {
		var room [4][]string
		set := t.set.Load()
		values, err := set.AppendValues(room[:0], key, obj)
		t.mu.lock()
		if t.set.Load() != set { // an index was added meanwhile
			t.mu.Unlock()
			continue
		}
		if set.owned {
			values[0] = []string{t.ownerAfterPut(key, "")}
		}
		t.epochs.beginWrite()
		t.contents.put(key, obj, values)
		t.setVersion(at)
		t.mu.Unlock()
		t.report(at)
		return err
	}
}

// Remove removes a key, if it is there.
func (t *Table) Remove(key string, at Version) {
	t.mu.lock()
	t.epochs.beginWrite()
	t.contents.remove(key)
	t.setVersion(at)
	t.mu.Unlock()
	t.report(at)
}

// Apply does all steps in one: readers see all of them or none. The error is that of index functions: the objects are
// stored in any case.
func (t *Table) Apply(steps []Step, at Version) error {
	for {
		set, values, err := t.Prepare(steps)
		if t.Commit(set, steps, values, at) {
			t.report(at)
			return err
		}
	}
}

// Prepare calls the index functions for the objects that are put, without a lock. It returns, for Commit, the indexes of the
// table and the values of one object after the other, and the error of the functions.
func (t *Table) Prepare(steps []Step) (*IndexSet, [][]string, error) {
	set := t.set.Load()
	values := make([][]string, 0, len(steps)*set.Len())
	var failed Errors
	for i := range steps {
		s := &steps[i]
		if s.Op != Put {
			continue
		}
		var err error
		values, err = set.AppendValues(values, s.Key, s.Object)
		failed.Add(err)
	}
	return set, values, failed.Err()
}

// Commit does all steps in one. The values are those that set.AppendValues returns for the object of each Put, one after the
// other. Commit reports false, and does nothing, if an index was added since. It calls no other code. A caller that sets a
// version calls ReportVersion afterwards.
func (t *Table) Commit(set *IndexSet, steps []Step, values [][]string, at Version) bool {
	var owner []string
	if set.owned {
		owner = make([]string, 1) // the value of one step after the other
	}
	t.mu.lock()
	defer t.mu.Unlock()
	if t.set.Load() != set {
		return false
	}
	t.epochs.beginWrite()
	if len(steps) > 1 {
		t.seq.beginBatch()
		defer t.seq.endBatch()
	}
	for i := range steps {
		switch s := &steps[i]; s.Op {
		case Put:
			own := values[:set.Len()]
			values = values[set.Len():]
			if set.owned {
				owner[0] = t.ownerAfterPut(s.Key, s.Owner)
				own[0] = owner
			}
			t.contents.put(s.Key, s.Object, own)
		case Delete:
			t.contents.remove(s.Key)
		case Move:
			t.contents.move(s.Key, s.Owner)
		}
	}
	t.setVersion(at)
	return true
}

// Replace replaces all contents by count items and sets the version. The new contents are built aside: readers see the
// old ones or the new ones. Of two items with the same key the later one is kept.
func (t *Table) Replace(items iter.Seq2[string, any], count int, version string) error {
	for {
		set := t.set.Load()
		next := newContents(set.Len(), count)
		var failed Errors
		var room [4][]string
		for key, obj := range items {
			values, err := set.AppendValues(room[:0], key, obj)
			failed.Add(err)
			if set.owned {
				owner, _ := t.Owner(key)
				values[0] = []string{owner}
			}
			next.put(key, obj, values)
		}
		t.mu.lock()
		if t.set.Load() != set {
			t.mu.Unlock()
			continue
		}
		t.adopt(next)
		t.version = version
		t.mu.Unlock()
		t.ReportVersion()
		return failed.Err()
	}
}

// setVersion is called under the write lock.
func (t *Table) setVersion(at Version) {
	if at.set {
		t.version = at.value
	}
}

// report is called after the write lock was released.
func (t *Table) report(at Version) {
	if at.set {
		t.ReportVersion()
	}
}
