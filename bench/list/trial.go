package list

import (
	"context"
	"errors"
	"fmt"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
)

// extraMemory is the peak memory of a run beyond the memory of its result.
const extraMemory = "extra memory"

// trial lists the pods of a server once.
type trial struct {
	count  int
	way    way
	server *podserver.Process
	reader reader
	memory memory

	seen sums
	kept any // so that it counts as kept heap
	err  error
}

const (
	fullSize  = 100_000
	leastPods = 100
	// warmUp is how many pods are listed before the measurement.
	warmUp = 50
)

// newTrial starts the server, and lists a few pods from it.
func newTrial(c harness.Config, e pods.Encoding, w way) (harness.Trial, error) {
	t := &trial{count: c.Size(fullSize, leastPods), way: w}
	var err error
	if t.server, err = podserver.Start(t.count); err != nil {
		return nil, err
	}
	if err := t.prepare(c.Side, e); err != nil {
		return nil, errors.Join(err, t.server.Stop())
	}
	return t, nil
}

func (t *trial) prepare(side string, e pods.Encoding) error {
	var err error
	if t.reader, err = connect(side, t.server.URL, e); err != nil {
		return err
	}
	seen, _, err := t.way.read(context.Background(), t.reader, warmUp)
	if err != nil {
		return err
	}
	if err := t.check(seen, warmUp); err != nil {
		return err
	}
	return t.memory.begin()
}

func (t *trial) check(seen sums, count int) error {
	if want := expected(count, t.way.metaOnly); seen != want {
		return fmt.Errorf("of %d pods: seen %+v, want %+v", count, seen, want)
	}
	return nil
}

func (t *trial) Ops() int { return t.count }

func (t *trial) Run() {
	t.seen, t.kept, t.err = t.way.read(context.Background(), t.reader, 0)
	t.err = errors.Join(t.err, t.memory.end())
}

func (t *trial) Finish() (harness.Sample, error) {
	s := harness.Sample{extraMemory: t.memory.extra()}
	err := errors.Join(t.err, t.server.Stop())
	if err == nil {
		err = t.check(t.seen, t.count)
	}
	return s, err
}
