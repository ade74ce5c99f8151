package pool

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/cache"
)

// Informers returns the informers that this pool holds, and those that it held when they ended; the first pool also
// returns those that only its leases hold.
func (p *Pool[K]) Informers() map[K]cache.SharedIndexInformer {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	found := map[K]cache.SharedIndexInformer{}
	if !p.lease {
		for key, e := range p.shared.live {
			found[key] = e.informer
		}
	}
	for key, ref := range p.held {
		if p.shared.live[key] == nil || p.lease {
			found[key] = ref.entry.informer
		}
	}
	return found
}

// all returns the informers that have references.
func (p *Pool[K]) all() []cache.SharedIndexInformer {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	var found []cache.SharedIndexInformer
	for _, e := range p.shared.live {
		found = append(found, e.informer)
	}
	return found
}

// State returns what each of the Informers is doing.
func (p *Pool[K]) State() map[K]cache.State {
	states := map[K]cache.State{}
	for key, informer := range p.Informers() {
		states[key] = cache.StateOf(informer)
	}
	return states
}

// HealthCheck returns nil if all of the Informers are healthy: running, synced and not failing. Otherwise it returns
// the error of each. It has the signature of health endpoints, and ignores the request.
func (p *Pool[K]) HealthCheck(_ *http.Request) error {
	var wrong []error
	for _, state := range p.State() {
		if err := state.Err(); err != nil {
			wrong = append(wrong, err)
		}
	}
	slices.SortFunc(wrong, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(wrong...)
}

// WaitForCacheSync is Wait until a channel is closed.
func (p *Pool[K]) WaitForCacheSync(stopCh <-chan struct{}) map[K]bool {
	synced, _ := p.Wait(wait.ContextForChannel(stopCh))
	return synced
}

// Wait waits until the informers that this pool holds have synced, or until the context ends, and returns which have.
// It considers only those that were started. The error is nil if all have synced, and otherwise the reason for which
// the wait ended.
func (p *Pool[K]) Wait(ctx context.Context) (map[K]bool, error) {
	started := p.startedInformers()
	var checkers []cache.DoneChecker
	for _, informer := range started {
		checkers = append(checkers, informer.HasSyncedChecker())
	}
	cache.WaitFor(ctx, "", checkers...)
	synced := map[K]bool{}
	var err error
	for key, informer := range started {
		if synced[key] = informer.HasSynced(); !synced[key] {
			err = context.Cause(ctx)
		}
	}
	return synced, err
}

func (p *Pool[K]) startedInformers() map[K]cache.SharedIndexInformer {
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	found := map[K]cache.SharedIndexInformer{}
	for key, ref := range p.held {
		if ref.entry.cancel != nil {
			found[key] = ref.entry.informer
		}
	}
	return found
}
