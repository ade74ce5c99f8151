package indexer

import (
	"fmt"

	"vedette.dev/bench/harness"
)

// alone repeats one kind of call, without concurrent callers.
type alone struct {
	store   store
	objects *objects
	state   []uint8 // of each object, as the calls leave it
	calls   int
	call    func(a *alone, i int) error
	err     error
}

// stride takes the objects in an order in which the next is never near, as events come.
const stride = 7919

// newAlone prepares calls on a store that is empty or full.
func newAlone(calls int, full bool, call func(*alone, int) error) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		a := &alone{objects: newObjects(c.Size(count, smallCount)), call: call, calls: c.Size(calls, 10)}
		a.state = make([]uint8, len(a.objects.keys))
		if !full { // each object once
			a.calls = len(a.objects.keys)
		}
		var err error
		if full {
			a.store, err = filled(c.Side, a.objects)
		} else {
			a.store, err = newStore(c.Side)
		}
		return a, err
	}
}

func (a *alone) Ops() int { return a.calls }

func (a *alone) Run() {
	for i := range a.calls {
		if err := a.call(a, i); err != nil {
			a.err = err
			return
		}
	}
}

func (a *alone) Finish() (harness.Sample, error) {
	if a.err != nil {
		return nil, a.err
	}
	return nil, a.objects.check(a.store, a.state)
}

func (a *alone) at(i int) int { return i * stride % len(a.objects.keys) }

func add(a *alone, i int) error { return a.store.Add(a.objects.states[0][i]) }

func update(a *alone, i int) error {
	at := a.at(i)
	a.state[at] ^= 1
	return a.store.Update(a.objects.states[a.state[at]][at])
}

func get(a *alone, i int) error {
	_, exists, err := a.store.GetByKey(a.objects.keys[a.at(i)])
	if err == nil && !exists {
		err = fmt.Errorf("object %s is missing", a.objects.keys[a.at(i)])
	}
	return err
}

func byIndex(a *alone, i int) error {
	list, err := a.store.ByIndex(namespaceIndex, namespaceOf(i, len(a.objects.keys)))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("namespace %s is empty", namespaceOf(i, len(a.objects.keys)))
	}
	return err
}

func list(a *alone, _ int) error {
	if n := len(a.store.List()); n != len(a.objects.keys) {
		return fmt.Errorf("%d objects in the list, want %d", n, len(a.objects.keys))
	}
	return nil
}
