package record

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/lru"

	"vedette.dev/flowcontrol"
)

// EventSpamKeyFunc returns the key of an event for rate limiting: events with the same key share a limit.
type EventSpamKeyFunc func(event *corev1.Event) string

// EventSourceObjectSpamFilter limits the rate of events of one source about one object, with a token bucket for each.
type EventSourceObjectSpamFilter struct {
	mu      sync.Mutex // so that there is one bucket per key
	buckets *lru.Cache // of flowcontrol.PassiveRateLimiter, by the digest of the key
	burst   int
	qps     float32
	clock   clock.PassiveClock
	keyFunc EventSpamKeyFunc
}

// NewEventSourceObjectSpamFilter returns a filter. See [CorrelatorOptions] for the parameters; there are no defaults.
func NewEventSourceObjectSpamFilter(lruCacheSize, burst int, qps float32, clock clock.PassiveClock,
	spamKeyFunc EventSpamKeyFunc) *EventSourceObjectSpamFilter {
	return &EventSourceObjectSpamFilter{
		buckets: newCache(lruCacheSize),
		burst:   burst,
		qps:     qps,
		clock:   clock,
		keyFunc: spamKeyFunc,
	}
}

// Filter reports whether an event should be dropped, and takes a token if not.
func (f *EventSourceObjectSpamFilter) Filter(event *corev1.Event) bool {
	key := digestOf(f.keyFunc(event))
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.buckets.Get(key)
	if !ok {
		found = flowcontrol.NewTokenBucketPassiveRateLimiterWithClock(f.qps, f.burst, f.clock)
		f.buckets.Add(key, found)
	}
	return !found.(flowcontrol.PassiveRateLimiter).TryAccept()
}
