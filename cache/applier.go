package cache

import (
	"slices"
	"sync"

	"vedette.dev/internal/table"
)

// applier brings the store of an informer up to date: it applies what the queue held, and finds out what is to be told. It belongs to
// the process loop; only known and errors may be called from elsewhere.
type applier struct {
	table *table.Table
	// ids says who the objects are, where a transform may have made them forget it; nil if they know themselves.
	ids      *identities
	detector MutationDetector // nil without one
	// telling is the lock of the informer under which the store is written and tell is called.
	telling *sync.Mutex
	tell    func(notices []notice)

	steps []table.Step

	mu        sync.Mutex
	failures  uint64
	lastError error
	lags      Lags
}

// restored is the type of a delta of an object that the store has in the same version, but that a program has written to. The object
// takes the place of that one, and handlers do not hear of it: on the server nothing has changed.
const restored DeltaType = "Restored"

// same tells whether two stamps are certainly of the same state of the same object.
func (s stamp) same(other stamp) bool { return s == other && s.uid != "" && s.version != "" }

// other tells whether two stamps are certainly of different objects.
func (s stamp) other(than stamp) bool { return s.uid != than.uid && s.uid != "" && than.uid != "" }

// identities is who the objects of a store are.
type identities struct {
	mu sync.RWMutex
	m  lookup[stamp]
}

func (a *applier) known(key string) (any, stamp, bool) {
	obj, ok := a.table.Get(key)
	if !ok {
		return nil, stamp{}, false
	}
	if a.ids == nil {
		return obj, stampOf(obj), true
	}
	a.ids.mu.RLock()
	defer a.ids.mu.RUnlock()
	return obj, a.ids.m.m[key], true
}

// apply brings the store up to date in one step, and calls tell with the notices in the same turn. Until the first list was
// applied, what lists bring is initial.
//
// The code of users, which is index functions, the detector and metrics, is called without a lock.
func (a *applier) apply(b batch, initial bool) {
	notices := a.followAll(b, initial)
	var at table.Version
	if b.version != "" {
		at = table.At(b.version)
	}
	for done := false; !done; {
		set, values, err := a.table.Prepare(a.steps)
		a.telling.Lock()
		if done = a.table.Commit(set, a.steps, values, at); done {
			a.tell(notices)
		}
		a.telling.Unlock()
		if done && err != nil {
			a.failed(err)
		}
	}
	if b.version != "" {
		a.table.ReportVersion()
	}
	clear(a.steps)
	a.steps = a.steps[:0]
	if cap(a.steps) > 2*defaultPending {
		a.steps = nil
	}
}

// followAll finds out what a batch changes, which it notes in steps, and returns what is to be told of it, in the order of the
// keys, but deletions that a list has brought to light before all else.
func (a *applier) followAll(b batch, initial bool) []notice {
	notices := make([]notice, 0, b.deltas)
	a.steps = slices.Grow(a.steps, len(b.items))
	for _, p := range b.items {
		if p.foundGone() {
			notices = a.follow(p, initial, notices)
		}
	}
	for _, p := range b.items {
		if !p.foundGone() {
			notices = a.follow(p, initial, notices)
		}
	}
	return notices
}

// foundGone tells whether the end of an object is known from its absence in a list.
func (p *pending) foundGone() bool {
	last := p.deltas.Newest()
	if last.Type != Deleted {
		return false
	}
	_, ok := last.Object.(DeletedFinalStateUnknown)
	return ok
}

// follow goes through the deltas of a key. It appends what is to be told, and notes the one write that follows from all.
func (a *applier) follow(p *pending, initial bool, notices []notice) []notice {
	obj, have, was := a.known(p.key)
	is, before := was, obj
	for i := range p.deltas {
		d := &p.deltas[i]
		s := p.stampAt(i)
		n := notice{key: p.key, old: obj, new: d.Object}
		switch {
		case d.Type == Deleted && !is, d.Type == Sync && !is:
			continue
		case d.Type == Sync:
			n.what, n.sync = updated, true
			notices = append(notices, n)
			continue // it is what there is
		case d.Type == Deleted:
			n.what, n.old, n.new = deleted, withLast(d.Object, obj), nil
			is = false
			notices = append(notices, n)
			continue
		case !is:
			n.what, n.old, n.initial = added, nil, initial && d.Type == Replaced
		case have.other(s):
			notices = append(notices, notice{key: p.key, what: deleted, old: DeletedFinalStateUnknown{p.key, obj}})
			n.what, n.old = added, nil
		case have.same(s):
			if d.Type == restored {
				obj = d.Object
			}
			continue // it was told before
		default:
			n.what, n.sync = updated, have.version == s.version
		}
		notices = append(notices, n)
		obj, have, is = d.Object, s, true
	}
	a.note(p.key, obj, have, was, is, before)
	return notices
}

// withLast puts the last state that is known into a tombstone that has none.
func withLast(gone, last any) any {
	if d, ok := gone.(DeletedFinalStateUnknown); ok && d.Obj == nil {
		d.Obj = last
		return d
	}
	return gone
}

// note adds the write of a key to those of the batch.
func (a *applier) note(key string, obj any, s stamp, was, is bool, before any) {
	step := table.Step{Op: table.Put, Key: key, Object: obj}
	switch {
	case !is && !was:
		return
	case !is:
		step = table.Step{Op: table.Delete, Key: key}
	case was && identical(obj, before):
		return
	case a.detector != nil && !isPacked(obj):
		a.detector.AddObject(obj)
	}
	if is {
		packAway(obj)
	}
	a.steps = append(a.steps, step)
	a.remember(key, s, is)
}

// identical tells whether two objects are one in memory.
func identical(a, b any) bool {
	defer func() { _ = recover() }() // of types that cannot be compared
	return a == b
}

func (a *applier) remember(key string, s stamp, is bool) {
	if a.ids == nil {
		return
	}
	a.ids.mu.Lock()
	defer a.ids.mu.Unlock()
	if is {
		a.ids.m.put(key, s)
		return
	}
	a.ids.m.remove(key)
}

func (a *applier) failed(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failures++
	a.lastError = err
}
