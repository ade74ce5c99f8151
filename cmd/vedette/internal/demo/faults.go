package demo

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
)

// fault is a fault that the demo can inject.
type fault struct {
	// what describes the fault, and shows the expected reaction, for the user.
	what, shows string
	// inject injects the fault. It returns a function that ends it, which may be nil, and one that reports whether the machine has
	// recovered from it.
	inject func() (end func(), recovered func() bool, err error)
}

// recoverTime is how long the machine may take to recover from a fault before that is reported.
const recoverTime = 30 * time.Second

// injectFaults injects one fault after the other until the context ends.
func (d *Demo) injectFaults(ctx context.Context) {
	if d.config.Pause < 0 {
		<-ctx.Done()
		return
	}
	faults := d.world.faults(d)
	for i := 0; ; i++ {
		wait := d.config.Pause
		if i == 0 {
			wait /= 2
		}
		select {
		case <-time.After(wait):
			d.inject(ctx, faults[i%len(faults)])
		case <-ctx.Done():
			return
		}
	}
}

// inject injects a fault, and reports when the machine has recovered.
func (d *Demo) inject(ctx context.Context, f fault) {
	began := time.Now()
	end, recovered, err := f.inject()
	if err != nil {
		d.config.Tell(fmt.Sprintf("fault not injected: %s: %v", f.what, err))
		return
	}
	if end != nil {
		defer end()
	}
	d.faults.Add(1)
	d.config.Tell(f.what + ": " + f.shows)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !recovered() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if time.Since(began) > recoverTime {
			d.config.Tell(fmt.Sprintf("not recovered after %s: %s", recoverTime, f.what))
			return
		}
	}
	d.config.Tell(fmt.Sprintf("recovered after %s: %s", time.Since(began).Round(time.Millisecond), f.what))
}

// faults returns the faults for a server that only the demo uses.
func (e *embedded) faults(d *Demo) []fault {
	return []fault{
		{"all connections cut", "watches go on from where they were", func() (func(), func() bool, error) {
			again := d.machine.newWatches()
			e.server.CutConnections()
			return nil, again, nil
		}},
		d.slowHandler(),
		{"history compacted, watches ended with 410 Gone", "informers relist and deliver the changes they missed", func() (func(), func() bool, error) {
			again := d.machine.newWatches()
			e.server.Compact()
			// Running watches are affected now.
			injection, err := e.server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"watch"}}, Effect: apitest.EndExpired})
			if err == nil {
				injection.Remove()
			}
			return nil, again, err
		}},
		{"the next 5 writes of pages refused", "the operator backs off and retries", func() (func(), func() bool, error) {
			const times = 5
			injection, err := e.server.Inject(apitest.Fault{
				Match:  apitest.Match{Verbs: []string{"create", "update", "delete"}, Resource: "configmaps", Namespace: corev1.NamespaceDefault},
				Effect: apitest.AnswerInternalError, Times: times,
			})
			if err != nil {
				return nil, nil, err
			}
			return injection.Remove, func() bool { return injection.Hits() == times && d.machine.idle() }, nil
		}},
	}
}

// faults returns the faults that do not affect other clients of the cluster.
func (c *cluster) faults(d *Demo) []fault {
	return []fault{
		{"all connections of the demo cut", "watches go on from where they were", func() (func(), func() bool, error) {
			again := d.machine.newWatches()
			c.dialer.cut()
			return nil, again, nil
		}},
		d.slowHandler(),
	}
}

// stallTime is how long a handler is stalled.
const stallTime = 2500 * time.Millisecond

// slowHandler returns the fault that stalls the slow handler.
func (d *Demo) slowHandler() fault {
	m := d.machine
	return fault{"a handler of " + m.slowName + " stalled", "the cache and other handlers do not wait for it", func() (func(), func() bool, error) {
		release := m.slow.hold()
		timer := time.AfterFunc(stallTime, release)
		began := time.Now()
		return func() { timer.Stop(); release() }, func() bool {
			return time.Since(began) > stallTime && !m.behind()
		}, nil
	}}
}

// newWatches returns a function that reports whether every informer has since begun a watch and received an event from it.
func (m *machine) newWatches() func() bool {
	began := time.Now()
	before := make([]uint64, len(m.looks))
	for i, l := range m.looks {
		before[i] = cache.StateOf(l.informer).Watches
	}
	return func() bool {
		for i, l := range m.looks {
			state := cache.StateOf(l.informer)
			want := before[i] + 1
			if l.informer == cache.SharedIndexInformer(m.sharding) {
				want = before[i] + uint64(m.sharding.Streams())
			}
			if state.Watches < want || !state.LastEvent.After(began) || state.Phase != cache.PhaseWatching || state.Err() != nil {
				return false
			}
		}
		return true
	}
}

// behind reports whether a handler has had undelivered notifications for longer than a moment.
func (m *machine) behind() bool {
	for _, l := range m.looks {
		for _, h := range cache.StateOf(l.informer).Handlers {
			if h.Coalescing || !h.Oldest.IsZero() && time.Since(h.Oldest) > 100*time.Millisecond {
				return true
			}
		}
	}
	return false
}

// idle reports whether the operator has nothing to do, not even later.
func (m *machine) idle() bool {
	s := m.operator.QueueSnapshot(1)
	return s.QueuedCount+s.ProcessingCount+s.WaitingCount == 0
}
