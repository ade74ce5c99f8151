package apitest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
)

// Injection is an active fault, until it is removed or has reached its number of hits.
type Injection struct {
	fault  Fault
	faults *faults

	mu      sync.Mutex
	random  *rand.Rand
	seen    int
	hits    int
	removed bool
	changed chan struct{} // closed and replaced when one of the above changes
}

// Inject activates a fault. All faults that match a request apply to it, in the order in which they were injected, up
// to the first that answers it.
func (s *Server) Inject(fault Fault) (*Injection, error) {
	if err := fault.validate(); err != nil {
		return nil, err
	}
	if s.config.InProcess && (fault.Effect == Cut || fault.Effect == Silence) {
		return nil, fmt.Errorf("apitest: Fault.Effect %q needs connections, which a server with Config.InProcess does not have", fault.Effect)
	}
	fault.Match.Verbs = append([]string(nil), fault.Match.Verbs...)
	i := &Injection{
		fault:   fault,
		faults:  s.faults,
		random:  rand.New(rand.NewPCG(fault.Seed, 0)),
		changed: make(chan struct{}),
	}
	s.faults.add(i)
	return i, nil
}

// Fault returns the fault.
func (i *Injection) Fault() Fault {
	fault := i.fault
	fault.Match.Verbs = append([]string(nil), fault.Match.Verbs...)
	return fault
}

// Remove removes the fault. Its effects on connections and watches are not undone. It may be called twice.
func (i *Injection) Remove() {
	i.faults.drop(i)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.removed = true
	i.tell()
}

// Hits returns the number of hits.
func (i *Injection) Hits() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.hits
}

// Wait waits until the fault has had n hits. It returns an error if ctx ends before that, or if that cannot happen.
func (i *Injection) Wait(ctx context.Context, n int) error {
	for {
		i.mu.Lock()
		hits, removed, changed := i.hits, i.removed, i.changed
		i.mu.Unlock()
		switch {
		case hits >= n:
			return nil
		case removed:
			return fmt.Errorf("apitest: fault %q was removed after %d hits, want %d", &i.fault, hits, n)
		case i.fault.Times > 0 && n > i.fault.Times:
			return fmt.Errorf("apitest: fault %q cannot have %d hits", &i.fault, n)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("apitest: fault %q has %d hits, want %d: %w", &i.fault, i.Hits(), n, context.Cause(ctx))
		}
	}
}

// tell wakes waiting goroutines. The lock is held.
func (i *Injection) tell() {
	close(i.changed)
	i.changed = make(chan struct{})
}

// strike is called for each match, and reports whether it is hit.
func (i *Injection) strike() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.removed || i.fault.Times > 0 && i.hits >= i.fault.Times {
		return false
	}
	i.seen++
	if i.seen <= i.fault.After {
		return false
	}
	if p := i.fault.Probability; p > 0 && p < 1 && i.random.Float64() >= p {
		return false
	}
	i.hits++
	i.tell()
	return true
}
