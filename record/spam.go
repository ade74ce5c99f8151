package record

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/lru"

	"vedette.dev/flowcontrol"
)

// EventSpamKeyFunc tells which events share a limit: those with the same key.
type EventSpamKeyFunc func(event *corev1.Event) string

// EventSourceObjectSpamFilter leaves out what is too much from one source about one object: a token bucket for each.
type EventSourceObjectSpamFilter struct {
	mu      sync.Mutex // so that there is one bucket a key
	buckets *lru.Cache // of flowcontrol.PassiveRateLimiter, by the digest of the key
	burst   int
	qps     float32
	clock   clock.PassiveClock
	keyFunc EventSpamKeyFunc
}

// NewEventSourceObjectSpamFilter makes a filter. CorrelatorOptions tell what the parameters mean, but there are no defaults.
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

// Filter tells whether an event is to be left out, and takes a token if not.
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
