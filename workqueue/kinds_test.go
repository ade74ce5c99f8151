package workqueue

import (
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"
)

// setup is what the queues of all kinds have in common.
type setup struct {
	name     string
	provider MetricsProvider
	clock    clock.WithTicker
	limiter  TypedRateLimiter[string] // nil means from 1 to 16 ms
}

func (s setup) limits() TypedRateLimiter[string] {
	if s.limiter != nil {
		return s.limiter
	}
	return NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 16*time.Millisecond)
}

// queueKinds makes one queue of each kind, for tests of what all of them must do.
var queueKinds = []struct {
	name string
	make func(setup) TypedInterface[string]
}{
	{"typed", func(s setup) TypedInterface[string] {
		return NewTypedWithConfig(TypedQueueConfig[string]{Name: s.name, MetricsProvider: s.provider, Clock: s.clock})
	}},
	{"store", func(s setup) TypedInterface[string] {
		return NewTypedWithConfig(TypedQueueConfig[string]{
			Name: s.name, MetricsProvider: s.provider, Clock: s.clock, Queue: DefaultQueue[string](),
		})
	}},
	{"delaying", func(s setup) TypedInterface[string] {
		return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{
			Name: s.name, MetricsProvider: s.provider, Clock: s.clock,
		})
	}},
	{"rate limiting", func(s setup) TypedInterface[string] {
		return NewTypedRateLimitingQueueWithConfig(s.limits(), TypedRateLimitingQueueConfig[string]{
			Name: s.name, MetricsProvider: s.provider, Clock: s.clock,
		})
	}},
	{"honest", func(s setup) TypedInterface[string] {
		return NewTypedRateLimitingQueueWithConfig(s.limits(), TypedRateLimitingQueueConfig[string]{
			Name: s.name, MetricsProvider: s.provider, Clock: s.clock, HonestBackoff: true,
		})
	}},
	{"fair", func(s setup) TypedInterface[string] {
		q, err := NewFair(FairConfig[string]{
			Name: s.name, MetricsProvider: s.provider, Clock: s.clock, RateLimiter: s.limits(),
			Tenant: func(key string) string { return key[:strings.IndexByte(key+"/", '/')] },
		})
		if err != nil {
			panic(err)
		}
		return q
	}},
}

// forEachKind runs a test for each kind of queue, and shuts the queue down in the end.
func forEachKind(t *testing.T, test func(t *testing.T, q TypedInterface[string])) {
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) {
			q := k.make(setup{})
			defer q.ShutDown()
			test(t, q)
		})
	}
}

// mustPanic calls f, which must panic with a sentence that begins with the package's name and has all words in it.
func mustPanic(t *testing.T, f func(), words ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		said, ok := recover().(string)
		if !ok || !strings.HasPrefix(said, "workqueue: ") {
			t.Errorf("want a panic with a sentence, got %v", said)
		}
		for _, w := range words {
			if !strings.Contains(said, w) {
				t.Errorf("the panic says %q, without %q", said, w)
			}
		}
	}()
	f()
}

// quietly calls f and swallows its panic.
func quietly(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// expect takes keys in the given order.
func expect[T comparable](t *testing.T, q TypedInterface[T], want ...T) {
	t.Helper()
	for _, w := range want {
		if q.Len() == 0 {
			t.Fatalf("the queue is empty, want %v", w)
		}
		if got, shutdown := q.Get(); got != w || shutdown {
			t.Fatalf("Get returned %v, %v; want %v", got, shutdown, w)
		}
	}
}

// expectNothing fails if a key waits.
func expectNothing[T comparable](t *testing.T, q TypedInterface[T]) {
	t.Helper()
	if n := q.Len(); n != 0 {
		item, _ := q.Get()
		t.Fatalf("%d keys wait, the first is %v; want none", n, item)
	}
}
