package record

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/lru"
)

// EventAggregatorKeyFunc returns the keys of an event: events with the same aggregateKey are similar, and differ in
// their localKey.
type EventAggregatorKeyFunc func(event *corev1.Event) (aggregateKey string, localKey string)

// EventAggregatorMessageFunc returns the message of an aggregate event, given the last of the similar events.
type EventAggregatorMessageFunc func(event *corev1.Event) string

// EventAggregatorByReasonMessageFunc is the default [EventAggregatorMessageFunc]: the message of the last event, with a
// prefix.
func EventAggregatorByReasonMessageFunc(event *corev1.Event) string {
	return "(combined from similar events): " + event.Message
}

// EventAggregator combines similar events into one. The first few distinct events are kept apart, and so are
// repetitions of these. From MaxEvents on, all others are combined into one aggregate event, until no similar event has
// occurred for a while.
type EventAggregator struct {
	sync.RWMutex // guards the contents of groups

	groups      *lru.Cache // of *group, by the digest of the aggregateKey
	keyFunc     EventAggregatorKeyFunc
	messageFunc EventAggregatorMessageFunc
	maxEvents   int
	interval    time.Duration
	clock       clock.PassiveClock
}

// group is a group of similar events.
type group struct {
	// Invariant: between two calls there are fewer than maxEvents.
	own  map[digest]struct{}
	last time.Time
}

// NewEventAggregator returns an [EventAggregator]. See [CorrelatorOptions] for the parameters; there are no defaults.
func NewEventAggregator(lruCacheSize int, keyFunc EventAggregatorKeyFunc, messageFunc EventAggregatorMessageFunc,
	maxEvents int, maxIntervalInSeconds int, clock clock.PassiveClock) *EventAggregator {
	return &EventAggregator{
		groups:      newCache(lruCacheSize),
		keyFunc:     keyFunc,
		messageFunc: messageFunc,
		maxEvents:   maxEvents,
		interval:    time.Duration(maxIntervalInSeconds) * time.Second,
		clock:       clock,
	}
}

// EventAggregate returns the event itself or its aggregate event, and the key by which repetitions are counted.
func (e *EventAggregator) EventAggregate(newEvent *corev1.Event) (*corev1.Event, string) {
	now := e.clock.Now()
	aggregateKey, localKey := e.keyFunc(newEvent)
	if e.isOneOfFew(digestOf(aggregateKey), digestOf(localKey), now) {
		return newEvent, sameEvent(newEvent)
	}
	return e.combined(newEvent, now), aggregateKey
}

// isOneOfFew adds an event to its group, and reports whether it is kept apart.
func (e *EventAggregator) isOneOfFew(key, local digest, now time.Time) bool {
	e.Lock()
	defer e.Unlock()
	var g *group
	if found, ok := e.groups.Get(key); ok {
		g = found.(*group)
	}
	if g == nil || now.Sub(g.last) > e.interval {
		g = &group{own: map[digest]struct{}{}}
		e.groups.Add(key, g)
	}
	g.last = now
	if _, known := g.own[local]; known {
		return true
	}
	if len(g.own)+1 >= e.maxEvents {
		return false
	}
	g.own[local] = struct{}{}
	return true
}

// combined returns the aggregate event. It has the name of the newest event, which is not written itself, but not its
// annotations and labels, in which the others may differ. If all events are combined, from the first on, it is that one.
func (e *EventAggregator) combined(newest *corev1.Event, now time.Time) *corev1.Event {
	event := *newest
	if e.maxEvents > 1 {
		event.ObjectMeta = metav1.ObjectMeta{Name: newest.Name, Namespace: newest.Namespace}
	}
	if event.Name == "" {
		event.Name = eventName(newest.InvolvedObject.Name, now.UnixNano())
	}
	event.Count = 1
	event.FirstTimestamp, event.LastTimestamp = metav1.NewTime(now), metav1.NewTime(now)
	event.Message = shortened(e.messageFunc(newest))
	return &event
}
