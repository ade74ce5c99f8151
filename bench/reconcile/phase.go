package reconcile

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// phase is a stretch of work with a known result: each key that changes in it is reconciled once, after its change. It is done
// when that is so for all of them, or when it has something to complain about.
type phase struct {
	want  []uint32        // the version of each object that changes, 0 for the others
	seen  []atomic.Uint32 // the version that the last reconcile saw, 0 if there was none
	times []atomic.Uint32 // how often each was reconciled
	left  atomic.Int64    // the keys whose version is still to come

	once sync.Once
	done chan struct{}
	err  error // what was wrong first; it is there when done is closed
}

// newPhase expects these states of some of so many objects.
func newPhase(objects int, states []object) *phase {
	p := &phase{
		want:  make([]uint32, objects),
		seen:  make([]atomic.Uint32, objects),
		times: make([]atomic.Uint32, objects),
		done:  make(chan struct{}),
	}
	for i := range states {
		p.want[states[i].index] = states[i].number
	}
	p.left.Store(int64(len(states)))
	return p
}

// firstPhase expects all objects as they are listed.
func firstPhase(objects []*object) *phase {
	states := make([]object, len(objects))
	for i, o := range objects {
		states[i] = *o
	}
	return newPhase(len(objects), states)
}

// saw notes a reconcile of a key that found this version of the object.
func (p *phase) saw(index, version uint32) {
	p.times[index].Add(1)
	before := p.seen[index].Swap(version)
	switch want := p.want[index]; {
	case version < before:
		p.end(fmt.Errorf("a reconcile of object %d saw version %d after one that saw version %d", index, version, before))
	case version >= want && before < want:
		if p.left.Add(-1) == 0 {
			p.end(nil)
		}
	}
}

func (p *phase) end(err error) {
	p.once.Do(func() {
		p.err = err
		close(p.done)
	})
}

// wait returns when the phase is done, and fails if that takes longer than the timeout.
func (p *phase) wait(phaseTimeout time.Duration) error {
	timer := time.NewTimer(phaseTimeout)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.end(fmt.Errorf("%d keys were not reconciled after their change within %v", p.left.Load(), phaseTimeout))
		<-p.done
	}
	return p.err
}

// check returns the errors of the phase. No reconcile may run meanwhile.
func (p *phase) check() error {
	if p.err != nil {
		return p.err
	}
	for i, want := range p.want {
		times := uint32(1)
		if want == 0 {
			times = 0
		}
		if got := p.seen[i].Load(); want != 0 && got != want {
			return fmt.Errorf("the last reconcile of object %d saw version %d, want %d", i, got, want)
		}
		if got := p.times[i].Load(); got != times {
			return fmt.Errorf("object %d was reconciled %d times, want %d", i, got, times)
		}
	}
	return nil
}
