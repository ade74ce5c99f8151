package pool

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vedette.dev/cache"
)

// Many take leases, start, release and cancel concurrently. An informer that is held runs, and in the end there is
// none.
func TestHammer(t *testing.T) {
	p := newPool(t, Config{})
	const keys = 3
	var running [keys]atomic.Int32
	create := func(key int) func() cache.SharedIndexInformer {
		return func() cache.SharedIndexInformer {
			return &counted{SharedIndexInformer: new(maker).make(), running: &running[key]}
		}
	}
	names := [keys]string{"a", "b", "c"}
	end := time.Now().Add(2 * time.Second)
	var hammers sync.WaitGroup
	for range 8 {
		hammers.Go(func() {
			for time.Now().Before(end) {
				key := rand.IntN(keys)
				comeAndGo(t, p.Lease(), names[key], create(key))
			}
		})
	}
	hammers.Wait()
	p.Shutdown()
	for key := range running {
		if n := running[key].Load(); n != 0 {
			t.Errorf("%d of %s still run", n, names[key])
		}
	}
	if left := p.Informers(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func comeAndGo(t *testing.T, lease *Pool[string], key string, create func() cache.SharedIndexInformer) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	informer := lease.Get(key, create)
	lease.StartWithContext(ctx)
	switch rand.IntN(3) {
	case 0:
		if synced, err := lease.Wait(ctx); err != nil || !synced[key] {
			t.Errorf("Wait = %v, %v", synced, err)
		}
		if informer.IsStopped() {
			t.Error("it has stopped, and is held")
		}
	case 1:
		cancel()
		lease.Shutdown()
	}
	if err := lease.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// counted is an informer that reports whether it runs.
type counted struct {
	cache.SharedIndexInformer
	running *atomic.Int32
}

func (c *counted) RunWithContext(ctx context.Context) {
	c.running.Add(1)
	defer c.running.Add(-1)
	c.SharedIndexInformer.RunWithContext(ctx)
}
