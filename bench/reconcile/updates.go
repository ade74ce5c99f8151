package reconcile

import "vedette.dev/bench/harness"

// updates is changes of all objects, as fast as they are taken, several times. Each time it is waited until all of them are
// reconciled, so that no two changes of a key can become one reconcile.
type updates struct {
	*running
	rounds [][]object
	ahead  []*phase
}

func newUpdates(rounds int, looks bool) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		objects := newObjects(c.Size(keys, fewKeys))
		u := &updates{rounds: newRounds(objects, rounds)}
		u.ahead = phasesOf(objects, u.rounds)
		var err error
		u.running, err = started(c.Side, objects, &crew{looks: looks})
		return u, err
	}
}

// newRounds are changes of all objects, count times.
func newRounds(objects []*object, count int) [][]object {
	rounds := make([][]object, count)
	for i := range rounds {
		rounds[i] = newRound(objects, i+1, len(objects))
	}
	return rounds
}

// phasesOf are what a side is to do in some rounds.
func phasesOf(objects []*object, rounds [][]object) []*phase {
	phases := make([]*phase, len(rounds))
	for i, round := range rounds {
		phases[i] = newPhase(len(objects), round)
	}
	return phases
}

// started is a side that has reconciled each object once, and has a watch.
func started(name string, objects []*object, c *crew) (*running, error) {
	r, err := prepare(name, objects, c)
	if err != nil {
		return nil, err
	}
	if err = r.start(firstPhase(objects)); err == nil {
		err = r.open()
	}
	if err != nil {
		r.stop()
		<-r.ended
		return nil, err
	}
	return r, nil
}

func (u *updates) Ops() int { return len(u.rounds) * len(u.server.objects) }

// Run ends with the first round that fails, whose phase has the error for Finish.
func (u *updates) Run() {
	for i, round := range u.rounds {
		if u.send(round, u.ahead[i]) != nil {
			return
		}
	}
}

func (u *updates) Finish() (harness.Sample, error) { return nil, u.end() }
