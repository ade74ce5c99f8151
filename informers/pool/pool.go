package pool

import (
	"context"
	"errors"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/cache"
)

// Pool holds informers, by key. It is safe for concurrent use.
type Pool[K comparable] struct {
	shared *shared[K]
	// lease is set if the pool is a lease.
	lease bool

	// The lock of shared guards the following fields.

	// held are the informers that were requested from this pool, including those that have ended.
	held map[K]*reference
	// closed is set if no informer may be started any more.
	closed bool
}

// shared is the state that a pool shares with its leases.
type shared[K comparable] struct {
	mu sync.Mutex
	// live are the informers that a pool holds.
	//
	// Invariant: each has at least one reference.
	live map[K]*entry
	// closed is set if no informer may be started any more, in leases either.
	closed bool
	// running are the goroutines of informers.
	running sync.WaitGroup
	// namespaces have a lock of their own, because they are read while an informer is created.
	namespaces *namespaces
}

// New returns an empty pool.
func New[K comparable](config Config) (*Pool[K], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Pool[K]{
		shared: &shared[K]{live: map[K]*entry{}, namespaces: &namespaces{set: sortedSet(config.Namespaces)}},
		held:   map[K]*reference{},
	}, nil
}

// Lease returns a pool that shares its informers with this one, and can release them separately.
func (p *Pool[K]) Lease() *Pool[K] {
	return &Pool[K]{shared: p.shared, lease: true, held: map[K]*reference{}}
}

// IsLease reports whether this pool is a lease.
func (p *Pool[K]) IsLease() bool { return p.lease }

// Get returns the informer for a key, and holds it. If no pool holds one, it calls create. Further calls return the same
// informer and add no reference.
func (p *Pool[K]) Get(key K, create func() cache.SharedIndexInformer) cache.SharedIndexInformer {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	if ref := p.held[key]; ref != nil {
		return ref.entry.informer
	}
	e := p.shared.live[key]
	if e == nil {
		e = &entry{informer: create(), ended: make(chan struct{})}
		p.shared.live[key] = e
	}
	e.references++
	p.held[key] = &reference{entry: e, gone: make(chan struct{})}
	return e.informer
}

// Start is StartWithContext with a context that ends when a channel is closed.
func (p *Pool[K]) Start(stopCh <-chan struct{}) { p.StartWithContext(wait.ContextForChannel(stopCh)) }

// StartWithContext starts the informers that were requested from this pool since it was last called, and does not wait. When
// the context ends, the pool releases them. An informer that another pool has started keeps running.
func (p *Pool[K]) StartWithContext(ctx context.Context) {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	if p.closed || p.shared.closed {
		return
	}
	r := &run[K]{references: map[K]*reference{}}
	for key, ref := range p.held {
		if ref.started || ref.dropped {
			continue
		}
		ref.started, r.references[key] = true, ref
		ref.leave = func() { r.leave(key) }
		ref.entry.start(ctx, &p.shared.running)
	}
	if len(r.references) > 0 {
		r.stop = context.AfterFunc(ctx, func() { p.end(r, context.Cause(ctx)) })
	}
}

// run has the informers that one call of StartWithContext started and that are still held.
type run[K comparable] struct {
	references map[K]*reference
	// stop unregisters the function that is called when the context ends.
	stop func() bool
}

// leave removes a reference, so that a long-lived context does not keep released informers alive.
func (r *run[K]) leave(key K) {
	if delete(r.references, key); len(r.references) == 0 {
		r.stop()
	}
}

// end releases the informers that were started with a context that has ended. They stay in p.held, and can be read.
func (p *Pool[K]) end(r *run[K], cause error) {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	for key, ref := range maps.Clone(r.references) {
		p.release(key, ref, cause)
	}
}

// release removes a reference. If it was the last, the informer stops.
func (p *Pool[K]) release(key K, ref *reference, cause error) {
	if ref.dropped {
		return
	}
	ref.dropped = true
	if ref.leave != nil {
		ref.leave()
	}
	if ref.entry.references--; ref.entry.references == 0 {
		ref.last = true
		delete(p.shared.live, key)
		ref.entry.stop(cause)
	}
	close(ref.gone)
}

var errReleased = errors.New("the informer was released")

// Release releases all informers that were requested from this pool. Those that no other pool holds stop, and are removed.
// It waits for them to stop, or until the context ends, whose error it then returns; they stop nevertheless. The pool can be
// used again.
func (p *Pool[K]) Release(ctx context.Context) error {
	p.shared.mu.Lock()
	references := p.held
	p.held = map[K]*reference{}
	for key, ref := range references {
		p.release(key, ref, errReleased)
	}
	p.shared.mu.Unlock()
	for _, ref := range references {
		if err := ref.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Drop is Release for one informer. It ignores an informer that this pool does not hold.
func (p *Pool[K]) Drop(ctx context.Context, key K) error {
	p.shared.mu.Lock()
	ref := p.held[key]
	if ref == nil {
		p.shared.mu.Unlock()
		return nil
	}
	delete(p.held, key)
	p.release(key, ref, errReleased)
	p.shared.mu.Unlock()
	return ref.wait(ctx)
}

// Shutdown prevents further starts, and waits for the contexts with which informers were started to end, and for the
// informers to stop. A lease waits only for the informers that it started and that no other pool holds; the first pool waits
// for all, and prevents starts in its leases, too. It may be called repeatedly and concurrently.
func (p *Pool[K]) Shutdown() {
	p.shared.mu.Lock()
	p.closed = true
	p.shared.closed = p.shared.closed || !p.lease
	references := maps.Clone(p.held)
	p.shared.mu.Unlock()
	for _, ref := range references {
		if ref.started {
			<-ref.gone
			_ = ref.wait(context.Background()) // this context does not end
		}
	}
	if !p.lease {
		p.shared.running.Wait()
	}
}
