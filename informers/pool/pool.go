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
	// lease tells that this is not the first.
	lease bool

	// The lock of shared guards what follows.

	// held are the informers that were asked of this pool, those among them that have ended too.
	held map[K]*hold
	// closed refuses all further starts.
	closed bool
}

// shared is what a pool has in common with its leases.
type shared[K comparable] struct {
	mu sync.Mutex
	// live are the informers that somebody holds.
	//
	// Invariant: the holders of each are at least one.
	live map[K]*entry
	// closed refuses all further starts, in leases too.
	closed bool
	// running are the goroutines of informers.
	running sync.WaitGroup
	// namespaces have a lock of their own: informers that are being made read them.
	namespaces *namespaces
}

// New returns an empty pool.
func New[K comparable](config Config) (*Pool[K], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Pool[K]{
		shared: &shared[K]{live: map[K]*entry{}, namespaces: &namespaces{set: sortedSet(config.Namespaces)}},
		held:   map[K]*hold{},
	}, nil
}

// Lease returns a pool that shares its informers with this one, and can let them go by itself.
func (p *Pool[K]) Lease() *Pool[K] {
	return &Pool[K]{shared: p.shared, lease: true, held: map[K]*hold{}}
}

// IsLease tells whether this pool was taken from another.
func (p *Pool[K]) IsLease() bool { return p.lease }

// Get returns the informer for a key, and holds it from now on. If nobody does already, create makes it. Asking twice is
// the same as asking once.
func (p *Pool[K]) Get(key K, create func() cache.SharedIndexInformer) cache.SharedIndexInformer {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	if h := p.held[key]; h != nil {
		return h.entry.informer
	}
	e := p.shared.live[key]
	if e == nil {
		e = &entry{informer: create(), ended: make(chan struct{})}
		p.shared.live[key] = e
	}
	e.holders++
	p.held[key] = &hold{entry: e, gone: make(chan struct{})}
	return e.informer
}

// Start is StartWithContext until a channel is closed.
func (p *Pool[K]) Start(stopCh <-chan struct{}) { p.StartWithContext(wait.ContextForChannel(stopCh)) }

// StartWithContext starts the informers that were asked of this pool since it was last called, and does not wait. When the
// context ends, the pool lets go of them. An informer that runs already, because somebody else started it, runs on.
func (p *Pool[K]) StartWithContext(ctx context.Context) {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	if p.closed || p.shared.closed {
		return
	}
	r := &run[K]{holds: map[K]*hold{}}
	for key, h := range p.held {
		if h.started || h.dropped {
			continue
		}
		h.started, r.holds[key] = true, h
		h.leave = func() { r.leave(key) }
		h.entry.start(ctx, &p.shared.running)
	}
	if len(r.holds) > 0 {
		r.stop = context.AfterFunc(ctx, func() { p.end(r, context.Cause(ctx)) })
	}
}

// run is what one call of StartWithContext started, and is still held.
type run[K comparable] struct {
	holds map[K]*hold
	// stop says that nobody need hear any more that the context has ended.
	stop func() bool
}

// leave forgets a hold, so that a context that lives long does not keep what was let go.
func (r *run[K]) leave(key K) {
	if delete(r.holds, key); len(r.holds) == 0 {
		r.stop()
	}
}

// end lets go of what was started with a context that has ended. The informers stay in p.held, to be read.
func (p *Pool[K]) end(r *run[K], cause error) {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	for key, h := range maps.Clone(r.holds) {
		p.letGo(key, h, cause)
	}
}

// letGo ends a hold. If it was the last, the informer stops.
func (p *Pool[K]) letGo(key K, h *hold, cause error) {
	if h.dropped {
		return
	}
	h.dropped = true
	if h.leave != nil {
		h.leave()
	}
	if h.entry.holders--; h.entry.holders == 0 {
		h.last = true
		delete(p.shared.live, key)
		h.entry.stop(cause)
	}
	close(h.gone)
}

var errReleased = errors.New("the informer was let go")

// Release lets go of all informers that were asked of this pool. Those that nobody else holds stop, and are forgotten.
// It waits for them, or until the context ends, whose error it then returns; they end nevertheless. The pool can be used
// again.
func (p *Pool[K]) Release(ctx context.Context) error {
	p.shared.mu.Lock()
	holds := p.held
	p.held = map[K]*hold{}
	for key, h := range holds {
		p.letGo(key, h, errReleased)
	}
	p.shared.mu.Unlock()
	for _, h := range holds {
		if err := h.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Drop is Release for one informer. One that this pool does not hold is none of its business.
func (p *Pool[K]) Drop(ctx context.Context, key K) error {
	p.shared.mu.Lock()
	h := p.held[key]
	if h == nil {
		p.shared.mu.Unlock()
		return nil
	}
	delete(p.held, key)
	p.letGo(key, h, errReleased)
	p.shared.mu.Unlock()
	return h.wait(ctx)
}

// Shutdown refuses all further starts, and waits for the contexts to end with which informers were started, and for the
// informers themselves. A lease waits only for what it started, and not for what others still hold; the first pool waits
// for all, and refuses the starts of its leases too. It may be called again, and at the same time.
func (p *Pool[K]) Shutdown() {
	p.shared.mu.Lock()
	p.closed = true
	p.shared.closed = p.shared.closed || !p.lease
	holds := maps.Clone(p.held)
	p.shared.mu.Unlock()
	for _, h := range holds {
		if h.started {
			<-h.gone
			_ = h.wait(context.Background()) // this context does not end
		}
	}
	if !p.lease {
		p.shared.running.Wait()
	}
}
