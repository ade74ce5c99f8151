package reconcile

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"vedette.dev/bench/harness"
)

// The figures of the records.
const (
	recordsRatio = "cpu, with to without" // the median of all pairs of turns
	recordsCPU   = "cpu for a reconcile, with less without"
	recordsBytes = "bytes a key"
)

// turns has two controllers in one process, without records and with them, which take turns. What else the machine does is then
// about the same for both, and two percent can be seen.
type turns struct {
	off, on turn
	turnsConfig
	// held is what the records take, by object.
	held float64
}

// turnsConfig says how many turns each takes, of how many changes, and how many of them come in a second: 0 is as fast as they are
// taken.
type turnsConfig struct{ pairs, changes, rate int }

// turn is one of the two.
type turn struct {
	*running
	rate   int
	rounds [][]object
	ahead  []*phase
	cpu    []float64 // for a reconcile, of each turn
}

func newTurns(config turnsConfig) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		objects := newObjects(c.Size(keys, fewKeys))
		// A first one, so that what is made once for a process is not counted.
		if err := passing(objects); err != nil {
			return nil, err
		}
		rounds := newRounds(objects, 1) // to begin with
		for i := range config.pairs {
			rounds = append(rounds, newRound(objects, i+2, c.Size(config.changes, fewKeys)))
		}
		t := &turns{turnsConfig: config}
		off, err := t.off.prepare(recordsOff, objects, rounds)
		if err != nil {
			return nil, err
		}
		on, err := t.on.prepare(recordsOn, objects, rounds)
		t.off.rate, t.on.rate = config.rate, config.rate
		t.held = max(0, on-off) / float64(len(objects))
		return t, err
	}
}

func passing(objects []*object) error {
	r, err := started(recordsOn, objects, &crew{})
	if err != nil {
		return err
	}
	return r.end()
}

// prepare starts the controller and has it do the first round, and returns the heap that it needs.
func (t *turn) prepare(side string, objects []*object, rounds [][]object) (float64, error) {
	t.rounds, t.ahead = rounds, phasesOf(objects, rounds)
	before := harness.LiveHeap()
	var err error
	if t.running, err = started(side, objects, &crew{}); err != nil {
		return 0, err
	}
	if err := t.next(); err != nil {
		return 0, err
	}
	return float64(harness.LiveHeap()) - float64(before), nil
}

// next does a round.
func (t *turn) next() error {
	number := len(t.phases) - 1 // the first one was the list
	return t.sendPaced(t.rounds[number], t.ahead[number], t.rate)
}

// measured does a round and notes what it cost. What the turn before has left to collect is not part of it.
func (t *turn) measured() error {
	runtime.GC()
	before := harness.ProcessorTime()
	err := t.next()
	t.cpu = append(t.cpu, float64(harness.ProcessorTime()-before)/float64(len(t.rounds[len(t.rounds)-1])))
	return err
}

func (t *turns) Ops() int { return 2 * t.pairs * len(t.on.rounds[1]) }

// Run ends with the first turn that fails, whose phase has the error for Finish.
func (t *turns) Run() {
	for pair := range t.pairs {
		order := []*turn{&t.off, &t.on}
		if pair%2 == 1 {
			slices.Reverse(order)
		}
		for _, one := range order {
			if one.measured() != nil {
				return
			}
		}
	}
}

func (t *turns) Finish() (harness.Sample, error) {
	if err := errors.Join(t.off.end(), t.on.end()); err != nil {
		return nil, err
	}
	if len(t.off.cpu) != t.pairs || len(t.on.cpu) != t.pairs {
		return nil, fmt.Errorf("%d turns without records and %d with them, want %d", len(t.off.cpu), len(t.on.cpu), t.pairs)
	}
	var ratios, differences []float64
	for i := range t.pairs {
		// The clock of a kernel may have missed all of a tiny turn.
		off, on := max(t.off.cpu[i], float64(time.Nanosecond)), t.on.cpu[i]
		ratios, differences = append(ratios, on/off), append(differences, on-off)
	}
	return harness.Sample{
		recordsRatio: middle(ratios),
		recordsCPU:   max(0, middle(differences)),
		recordsBytes: t.held,
	}, nil
}

// middle is the median of an odd number of values.
func middle(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
