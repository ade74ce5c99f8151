package reconcile

import "vedette.dev/bench/harness"

// initial is a start: objects are listed, and all of them are reconciled.
type initial struct {
	*running
	first *phase
}

func newInitial(c harness.Config) (harness.Trial, error) {
	objects := newObjects(c.Size(keys, fewKeys))
	r, err := prepare(c.Side, objects, &crew{})
	return &initial{running: r, first: firstPhase(objects)}, err
}

func (i *initial) Ops() int { return len(i.server.objects) }

// Run leaves its error in the phase, where Finish finds it.
func (i *initial) Run() { _ = i.start(i.first) }

func (i *initial) Finish() (harness.Sample, error) { return nil, i.end() }
