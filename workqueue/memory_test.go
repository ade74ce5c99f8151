package workqueue

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"
)

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what the first one found, the second one frees
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestMemoryGoesBackAfterABurst(t *testing.T) {
	const allowed = 1 << 20
	burst := 300_000
	if raceEnabled {
		burst = 30_000 // this is about memory; races are the business of TestHammer
	}
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) {
			q := k.make(setup{})
			defer q.ShutDown()
			before := heapInUse()
			delaying, _ := q.(TypedDelayingInterface[string])
			limiting, _ := q.(TypedRateLimitingInterface[string])
			for i := range burst {
				key := fmt.Sprintf("tenant%d/%d", i%1000, i)
				switch {
				case limiting != nil && i%3 == 1:
					limiting.AddRateLimited(key)
				case delaying != nil && i%3 == 2:
					delaying.AddAfter(key, time.Millisecond)
				default:
					q.Add(key)
				}
			}
			for range burst {
				key, _ := q.Get()
				if limiting != nil {
					limiting.Forget(key)
				}
				q.Done(key)
			}
			expectNothing(t, q)
			if kept := heapInUse() - before; kept > allowed {
				t.Errorf("%d bytes are kept for an empty queue", kept)
			}
			runtime.KeepAlive(q)
		})
	}
}

func TestKeyThatIsDoneCanBeCollected(t *testing.T) {
	fair, err := NewFair(FairConfig[*[64]byte]{})
	if err != nil {
		t.Fatal(err)
	}
	limiter := func() TypedRateLimiter[*[64]byte] {
		return NewTypedItemExponentialFailureRateLimiter[*[64]byte](time.Microsecond, time.Millisecond)
	}
	for name, q := range map[string]TypedInterface[*[64]byte]{
		"typed":    NewTyped[*[64]byte](),
		"store":    NewTypedWithConfig(TypedQueueConfig[*[64]byte]{Queue: DefaultQueue[*[64]byte]()}),
		"delaying": NewTypedDelayingQueue[*[64]byte](),
		"classic":  NewTypedRateLimitingQueue(limiter()),
		"fair":     fair,
	} {
		seen := weak.Make(passThrough(q))
		other := new([64]byte) // keeps the queue from being empty: nothing is freed just because all is
		q.Add(other)
		for range 10 {
			if runtime.GC(); seen.Value() == nil {
				break
			}
		}
		if seen.Value() != nil {
			t.Errorf("%s: the queue holds on to a key that is done", name)
		}
		q.ShutDown()
		runtime.KeepAlive(q)
	}
}

// passThrough sends a key through all parts of a queue.
//
//go:noinline
func passThrough(q TypedInterface[*[64]byte]) *[64]byte {
	key := new([64]byte)
	q.Add(key)
	q.Get()
	q.Done(key)
	if d, ok := q.(TypedDelayingInterface[*[64]byte]); ok {
		d.AddAfter(key, time.Microsecond)
		q.Get()
		q.Done(key)
	}
	if l, ok := q.(TypedRateLimitingInterface[*[64]byte]); ok {
		l.AddRateLimited(key)
		l.Forget(key)
		q.Get()
		q.Done(key)
	}
	return key
}
